/** Reads the result of an import and compares it with that of another import of the same transcripts. */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { Places } from '../src/core/index.ts';

export interface Result {
  /** The text of each day, by path. */
  readonly days: ReadonlyMap<string, string>;
  readonly entries: number;
  /** A hash of each turn's last revision, by project and id. */
  readonly turns: ReadonlyMap<string, string>;
  /** Number of earlier revisions. A turn that was durable but not yet recorded as such when the daemon was killed is written again. */
  readonly repeated: number;
}

/** Reads the given projects only; sessions that ran meanwhile in other projects are not compared. */
export async function resultOf(places: Places, isPart: (project: string) => boolean): Promise<Result> {
  const days = new Map<string, string>();
  let entries = 0;
  for (const path of filesIn(places.journal, /\d\d\.md$/, isPart)) {
    const text = readFileSync(join(places.journal, path), 'utf8');
    days.set(path, text);
    entries += text.split('\n### ').length - 1;
  }
  const turns = new Map<string, string>();
  let repeated = 0;
  for (const path of filesIn(places.turns, /\.jsonl\.gz$/, isPart)) {
    // Files of turns are large: read line by line, so that measuring stays cheap.
    const lines = createInterface({
      input: createReadStream(join(places.turns, path)).pipe(createGunzip()),
      crlfDelay: Infinity,
    });
    for await (const line of lines) {
      const { id } = JSON.parse(line) as { id: string };
      const key = `${path.split('/')[0]} ${id}`;
      if (turns.has(key)) repeated++;
      turns.set(key, hash(line));
    }
  }
  return { days, entries, turns, repeated };
}

/** Describes the differences; empty if both results are the same. */
export function differences(a: Result, b: Result): readonly string[] {
  const found: string[] = [];
  for (const path of new Set([...a.days.keys(), ...b.days.keys()]))
    if (a.days.get(path) !== b.days.get(path))
      found.push(`journal/${path}: ${firstDifference(a.days.get(path) ?? '', b.days.get(path) ?? '')}`);
  for (const key of new Set([...a.turns.keys(), ...b.turns.keys()]))
    if (a.turns.get(key) !== b.turns.get(key))
      found.push(`turn ${key}: ${a.turns.get(key) ?? 'missing'}, ${b.turns.get(key) ?? 'missing'}`);
  return found;
}

function firstDifference(a: string, b: string): string {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, i) => line !== right[i]);
  return `line ${at + 1}\n    ${left[at] ?? '(ends)'}\n    ${right[at] ?? '(ends)'}`;
}

function filesIn(root: string, name: RegExp, isPart: (project: string) => boolean): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path) && isPart(path.split('/')[0] ?? ''))
    .toSorted();
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
