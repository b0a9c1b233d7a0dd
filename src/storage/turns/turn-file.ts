/**
 * The format of the turn store: one gzip member per turn, so that a file of them is a plain `.gz` for `zcat`. An extra
 * field (subfield `TM`) holds the length of the member and the key of its turn; the header's time is the turn's.
 * A file is therefore read member by member without unpacking, and damaged parts are skipped.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';
import type { StoredTurn } from '../../core/index.ts';
import { openRegular } from '../../files/index.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** gzip magic, deflate, and the flag for an extra field. */
const MAGIC = Buffer.from([0x1f, 0x8b, 0x08, 0x04]);
/** After the time: no compression hint, unknown system, 20 bytes extra, subfield `TM` of 16 bytes. */
const MARK = Buffer.from([0x00, 0xff, 20, 0, 0x54, 0x4d, 16, 0]);
const TIME_AT = 4;
const MARK_AT = 8;
const LENGTH_AT = 16;
const TURN_AT = 20;
const TURN_BYTES = 8;
const CHECK_AT = 28;
const HEADER_BYTES = 32;
const TRAILER_BYTES = 8;
/** Far larger than any turn: a damaged length must not make the reader reserve that much memory. */
const MEMBER_BYTES = 256 * 1024 * 1024;
const TURN_TEXT_BYTES = 512 * 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;

interface MemberHeader {
  /** Of the member, including header and trailer. */
  readonly length: number;
  /** See `turnKey`. */
  readonly turn: string;
  /** When the turn began, seconds since 1970. */
  readonly time: number;
}

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

  /** Runs `use` with the open file; returns undefined when there is no such file. */
  static async using<T>(path: string, use: (file: TurnFile) => Promise<T>): Promise<T | undefined> {
    const file = await TurnFile.open(path);
    if (!file) return undefined;
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  /** `end`: the durable size of a file that is being written. */
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

  /** Yields the members in order and reports damaged ranges to `onDamage`. */
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
      const found = findHeader(bytes);
      // A header at the end of the chunk may be cut: read again from there.
      if (found >= 0 && found + HEADER_BYTES <= bytes.length) return at + found;
      at += found > 0 ? found : bytes.length - HEADER_BYTES + 1;
    }
    return this.size;
  }

  /** Returns up to `length` bytes, from the chunk in memory where possible. */
  async #peek(offset: number, length: number): Promise<Buffer> {
    const within = offset - this.#chunkAt;
    if (within >= 0 && within + length <= this.#chunk.length)
      return this.#chunk.subarray(within, within + length);
    this.#chunk = await this.bytes({ offset, length: Math.max(CHUNK_BYTES, length) });
    this.#chunkAt = offset;
    return this.#chunk.subarray(0, length);
  }
}

export async function encodeMember(turn: StoredTurn): Promise<Buffer> {
  const text = Buffer.from(`${JSON.stringify(turn)}\n`);
  const body = await deflate(text);
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(secondsOf(turn.startedAt), TIME_AT);
  MARK.copy(header, MARK_AT);
  header.writeUInt32LE(HEADER_BYTES + body.length + TRAILER_BYTES, LENGTH_AT);
  header.write(turnKey(turn.id), TURN_AT, 'hex');
  header.writeUInt32LE(crc32(header.subarray(0, CHECK_AT)), CHECK_AT);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(crc32(text), 0);
  trailer.writeUInt32LE(text.length, 4);
  return Buffer.concat([header, body, trailer]);
}

/** Returns the turn of a member; undefined when it is damaged. */
async function decodeMember(member: Buffer): Promise<StoredTurn | undefined> {
  if (readHeader(member)?.length !== member.length) return undefined;
  try {
    const options = { maxOutputLength: TURN_TEXT_BYTES };
    const text = await inflate(member.subarray(HEADER_BYTES, -TRAILER_BYTES), options);
    if (crc32(text) !== member.readUInt32LE(member.length - TRAILER_BYTES)) return undefined;
    return JSON.parse(text.toString('utf8')) as StoredTurn; // the checksum proves that encodeMember wrote it
  } catch {
    return undefined;
  }
}

/** Returns the header at the start of a buffer; undefined when there is none. */
function readHeader(bytes: Buffer): MemberHeader | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (!bytes.subarray(MARK_AT, MARK_AT + MARK.length).equals(MARK)) return undefined;
  if (crc32(bytes.subarray(0, CHECK_AT)) !== bytes.readUInt32LE(CHECK_AT)) return undefined;
  const length = bytes.readUInt32LE(LENGTH_AT);
  if (length <= HEADER_BYTES + TRAILER_BYTES || length > MEMBER_BYTES) return undefined;
  const turn = bytes.toString('hex', TURN_AT, TURN_AT + TURN_BYTES);
  return { length, turn, time: bytes.readUInt32LE(TIME_AT) };
}

/** Returns where the next header may begin; -1 when there is none in these bytes. */
function findHeader(bytes: Buffer): number {
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (at + HEADER_BYTES > bytes.length || readHeader(bytes.subarray(at, at + HEADER_BYTES))) return at;
  }
  return -1;
}

/** Returns the short form of a turn's id for the header. All revisions of a turn share it. */
export function turnKey(id: string): string {
  return createHash('sha256')
    .update(id)
    .digest('hex')
    .slice(0, TURN_BYTES * 2);
}

function secondsOf(iso: string): number {
  const seconds = Math.floor(Date.parse(iso) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 0xffff_ffff) : 0;
}
