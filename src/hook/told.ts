/** Keeps a message from being told again and again. Where no marker can be written, it is told. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../core/index.ts';
import { makeFolderSync } from '../files/index.ts';
import type { MessageCode } from './messages.ts';

/** A trouble that lasts is worth a reminder once a day. */
const AGAIN_AFTER_MS = 24 * 60 * 60 * 1000;

/** Those of the messages that were not told lately; they count as told now. */
export function untold(places: Places, codes: readonly MessageCode[], now: number): MessageCode[] {
  return codes.filter((code) => {
    const marker = join(places.told, code);
    if (toldSince(marker, now - AGAIN_AFTER_MS)) return false;
    mark(places, marker, now);
    return true;
  });
}

function toldSince(marker: string, since: number): boolean {
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
    // The home that cannot be written is what the message is about.
  }
}
