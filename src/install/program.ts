/**
 * Where this program lies and where it is to run from. A clone runs where it is; a package that npm fetched is copied
 * into the data folder, file by file, so that an open session never finds one missing.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pluginFile } from '../agents/index.ts';
import type { Places } from '../core/index.ts';
import { makeFolderSync, writeAtomicallySync } from '../files/index.ts';

export interface Origin {
  /**
   * `clone`: with its source; `package`: as npm unpacked it; `app`: the copy of one that install made; `plugin`: alone,
   * as the client took it from a marketplace.
   */
  readonly kind: 'clone' | 'package' | 'app' | 'plugin';
  /** What the client takes as a marketplace; for `plugin` the plugin itself. */
  readonly root: string;
}

/** What the copy consists of. */
const PARTS = ['.claude-plugin', 'plugin', 'bin', 'package.json', 'LICENSE'];

/** `dist`: the folder the running program lies in. */
export function originOf(dist: string, places: Pick<Places, 'app'>): Origin {
  const plugin = dirname(dist);
  const root = dirname(plugin);
  if (!existsSync(join(root, '.claude-plugin', 'marketplace.json'))) return { kind: 'plugin', root: plugin };
  if (root === places.app) return { kind: 'app', root };
  return { kind: existsSync(join(root, 'src')) ? 'clone' : 'package', root };
}

/** The marketplace folder to give to the client, or undefined when only the client knows where we come from. */
export function marketplaceRoot(
  { kind, root }: Origin,
  places: Pick<Places, 'app'>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (kind === 'plugin') return existsSync(join(places.app, '.claude-plugin')) ? places.app : undefined;
  // On Windows a clone is copied too: the copy names programs that are there.
  return kind === 'package' || platform === 'win32' ? places.app : root;
}

/** Makes `to` the same as the program in `from`; returns how many files were written. */
export function copyProgram(
  from: string,
  to: string,
  node: string,
  platform: NodeJS.Platform = process.platform,
): number {
  const names = PARTS.flatMap((part) => filesIn(from, part));
  let written = 0;
  for (const name of names) {
    const source = join(from, name);
    const bytes = readFileSync(source);
    const text = pluginFile(name, bytes.toString('utf8'), platform, node);
    const wanted = text === bytes.toString('utf8') ? bytes : Buffer.from(text);
    if (put(join(to, name), wanted, statSync(source).mode)) written++;
  }
  for (const name of PARTS.flatMap((part) => filesIn(to, part)))
    if (!names.includes(name)) rmSync(join(to, name), { force: true });
  return written;
}

/** Brings back what is missing in a plugin from another copy of the same version; what is there stays as it is. */
export function fillIn(plugin: string, from: string): void {
  for (const name of filesIn(from, '.')) {
    const [missing, source] = [join(plugin, name), join(from, name)];
    if (!existsSync(missing)) put(missing, readFileSync(source), statSync(source).mode);
  }
}

/** Whether everything a session needs is there. */
export function isWhole(plugin: string): boolean {
  const needed = [
    'hooks/hook.sh',
    'hooks/hooks.json',
    '.mcp.json',
    'dist/hook.cjs',
    'dist/daemon.cjs',
    'dist/worker.cjs',
    'dist/cli.cjs',
    'dist/mcp.cjs',
  ];
  return needed.every((file) => existsSync(join(plugin, ...file.split('/'))));
}

function filesIn(root: string, part: string): readonly string[] {
  const stat = statSync(join(root, part), { throwIfNoEntry: false });
  if (!stat) return [];
  if (stat.isFile()) return [part];
  return readdirSync(join(root, part), { withFileTypes: true }).flatMap((entry) =>
    entry.name === 'node_modules' ? [] : filesIn(root, join(part, entry.name)),
  );
}

function put(path: string, bytes: Buffer, mode: number): boolean {
  const isProgram = (mode & 0o100) !== 0;
  if (existsSync(path) && hash(readFileSync(path)) === hash(bytes)) return false;
  makeFolderSync(dirname(path));
  writeAtomicallySync(path, bytes, isProgram ? 0o700 : 0o600);
  return true;
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
