/** Installs, lists and removes models. An installation is verified and complete, or nothing is installed. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../core/index.ts';
import { bytesFrom } from './_sources.ts';
import { CATALOGUE, type CatalogueModel, type ModelFile, type Source } from './catalogue.ts';
import { checkSmallModel } from './small/files.ts';

export interface InstallProgress {
  readonly file: string;
  readonly done: number;
  readonly total: number;
  readonly source: string;
}

export interface InstallOptions {
  /** `models` in the data folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (progress: InstallProgress) => void;
  readonly signal: AbortSignal;
  /** Copies the files from this folder instead of downloading them; verified too. */
  readonly from?: string;
}

export interface ModelStatus {
  readonly model: CatalogueModel;
  readonly installed: boolean;
  readonly bytes: number;
  readonly folder: string;
  /** Why the model that ships with Tidemark cannot be used. */
  readonly problem?: string;
}

export async function installModel(
  model: CatalogueModel,
  options: InstallOptions,
): Promise<{ readonly fetched: number }> {
  const target = join(options.folder, model.id);
  if (isInstalled(options.folder, model)) return { fetched: 0 };
  const beside = `${target}.${process.pid}.new`;
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside, { recursive: true, mode: 0o700 });
  let fetched = 0;
  try {
    for (const file of model.files) {
      const bytes = await verified(file, options);
      fetched += bytes.length;
      writeFileSync(join(beside, file.name), bytes, { mode: 0o600 });
    }
    rmSync(target, { recursive: true, force: true });
    renameSync(beside, target);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return { fetched };
}

export function removeModel(folder: string, { id }: CatalogueModel): boolean {
  const target = join(folder, id);
  if (!existsSync(target)) return false;
  rmSync(target, { recursive: true });
  return true;
}

/** `small`: the folder of the model that ships with Tidemark. */
export function listModels(folder: string, small: string): readonly ModelStatus[] {
  return CATALOGUE.map((model) => {
    if (model.isBuiltIn) return builtIn(model, small);
    const bytes = model.files.reduce((sum, file) => sum + file.bytes, 0);
    return { model, installed: isInstalled(folder, model), bytes, folder: join(folder, model.id) };
  });
}

function builtIn(model: CatalogueModel, folder: string): ModelStatus {
  const files = checkSmallModel(folder);
  return files.kind === 'complete'
    ? { model, installed: true, bytes: files.bytes, folder }
    : { model, installed: false, bytes: 0, folder, problem: files.why };
}

/** Checks the sizes only; the hash was checked at the installation. A built-in model has no files to install. */
export function isInstalled(folder: string, { id, files }: CatalogueModel): boolean {
  return files.every(
    ({ name, bytes }) => statSync(join(folder, id, name), { throwIfNoEntry: false })?.size === bytes,
  );
}

/** Removes the remains of an interrupted installation. */
export function sweepModels(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.endsWith('.new')) rmSync(join(folder, name), { recursive: true, force: true });
}

async function verified(file: ModelFile, options: InstallOptions): Promise<Buffer> {
  const { env, from, onProgress, signal } = options;
  const failures: string[] = [];
  const accept = (bytes: Buffer, where: string): boolean => {
    if (createHash('sha256').update(bytes).digest('hex') === file.sha256) return true;
    failures.push(`${where}: not the pinned file`);
    return false;
  };
  if (from !== undefined) {
    const path = join(from, file.name);
    if (!existsSync(path)) failures.push(`${path} does not exist`);
    else {
      const bytes = readFileSync(path);
      if (accept(bytes, from)) return bytes;
    }
  }
  for (const source of from === undefined ? file.sources : []) {
    const name = nameOf(source);
    const onBytes = (done: number, total: number): void =>
      onProgress({ file: file.name, done, total, source: name });
    try {
      const bytes = await bytesFrom({ source, bytes: file.bytes, onBytes, signal }, env);
      if (accept(bytes, name)) return bytes;
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${name}: ${reasonOf(error)}`);
    }
  }
  throw new TidemarkError('model-unreachable', `${file.name} could not be fetched (${failures.join('; ')})`, {
    hint: 'Check the network and try again, or copy the files and use: tidemark model install --from <folder>',
  });
}

/** `fetch` puts the actual error into its cause. */
function reasonOf(error: unknown): string {
  const { message = String(error), cause } = error as { message?: string; cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `${message} (${cause.code})` : message;
}

function nameOf(source: Source): string {
  return source.kind === 'web' ? new URL(source.url).host : `npm ${source.package}@${source.version}`;
}
