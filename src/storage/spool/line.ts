/**
 * One accepted event as a line of the spool: `{"sum":"1a2b3c4d","event":{"id":"…",…}}`. The checksum of the event's
 * bytes detects a cut line; the id comes first so that it can be read without parsing.
 */
import { crc32 } from 'node:zlib';
import type { SpooledEvent } from '../../core/index.ts';
import { readSpooledEvent } from '../../privacy/index.ts';

/** An id is also a file name in the quarantine folder. */
export const EVENT_ID = /^[A-Za-z0-9-]{8,80}$/;

const HEAD = '{"sum":"';
const SUM_LENGTH = 8;
const MIDDLE = '","event":';
const EVENT_START = HEAD.length + SUM_LENGTH + MIDDLE.length;
const TAIL = '}';
const ID_HEAD = '{"id":"';
const LONGEST_ID = 80;

export type SpoolLine =
  | { readonly ok: true; readonly event: SpooledEvent }
  | { readonly ok: false; readonly reason: string };

export function encodeLine(event: SpooledEvent): Buffer {
  const { id, ...rest } = event;
  const body = JSON.stringify({ id, ...rest });
  return Buffer.from(`${HEAD}${sumOf(body)}${MIDDLE}${body}${TAIL}\n`);
}

export function decodeLine(bytes: Buffer): SpoolLine {
  const body = bodyOf(bytes);
  if (!body) return { ok: false, reason: 'the line is damaged: its checksum does not match' };
  return readEvent(body.toString('utf8'));
}

/** Reads an event from JSON text of the spool or the inbox. */
export function readEvent(json: string): SpoolLine {
  const event = readSpooledEvent(parseJson(json));
  if (!event) return { ok: false, reason: 'not an event that this version understands' };
  if (!EVENT_ID.test(event.id)) return { ok: false, reason: 'the event has no valid id' };
  return { ok: true, event };
}

/** Returns the event's id if the line is complete. */
export function idOfLine(bytes: Buffer): string | undefined {
  const body = bodyOf(bytes);
  const head = body?.toString('latin1', 0, ID_HEAD.length + LONGEST_ID + 1);
  if (!head?.startsWith(ID_HEAD)) return undefined;
  const id = head.slice(ID_HEAD.length, head.indexOf('"', ID_HEAD.length));
  return EVENT_ID.test(id) ? id : undefined;
}

function bodyOf(bytes: Buffer): Buffer | undefined {
  const body = bytes.subarray(EVENT_START, -TAIL.length);
  const frame = HEAD + sumOf(body) + MIDDLE;
  return bytes.length > EVENT_START && bytes.toString('latin1', 0, EVENT_START) === frame ? body : undefined;
}

function sumOf(body: string | Buffer): string {
  return crc32(body).toString(16).padStart(SUM_LENGTH, '0');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
