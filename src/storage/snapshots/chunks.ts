/**
 * Pieces of files by their content: what two snapshots have in common is kept once. Each piece is written whole or not at
 * all and is checked against its name whenever it is read.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { TidemarkError } from '../../core/index.ts';
import { readBytes, makeFolder, removeFile, removeTemporaries, writeAtomically } from '../../files/index.ts';

/** Files that only grow keep all their pieces but the last. */
export const CHUNK_BYTES = 1024 * 1024;
/** A piece that does not pack gets a little longer. */
const PACKED_BYTES = CHUNK_BYTES + 64 * 1024;
/** Most of it is packed already or small: a stronger level costs time and gains little. */
const LEVEL = 1;
const NAME = /^[0-9a-f]{64}\.gz$/;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

export class Chunks {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves with its name when the piece is durable and was read back. One that lay there damaged is written anew. */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (await this.isWhole(hash)) return hash;
    await makeFolder(join(this.#folder, hash.slice(0, 2)));
    await writeAtomically(this.#path(hash), await pack(bytes, { level: LEVEL }));
    await this.get(hash);
    return hash;
  }

  async isWhole(hash: string): Promise<boolean> {
    const bytes = await this.#read(hash);
    return bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === hash;
  }

  async get(hash: string): Promise<Buffer> {
    const bytes = await this.#read(hash);
    if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) return bytes;
    throw new TidemarkError('snapshot-damaged', `a piece of the snapshot is missing or damaged (${hash})`, {
      hint: 'Look for a whole one with: tidemark backup verify',
    });
  }

  /** Takes away what nobody names any more, and what killed writers left. */
  async keepOnly(names: ReadonlySet<string>): Promise<number> {
    let dropped = 0;
    for (const folder of await readdir(this.#folder).catch(() => [])) {
      await removeTemporaries(join(this.#folder, folder));
      for (const name of await readdir(join(this.#folder, folder))) {
        if (!NAME.test(name) || names.has(name.slice(0, -'.gz'.length))) continue;
        await removeFile(join(this.#folder, folder, name));
        dropped++;
      }
    }
    return dropped;
  }

  async #read(hash: string): Promise<Buffer | undefined> {
    try {
      return await unpack(await readBytes(this.#path(hash), PACKED_BYTES), { maxOutputLength: CHUNK_BYTES });
    } catch {
      return undefined;
    }
  }

  #path(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), `${hash}.gz`);
  }
}
