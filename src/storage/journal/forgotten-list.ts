/**
 * The list of forgotten memories in a shared journal: one JSON line per tombstone, without any text of the memory. The
 * lists of several machines are read together; lines may be in any order and repeated. Pure.
 */
import * as v from 'valibot';
import { ID_PATTERN } from '../../core/index.ts';
import type { SharedTombstone } from './types.ts';

const Line = v.object({
  memory: v.pipe(v.string(), v.regex(ID_PATTERN)),
  at: v.pipe(
    v.string(),
    v.check((text) => !Number.isNaN(Date.parse(text))),
  ),
  turn: v.string(),
  hash: v.string(),
  state: v.picklist(['hidden', 'erased', 'lifted']),
});

/** Of two tombstones of the same time the later state in this list counts. */
const STATES: readonly SharedTombstone['state'][] = ['lifted', 'hidden', 'erased'];

export function addToList(text: string | null, tombstones: readonly SharedTombstone[]): string {
  const known = new Set((text ?? '').split('\n'));
  const lines = tombstones.map(({ memory, at, turn, hash, state }) =>
    JSON.stringify({ memory, at, turn, hash, state }),
  );
  const fresh = lines.filter((line) => !known.has(line));
  if (fresh.length === 0) return text ?? '';
  const before = text === null || text === '' || text.endsWith('\n') ? (text ?? '') : `${text}\n`;
  return `${before}${fresh.join('\n')}\n`;
}

/** Returns the latest tombstone of each memory. Skips lines that cannot be read, such as conflict marks. */
export function latestTombstones(texts: readonly string[]): readonly SharedTombstone[] {
  const latest = new Map<string, SharedTombstone>();
  for (const line of texts.flatMap((text) => text.split(/\r?\n/))) {
    const tombstone = parse(line);
    const known = tombstone && latest.get(tombstone.memory);
    if (tombstone && (!known || isLater(tombstone, known))) latest.set(tombstone.memory, tombstone);
  }
  return [...latest.values()];
}

export function isLater(
  a: Pick<SharedTombstone, 'at' | 'state'>,
  b: Pick<SharedTombstone, 'at' | 'state'>,
): boolean {
  const [x, y] = [Date.parse(a.at), Date.parse(b.at)];
  return x === y ? STATES.indexOf(a.state) > STATES.indexOf(b.state) : x > y;
}

/** Returns the lines of both versions of a list. */
export function joinLists(ours: string, theirs: string): string {
  const lines = [ours, theirs].flatMap((text) => text.split(/\r?\n/)).filter((line) => line !== '');
  return [...new Set(lines)].map((line) => `${line}\n`).join('');
}

function parse(line: string): SharedTombstone | undefined {
  try {
    const parsed = v.safeParse(Line, JSON.parse(line));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
