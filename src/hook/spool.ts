/** Writes one redacted event to the spool's inbox, atomically and durably. */
import { join } from 'node:path';
import type { Places, SpooledEvent } from '../core/index.ts';
import { makeFolderSync, writeAtomicallySync } from '../files/index.ts';
import { errnoOf } from './errno.ts';

/** Milliseconds with leading zeros, so that names sort by time. */
const TIME_DIGITS = 15;

export type Spooled = { readonly kind: 'spooled' } | { readonly kind: 'failed'; readonly errno: string };

export function spool(places: Places, event: SpooledEvent): Spooled {
  const time = String(Date.parse(event.at)).padStart(TIME_DIGITS, '0');
  const file = join(places.inbox, `${time}-${event.id}.json`);
  try {
    makeFolderSync(places.inbox);
    writeAtomicallySync(file, `${JSON.stringify(event)}\n`);
    return { kind: 'spooled' };
  } catch (error) {
    return { kind: 'failed', errno: errnoOf(error) };
  }
}
