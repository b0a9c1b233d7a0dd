/** Builds a release as users get it: the clone's files under another version number, packed by npm. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

export async function makeRelease(version: string, into: string): Promise<Release> {
  const folder = join(into, `release-${version}`);
  mkdirSync(folder, { recursive: true });
  const wanted = (path: string): boolean => !path.startsWith(join(ROOT, 'plugin', 'dist'));
  for (const part of PARTS)
    if (existsSync(join(ROOT, part)))
      cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: wanted });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const own = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
  for (const file of VERSIONED) {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text.replaceAll(own, version));
  }
  const env = { ...process.env, npm_config_cache: join(into, `npm-cache-${version}`) };
  const args = ['pack', '--silent', '--pack-destination', into];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, env });
  return { version, folder, tarball: join(into, stdout.trim().split('\n').at(-1) ?? '') };
}
