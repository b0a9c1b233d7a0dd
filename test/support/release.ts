/** Builds a release as users get it: the clone's files under another version number, packed by npm. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './claude.ts';

/** The input of the build and of the package. */
const PARTS = [
  '.claude-plugin',
  'bin',
  'plugin',
  'scripts',
  'src',
  'web',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
];
/** Files that contain the version. scripts/layers.mjs checks that they agree. */
const VERSIONED = [
  'package.json',
  'plugin/.claude-plugin/plugin.json',
  '.claude-plugin/marketplace.json',
  'plugin/hooks/hook.sh',
];

export interface Release {
  readonly version: string;
  /** The built clone. */
  readonly folder: string;
  /** The package that `npm pack` made of it. */
  readonly tarball: string;
}

/** Builds it as prepack does. */
export async function makeRelease(version: string, into: string): Promise<Release> {
  const folder = join(into, `release-${version}`);
  mkdirSync(folder, { recursive: true });
  const wanted = (path: string): boolean => !path.startsWith(join(ROOT, 'plugin', 'dist'));
  for (const part of PARTS)
    if (existsSync(join(ROOT, part)))
      cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: wanted });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const own = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
  renameVersion(folder, VERSIONED, own, version);
  return pack({ version, folder }, into);
}

/** Makes a built release one of another version, without building it again. */
export async function nextRelease(from: Release, version: string, into: string): Promise<Release> {
  const folder = join(into, `release-${version}`);
  const wanted = (path: string): boolean => !['src', 'web', 'scripts'].includes(relative(from.folder, path));
  cpSync(from.folder, folder, { recursive: true, filter: wanted, verbatimSymlinks: true });
  const programs = readdirSync(join(folder, 'plugin', 'dist'))
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => join('plugin', 'dist', name));
  renameVersion(folder, [...VERSIONED, ...programs], from.version, version);
  return pack({ version, folder }, into, '--ignore-scripts');
}

function renameVersion(folder: string, files: readonly string[], from: string, to: string): void {
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text.replaceAll(from, to));
  }
}

async function pack(
  { version, folder }: Omit<Release, 'tarball'>,
  into: string,
  ...options: readonly string[]
): Promise<Release> {
  const env = { ...process.env, npm_config_cache: join(into, `npm-cache-${version}`) };
  const args = ['pack', '--silent', ...options, '--pack-destination', into];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, env });
  return { version, folder, tarball: join(into, stdout.trim().split('\n').at(-1) ?? '') };
}
