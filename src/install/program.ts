/**
 * Finds where this program is and where it should run. A clone runs in place; a package downloaded by npm is copied into
 * the data folder, file by file, so that open sessions never miss a file.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isComplete, pluginFile, pluginVersion } from '../agents/index.ts';
import { TidemarkError, VERSION, type Places } from '../core/index.ts';
import { makeFolderSync, writeAtomicallySync } from '../files/index.ts';

export interface Origin {
  /**
   * `clone`: with its source; `package`: unpacked by npm; `app`: the copy made by install; `plugin`: the client's copy
   * from a marketplace.
   */
  readonly kind: 'clone' | 'package' | 'app' | 'plugin';
  /** The marketplace folder for the client; for `plugin` the plugin itself. */
  readonly root: string;
}

/** The parts of the copy. */
const PARTS = ['.claude-plugin', 'plugin', 'bin', 'package.json', 'LICENSE'];

/** `dist`: the folder of the running program. */
export function originOf(dist: string, places: Pick<Places, 'app'>): Origin {
  const plugin = dirname(dist);
  const root = dirname(plugin);
  if (!existsSync(join(root, '.claude-plugin', 'marketplace.json'))) return { kind: 'plugin', root: plugin };
  if (root === places.app) return { kind: 'app', root };
  return { kind: existsSync(join(root, 'src')) ? 'clone' : 'package', root };
}

/** Returns the marketplace folder for the client, or undefined if only the client knows the source. */
export function marketplaceRoot(
  { kind, root }: Origin,
  places: Pick<Places, 'app'>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (kind === 'plugin') return existsSync(join(places.app, '.claude-plugin')) ? places.app : undefined;
  // On Windows a clone is copied too: the copy refers to programs that exist there.
  return kind === 'package' || platform === 'win32' ? places.app : root;
}

/** Returns the plugin folder that sessions run from now on. */
export function pluginFolder(origin: Origin, places: Pick<Places, 'app'>): string {
  const root = marketplaceRoot(origin, places);
  return root ? join(root, 'plugin') : origin.root;
}

/** Puts the program where sessions run it. `copies`: plugin folders of clients, to repair a damaged program from. */
export function placeProgram(
  origin: Origin,
  places: Pick<Places, 'app'>,
  copies: readonly string[],
): { readonly plugin: string; readonly done: readonly string[] } {
  const root = marketplaceRoot(origin, places);
  const plugin = pluginFolder(origin, places);
  const isCopied = root === places.app && origin.kind !== 'app' && origin.kind !== 'plugin';
  const written = isCopied ? copyProgram(origin.root, root, process.execPath) : 0;
  // The running copy may be damaged; a client may have another.
  const copy = copies.find((folder) => pluginVersion(folder) === VERSION && isComplete(folder));
  if (origin.kind === 'app' && copy) fillIn(plugin, copy);
  if (root && !isComplete(plugin))
    throw new TidemarkError('not-built', `program files are missing in ${plugin}`, {
      hint:
        origin.kind === 'clone'
          ? 'Build it: npm run build'
          : 'Download it again: npx tidemark@latest install',
    });
  return { plugin, done: written > 0 ? [`program copied to ${root}`] : [] };
}

/** Makes `to` equal to the program in `from`; returns the number of files written. */
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
    const content = text === bytes.toString('utf8') ? bytes : Buffer.from(text);
    if (put(join(to, name), content, statSync(source).mode)) written++;
  }
  for (const name of PARTS.flatMap((part) => filesIn(to, part)))
    if (!names.includes(name)) rmSync(join(to, name), { force: true });
  return written;
}

/** Restores missing files of a plugin from another copy of the same version; changes no existing file. */
export function fillIn(plugin: string, from: string): void {
  for (const name of filesIn(from, '.')) {
    const [missing, source] = [join(plugin, name), join(from, name)];
    if (!existsSync(missing)) put(missing, readFileSync(source), statSync(source).mode);
  }
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
  writeAtomicallySync(path, bytes, { mode: isProgram ? 0o700 : 0o600 });
  return true;
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
