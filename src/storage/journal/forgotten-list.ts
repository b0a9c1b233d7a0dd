/**
 * The list of what was forgotten that travels with a shared journal: one line of JSON for each word on a memory, without
 * any of its text. Lists of several machines are read together; lines may come in any order and twice. Pure.
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

/** Of two words said at the same time the later step counts. */
const STEPS: readonly SharedTombstone['state'][] = ['lifted', 'hidden', 'erased'];

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

/** The last word on each memory. What cannot be read, a conflict mark for one, is passed over. */
export function lastWords(texts: readonly string[]): readonly SharedTombstone[] {
  const words = new Map<string, SharedTombstone>();
  for (const line of texts.flatMap((text) => text.split(/\r?\n/))) {
    const word = parse(line);
    const known = word && words.get(word.memory);
    if (word && (!known || isLater(word, known))) words.set(word.memory, word);
  }
  return [...words.values()];
}

export function isLater(
  a: Pick<SharedTombstone, 'at' | 'state'>,
  b: Pick<SharedTombstone, 'at' | 'state'>,
): boolean {
  const [x, y] = [Date.parse(a.at), Date.parse(b.at)];
  return x === y ? STEPS.indexOf(a.state) > STEPS.indexOf(b.state) : x > y;
}

/** All lines of both, for merging two versions of a list. */
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
