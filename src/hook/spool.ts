/** Puts one redacted event into the spool's inbox: whole or not at all, and durable once it returns. */
import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Places, SpooledEvent } from '../core/index.ts';
import { errnoOf } from './errno.ts';
import { makeFolder } from './folder.ts';

/** Milliseconds with leading zeros, so that names sort by time. */
const TIME_DIGITS = 15;

export type Spooled = { readonly kind: 'spooled' } | { readonly kind: 'failed'; readonly errno: string };

export function spool(places: Places, event: SpooledEvent): Spooled {
  const time = String(Date.parse(event.at)).padStart(TIME_DIGITS, '0');
  const file = join(places.inbox, `${time}-${event.id}.json`);
  const draft = `${file}.tmp`;
  try {
    makeFolder(places.inbox);
    writeDurably(draft, `${JSON.stringify(event)}\n`);
    renameSync(draft, file);
    syncFolder(places.inbox);
    return { kind: 'spooled' };
  } catch (error) {
    discard(draft);
    return { kind: 'failed', errno: errnoOf(error) };
  }
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'w', 0o600);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The rename itself must survive a power cut. Windows knows no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function discard(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never made, or the folder cannot be written; the daemon takes no .tmp for an event.
  }
}
