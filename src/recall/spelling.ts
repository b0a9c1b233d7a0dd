/**
 * Corrects the words of a query that no entry contains, by the nearest word of the index. Only for searches of people and
 * agents: a hook never asks for it. Reads words in steps and stops after a time, so a huge index costs no more.
 */
import {
  queryWords,
  tokensOf,
  words,
  type MemoryIndex,
  type Vocabulary,
  type Word,
} from '../database/index.ts';
import { parseQuery } from './query.ts';

/** A word that was replaced. */
export interface Correction {
  readonly typed: string;
  readonly used: string;
}

export interface Spelled {
  /** The query to search for. */
  readonly text: string;
  readonly corrections: readonly Correction[];
}

/** Shorter words have too many neighbours; longer ones are not words. */
const CORRECTABLE = /^\p{L}{4,30}$/u;
/** More unknown words are a text, not a query with typos. */
const MOST_CORRECTED = 4;
/** Mistakes in a word of this length: one in a short word, two in a longer one. */
const LONG_WORD = 6;
/** A person hardly notices this wait, and it happens only for a word that no entry contains. */
const SPELLING_MS = 250;
/** Words read at a time. */
const STEP = 1000;
/** Tokens are stems; of so many near ones the written forms are compared. */
const NEAR_TOKENS = 12;
/** Letters that stemming removes at most: `ation`. */
const LONGEST_SUFFIX = 5;
/** Texts searched for the written form of a stem, and characters of each. */
const FORM_TEXTS = 5;
const FORM_CHARS = 20_000;

/** `spelled(index, 'refesh tokne', now)` → `refresh token` */
export function spelled(
  index: MemoryIndex,
  text: string,
  now: Date,
  clock: () => number = () => performance.now(),
): Spelled {
  const unknown = unknownWords(index, parseQuery(text, now).text);
  if (unknown.length === 0 || unknown.length > MOST_CORRECTED) return { text, corrections: [] };
  const end = clock() + SPELLING_MS;
  const corrections = unknown.flatMap((typed): readonly Correction[] => {
    const used = nearest(index, typed, () => clock() < end);
    return used === undefined ? [] : [{ typed, used }];
  });
  return { text: corrections.reduce(replaced, text), corrections };
}

/** `No entry contains refesh; searched for refresh.` */
export function correctionNote({ typed, used }: Correction): string {
  return `No entry contains ${typed}; searched for ${used}.`;
}

/** Plain words that occur in no memory or turn. */
function unknownWords(index: MemoryIndex, text: string): readonly string[] {
  const plain = queryWords(text).filter(({ kind, surface }) => kind === 'plain' && CORRECTABLE.test(surface));
  const tokens = plain.flatMap(tokensOf);
  if (tokens.length === 0) return [];
  const counts = [index.memoryFrequencies(tokens), index.turnFrequencies(tokens)];
  const isUnknown = (word: Word): boolean =>
    tokensOf(word).every((token) => counts.every((one) => (one.counts.get(token) ?? 0) === 0));
  return plain.filter(isUnknown).map(({ surface }) => surface);
}

/** Memories first, because turns have more words that are misspelt themselves. */
function nearest(index: MemoryIndex, typed: string, hasTime: () => boolean): string | undefined {
  for (const table of ['memory', 'turn'] as const)
    for (const start of startsOf(typed)) {
      const found = nearestIn(index, table, typed, start, hasTime);
      if (found !== undefined) return found;
    }
  return undefined;
}

/** The first letter is rarely wrong; if it is, it is mostly swapped with the second. The empty start means every word. */
function startsOf(typed: string): readonly string[] {
  const [first = '', second = ''] = typed;
  return [...new Set([first, second])].concat(/^[a-z]/.test(typed) ? [''] : []);
}

function nearestIn(
  index: MemoryIndex,
  table: Vocabulary,
  typed: string,
  start: string,
  hasTime: () => boolean,
): string | undefined {
  const most = typed.length < LONG_WORD ? 1 : 2;
  const near: { readonly token: string; readonly count: number; readonly away: number }[] = [];
  const before = start === '' ? '{' : `${start}\u{10FFFF}`;
  let after = start === '' ? 'a' : start;
  while (hasTime()) {
    const step = index.vocabulary(table, { after, before, limit: STEP });
    for (const { token, count } of step) {
      if (!/^\p{L}{3,}$/u.test(token) || token.length > typed.length + most) continue;
      if (token.length < typed.length - LONGEST_SUFFIX) continue;
      const away = distance(typed, token).ofStart;
      if (away <= most) near.push({ token, count, away });
    }
    after = step.at(-1)?.token ?? before;
    if (step.length < STEP) break;
  }
  const gap = (token: string): number => Math.abs(token.length - typed.length);
  const best = near
    .toSorted((a, b) => a.away - b.away || gap(a.token) - gap(b.token) || b.count - a.count)
    .slice(0, NEAR_TOKENS)
    .flatMap(({ token, count }) =>
      formsOf(index, table, token).map((form) => ({ form, count, away: distance(typed, form).whole })),
    )
    .filter(({ away }) => away <= most)
    .toSorted((a, b) => a.away - b.away || b.count - a.count);
  return best[0]?.form;
}

/** The words that entries write for a token, the most frequent first. */
function formsOf(index: MemoryIndex, table: Vocabulary, token: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of index.textsWith(table, token, FORM_TEXTS))
    for (const { whole, surface } of words(text.slice(0, FORM_CHARS)))
      if (whole[0] === token) counts.set(surface, (counts.get(surface) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([form]) => form);
}

/** Not inside of a filter, a path or another word. */
function replaced(text: string, { typed, used }: Correction): string {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_:/.-])${typed}(?![\\p{L}\\p{N}_:/-]|\\.\\p{L})`, 'giu');
  const changed = text.replace(word, used);
  // A form that folding changed (`é`) is not found; then the word is added.
  return changed === text ? `${text} ${used}` : changed;
}

/**
 * Letters to add, drop, replace or swap with their neighbour: between both words, and between `stem` and the nearest
 * beginning of `word`.
 */
function distance(word: string, stem: string): { readonly whole: number; readonly ofStart: number } {
  const [a, b] = [[...word], [...stem]];
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  let ofStart = last[b.length] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const steps = [(last[j - 1] ?? 0) + (isSame ? 0 : 1), (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps.push((beforeLast[j - 2] ?? 0) + 1);
      row.push(Math.min(...steps));
    }
    beforeLast = last;
    last = row;
    ofStart = Math.min(ofStart, row[b.length] ?? 0);
  }
  return { whole: last[b.length] ?? 0, ofStart };
}
