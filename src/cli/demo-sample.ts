/** Copies the bundled sample for a demo, with its days moved so that the last one is yesterday. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readTextSync, TRANSCRIPT_BYTES } from '../files/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const TIMESTAMP = /(?<="timestamp":")\d{4}-\d\d-\d\dT[\d:.]+Z(?=")/g;

export function copySample(from: string, to: string, now: Date): void {
  const names = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const texts = names.map((name) => readTextSync(join(from, name), TRANSCRIPT_BYTES));
  for (const [i, text] of untilYesterday(texts, now).entries()) {
    const path = join(to, names[i] ?? '');
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
}

/** Moves all times by the same number of whole days. Keeps the texts if they are from yesterday or later. */
export function untilYesterday(texts: readonly string[], now: Date): readonly string[] {
  const times = texts.flatMap((text) => text.match(TIMESTAMP) ?? []).map((time) => Date.parse(time));
  const today = dayOf(now.getTime());
  const days = Math.max(0, today - 1 - dayOf(Math.max(...times)));
  const moved = (time: string): string => new Date(Date.parse(time) + days * DAY_MS).toISOString();
  return texts.map((text) => text.replaceAll(TIMESTAMP, moved));
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
