/**
 * Stores pieces of files under the hash of their content, so that snapshots share equal pieces. Each piece is written
 * atomically and checked against its name whenever it is read.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { TidemarkError } from '../../core/index.ts';
import { readBytes, makeFolder, removeFile, removeTemporaries, writeAtomically } from '../../files/index.ts';

/** A file that only grows keeps all its pieces except the last. */
export const CHUNK_BYTES = 1024 * 1024;
/** A piece that does not compress becomes a little longer. */
const PACKED_BYTES = CHUNK_BYTES + 64 * 1024;
/** Most content is compressed already or small: a higher level costs time and saves little. */
const LEVEL = 1;
const NAME = /^[0-9a-f]{64}\.gz$/;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

export class Chunks {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves with the name when the piece is durable and was read back. Replaces a damaged piece. */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (await this.isIntact(hash)) return hash;
    await makeFolder(join(this.#folder, hash.slice(0, 2)));
    await writeAtomically(this.#path(hash), await pack(bytes, { level: LEVEL }));
    await this.get(hash);
    return hash;
  }

  async isIntact(hash: string): Promise<boolean> {
    const bytes = await this.#read(hash);
    return bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === hash;
  }

  async get(hash: string): Promise<Buffer> {
    const bytes = await this.#read(hash);
    if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) return bytes;
    throw new TidemarkError('snapshot-damaged', `a piece of the snapshot is missing or damaged (${hash})`, {
      hint: 'Find an undamaged snapshot with: tidemark backup verify',
    });
  }

  /** Removes the other pieces and the temporary files of killed writers. */
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
