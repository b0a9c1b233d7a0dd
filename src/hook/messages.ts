/** All messages of the hook client to the user. The model never sees them; each ends with the next step. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../core/index.ts';
import { makeFolderSync } from '../files/index.ts';

export const MESSAGES = {
  'no-node':
    'Tidemark: no Node was found, so nothing is remembered. Install Node 22.13 or newer, then run `tidemark repair`.',
  'broken-node':
    'Tidemark: this Node cannot run it, so nothing is remembered. Install Node 22.13 or newer, then run `tidemark repair`.',
  'missing-program':
    'Tidemark: its program files are missing, so nothing is remembered. Run `npm start` in its folder, or `tidemark repair`.',
  'old-node':
    'Tidemark: the daemon needs Node 22.13 or newer, so nothing is recalled; events are kept. Install a newer Node, then run `tidemark repair`.',
  'missing-module':
    'Tidemark: the daemon is not built, so nothing is recalled; events are kept. Run `npm start` in its folder, or `tidemark repair`.',
  'daemon-cannot-start':
    'Tidemark: the daemon could not start, so nothing new is recalled; events are kept. Run `tidemark doctor` to see why.',
  'disk-full':
    'Tidemark: the disk is full, so nothing is remembered. Free some space; capture then continues by itself.',
  'not-permitted':
    'Tidemark: its data folder cannot be written, so nothing is remembered. Run `tidemark doctor` to see which folder and why.',
  refused:
    'Tidemark: the daemon refused this event; it is kept. Run `tidemark repair` so that hook and daemon have the same version.',
  'timed-out':
    'Tidemark: the daemon did not answer in time and is being replaced; events are kept. If this happens again, run `tidemark doctor`.',
} as const;

export type MessageCode = keyof typeof MESSAGES;

/** Returns the message for a failed write. */
export function messageForErrno(errno: string): MessageCode {
  return errno === 'ENOSPC' || errno === 'EDQUOT' ? 'disk-full' : 'not-permitted';
}

/** Adds messages to a line of hook output, which may be empty. */
export function withMessages(output: string, codes: readonly MessageCode[]): string {
  if (codes.length === 0) return output;
  const message = codes.map((code) => MESSAGES[code]).join('\n');
  const answer: Record<string, unknown> = output === '' ? {} : JSON.parse(output);
  const existing = answer['systemMessage'];
  return JSON.stringify({
    ...answer,
    systemMessage: typeof existing === 'string' ? `${existing}\n${message}` : message,
  });
}

/** A lasting problem is shown once a day. */
const AGAIN_AFTER_MS = 24 * 60 * 60 * 1000;

/** Returns the messages that were not shown in the last day, and marks them as shown. */
export function notShownLately(places: Places, codes: readonly MessageCode[], now: number): MessageCode[] {
  return codes.filter((code) => {
    const marker = join(places.told, code);
    if (shownSince(marker, now - AGAIN_AFTER_MS)) return false;
    mark(places, marker, now);
    return true;
  });
}

function shownSince(marker: string, since: number): boolean {
  try {
    return statSync(marker).mtimeMs > since;
  } catch {
    return false;
  }
}

function mark(places: Places, marker: string, now: number): void {
  try {
    makeFolderSync(places.told);
    writeFileSync(marker, `${new Date(now).toISOString()}\n`, { mode: 0o600 });
  } catch {
    // The message is about the home not being writable.
  }
}
