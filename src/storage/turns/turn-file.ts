/** Walks one file of the turn store member by member, past whatever is damaged. Never unpacks what it only walks past. */
import type { FileHandle } from 'node:fs/promises';
import type { StoredTurn } from '../../core/index.ts';
import { openRegular } from '../../files/index.ts';
import { decodeMember, findHeader, HEADER_BYTES, readHeader, type MemberHeader } from './turn-member.ts';

const CHUNK_BYTES = 256 * 1024;

export interface Member extends MemberHeader {
  readonly offset: number;
}

export interface Damage {
  readonly offset: number;
  readonly length: number;
}

export class TurnFile {
  readonly #file: FileHandle;
  readonly size: number;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkAt = 0;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Runs `use` with the file open; undefined when it is not there. */
  static async using<T>(path: string, use: (file: TurnFile) => Promise<T>): Promise<T | undefined> {
    const file = await TurnFile.open(path);
    if (!file) return undefined;
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  /** `end`: how far the file is durable, when it is being written. */
  static async open(path: string, end = Infinity): Promise<TurnFile | undefined> {
    try {
      const file = await openRegular(path);
      return new TurnFile(file, Math.min(end, (await file.stat()).size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Every member in order; stretches that are none go to `onDamage`. */
  async *members(onDamage: (damage: Damage) => void = () => {}): AsyncGenerator<Member> {
    let offset = 0;
    while (offset < this.size) {
      const header = readHeader(await this.#peek(offset, HEADER_BYTES));
      if (header && offset + header.length <= this.size) {
        yield { ...header, offset };
        offset += header.length;
        continue;
      }
      const next = await this.#nextHeader(offset + 1);
      onDamage({ offset, length: next - offset });
      offset = next;
    }
  }

  async bytes({ offset, length }: { readonly offset: number; readonly length: number }): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  async turn(member: { readonly offset: number; readonly length: number }): Promise<StoredTurn | undefined> {
    return decodeMember(await this.bytes(member));
  }

  async #nextHeader(from: number): Promise<number> {
    let at = from;
    while (at < this.size) {
      const bytes = await this.#peek(at, CHUNK_BYTES);
      if (bytes.length < HEADER_BYTES) break;
      const found = findHeader(bytes, 0);
      // One at the chunk's edge is only seen in part: look again from there.
      if (found >= 0 && found + HEADER_BYTES <= bytes.length) return at + found;
      at += found > 0 ? found : bytes.length - HEADER_BYTES + 1;
    }
    return this.size;
  }

  /** Up to `length` bytes, from the chunk in memory where possible. */
  async #peek(offset: number, length: number): Promise<Buffer> {
    const within = offset - this.#chunkAt;
    if (within >= 0 && within + length <= this.#chunk.length)
      return this.#chunk.subarray(within, within + length);
    this.#chunk = await this.bytes({ offset, length: Math.max(CHUNK_BYTES, length) });
    this.#chunkAt = offset;
    return this.#chunk.subarray(0, length);
  }
}
