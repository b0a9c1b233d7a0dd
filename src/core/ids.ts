/**
 * Derives ids from content, never at random: the same turn always gives the same ids, so replaying changes nothing.
 * Crockford base32 keeps them short, readable and sorted by time.
 */
import { createHash } from 'node:crypto';
import type { Memory } from './memory.ts';
import { HASH_LENGTH, TIME_LENGTH } from './words/index.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const REVISION_LENGTH = 16;

export const ID_PATTERN = /^[0-9a-hjkmnp-tv-z]{14}$/;

/** `memoryId('2026-11-15T14:32:05Z', turn.id, 'decision', 0)` → `1ja0p3h7k2m9qx` */
export function memoryId(turnTime: string, turnId: string, kind: string, ordinal: number): string {
  return encodeTime(turnTime) + shortHash(`${turnId}\n${kind}\n${ordinal}`, HASH_LENGTH);
}

/** Returns the time that an id was derived from, to the second. */
export function timeOfId(id: string): Date {
  let seconds = 0;
  for (const char of id.slice(0, TIME_LENGTH)) seconds = seconds * 32 + ALPHABET.indexOf(char);
  return new Date(seconds * 1000);
}

/** Returns a short, stable, lower-case hash of a text. */
export function shortHash(text: string, length: number): string {
  const digest = createHash('sha256').update(text).digest();
  let out = '';
  for (let i = 0; i < length; i++) out += ALPHABET[(digest[i] ?? 0) & 31];
  return out;
}

/** Returns the full hash, for deduplication and tombstones. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns a short hash that changes with anything an entry says, its state included. */
export function revisionOf(memory: Memory): string {
  return contentHash(JSON.stringify(memory)).slice(0, REVISION_LENGTH);
}

function encodeTime(iso: string): string {
  const millis = Date.parse(iso);
  if (Number.isNaN(millis)) throw new RangeError(`not a time: ${iso}`);
  let seconds = Math.max(0, Math.floor(millis / 1000));
  let out = '';
  for (let i = 0; i < TIME_LENGTH; i++) {
    out = ALPHABET[seconds % 32] + out;
    seconds = Math.floor(seconds / 32);
  }
  return out;
}
