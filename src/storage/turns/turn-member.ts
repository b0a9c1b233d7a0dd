/**
 * One turn as one gzip member, so that a file of them is a plain `.gz` for `zcat`, and yet can be walked without
 * unpacking: an extra field (subfield `TM`) says how long the member is and which turn it holds; the header's time is
 * the turn's.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';
import type { StoredTurn } from '../../core/index.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** gzip magic, deflate, and the flag for an extra field. */
const MAGIC = Buffer.from([0x1f, 0x8b, 0x08, 0x04]);
/** No compression hint, unknown system, 20 bytes extra: subfield `TM` of 16. Stands after the four bytes of time. */
const MARK = Buffer.from([0x00, 0xff, 20, 0, 0x54, 0x4d, 16, 0]);
const TIME_AT = 4;
const MARK_AT = 8;
const LENGTH_AT = 16;
const TURN_AT = 20;
const TURN_BYTES = 8;
const CHECK_AT = 28;
export const HEADER_BYTES = 32;
const TRAILER_BYTES = 8;
/** Far above any turn; a damaged length must not make us reserve the memory it asks for. */
const MEMBER_BYTES = 256 * 1024 * 1024;
const TURN_TEXT_BYTES = 512 * 1024 * 1024;

export interface MemberHeader {
  /** Of the whole member, header and trailer included. */
  readonly length: number;
  /** Which turn: see `turnKey`. */
  readonly turn: string;
  /** When the turn began, seconds since 1970. */
  readonly time: number;
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

/** The turn in a member, or undefined when it is damaged. */
export async function decodeMember(member: Buffer): Promise<StoredTurn | undefined> {
  if (readHeader(member)?.length !== member.length) return undefined;
  try {
    const options = { maxOutputLength: TURN_TEXT_BYTES };
    const text = await inflate(member.subarray(HEADER_BYTES, -TRAILER_BYTES), options);
    if (crc32(text) !== member.readUInt32LE(member.length - TRAILER_BYTES)) return undefined;
    return JSON.parse(text.toString('utf8')) as StoredTurn; // we wrote it: the checksum says so
  } catch {
    return undefined;
  }
}

/** The header a buffer begins with, or undefined when it begins with anything else. */
export function readHeader(bytes: Buffer): MemberHeader | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (!bytes.subarray(MARK_AT, MARK_AT + MARK.length).equals(MARK)) return undefined;
  if (crc32(bytes.subarray(0, CHECK_AT)) !== bytes.readUInt32LE(CHECK_AT)) return undefined;
  const length = bytes.readUInt32LE(LENGTH_AT);
  if (length <= HEADER_BYTES + TRAILER_BYTES || length > MEMBER_BYTES) return undefined;
  const turn = bytes.toString('hex', TURN_AT, TURN_AT + TURN_BYTES);
  return { length, turn, time: bytes.readUInt32LE(TIME_AT) };
}

/** Where the next header may begin, from `from` on; -1 when there is none in these bytes. */
export function findHeader(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MAGIC, from); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (at + HEADER_BYTES > bytes.length || readHeader(bytes.subarray(at, at + HEADER_BYTES))) return at;
  }
  return -1;
}

/** A turn's id in the header: short, and the same in every revision of the turn. */
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
