/** The files of the small model, which ship with the program in `plugin/model`. Reads and checks them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { MANIFEST_SHA256, SMALL_VERSION } from './pinned.ts';

const MANIFEST = 'model.json';
const FILES = ['vocab.txt', 'words.bin', 'lower.onnx', 'vector.onnx', 'tasks.onnx'] as const;
type FileName = (typeof FILES)[number];

interface Manifest {
  readonly version: string;
  readonly files: Readonly<Partial<Record<string, { readonly bytes: number; readonly sha256: string }>>>;
}

export type SmallFiles =
  | { readonly kind: 'complete'; readonly version: string; readonly bytes: number }
  | { readonly kind: 'missing' | 'damaged'; readonly why: string };

/** Returns the folder of the model for a program in `plugin/dist`, or in the source. */
export function smallModelFolder(program: string): string {
  const shipped = join(dirname(program), '..', 'model');
  const inClone = join(dirname(program), '..', '..', 'plugin', 'model');
  return !existsSync(shipped) && existsSync(inClone) ? inClone : shipped;
}

/** Checks whether the folder contains the pinned model: its list of files and their sizes, with `hashes` also each file. */
export function checkSmallModel(folder: string, { hashes = false } = {}): SmallFiles {
  if (!existsSync(join(folder, MANIFEST))) return { kind: 'missing', why: `${SMALL_VERSION} is missing` };
  try {
    const { version, files } = readManifest(folder, true);
    for (const name of FILES) {
      const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size;
      if (size !== files[name]?.bytes) throw damaged(size === undefined ? `${name} is missing` : name);
      if (hashes) verified(folder, name, files);
    }
    return { kind: 'complete', version, bytes: bytesOf(files) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isDamaged = error instanceof TidemarkError && error.code === 'model-damaged';
    // For example a file that this user may not read. Hooks ask for this, so it never throws.
    return { kind: 'damaged', why: isDamaged ? why : `${SMALL_VERSION} cannot be read: ${why}` };
  }
}

/**
 * Reads the files of a model.
 * @param isPinned whether it must be the model this version ships with; each file is checked then
 */
export function readSmallModel(folder: string, isPinned: boolean) {
  const { version, files } = readManifest(folder, isPinned);
  const read = (name: FileName): Buffer =>
    isPinned ? verified(folder, name, files) : readFileSync(join(folder, name));
  return { version, read };
}

function readManifest(folder: string, isPinned: boolean): Manifest {
  const text = readFileSync(join(folder, MANIFEST));
  if (isPinned && sha256(text) !== MANIFEST_SHA256) throw damaged(MANIFEST);
  return JSON.parse(text.toString('utf8')) as Manifest; // its hash was checked, or a benchmark reads its own model
}

function verified(folder: string, name: FileName, files: Manifest['files']): Buffer {
  const bytes = readFileSync(join(folder, name));
  if (sha256(bytes) !== files[name]?.sha256) throw damaged(name);
  return bytes;
}

function damaged(what: string): TidemarkError {
  return new TidemarkError('model-damaged', `${SMALL_VERSION} is damaged: ${what}`, { hint: REINSTALL });
}

/** The way out if files of the model are missing or damaged. */
export const REINSTALL =
  'Reinstall the plugin: npx tidemark@latest install (in a clone: git restore plugin/model)';

function bytesOf(files: Manifest['files']): number {
  return FILES.reduce((sum, name) => sum + (files[name]?.bytes ?? 0), 0);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
