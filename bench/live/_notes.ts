/**
 * Reads the note lines of recorded answers, and replaces the ids in them by those of another run. Deliberately not the
 * product's parser, which it measures. Pure.
 */
import type { Known } from './_projects.ts';

export interface Reference {
  readonly id?: string;
  /** The first words of a note. */
  readonly words?: string;
}

export interface Note {
  /** Missing if the note only ends, adds to or keeps entries. */
  readonly kind?: string;
  readonly verb?: 'ends' | 'adds to' | 'keeps';
  readonly targets: readonly Reference[];
  readonly text: string;
  readonly quote: string;
}

const LINE = /^(\s*(?:[-*]\s*)?\**Noted\s*\()((?:[^()"]|"[^"]*")*)(\)\**\s*:?\s*(.*))$/u;
/** Up to a trigger: `decision, ends 644beex, before "git push"`. */
const VERB = /\b(ends|adds to|keeps)\b((?:[^"]|"[^"]*")*?)(?=$|,\s*(?:before|on|until)\b)/;
const KIND = /^\s*(preference|decision|dead_end|discovery|issue|bugfix|pattern|feature|refactor|state)\b/;
const TARGET = /"([^"]+)"|([0-9a-z]{6,16})/g;
const QUOTE = /\s*\(["“](.*)["”]\)\s*$/su;
/** Below this, two titles are about different things. */
const MIN_LIKENESS = 0.15;
const SAME_KIND = 0.1;

export function notesIn(answer: string): readonly Note[] {
  return answer.split('\n').flatMap((line) => {
    const [, , head, , rest = ''] = LINE.exec(line) ?? [];
    if (head === undefined) return [];
    const kind = KIND.exec(head)?.[1];
    const [, verb, after = ''] = VERB.exec(head) ?? [];
    return {
      ...(kind === undefined ? {} : { kind }),
      ...(verb === undefined ? {} : { verb: verb as 'ends' }), // the three alternatives of VERB
      targets: [...after.matchAll(TARGET)].map(([, words, id = '']) => (words ? { words } : { id })),
      text: rest.replace(QUOTE, '').trim(),
      quote: QUOTE.exec(rest)?.[1] ?? '',
    };
  });
}

export function idsIn(answer: string): readonly string[] {
  return notesIn(answer).flatMap(({ targets }) => targets.flatMap(({ id }) => id ?? []));
}

export function withIds(answer: string, newIdOf: (id: string) => string): string {
  const renamed = (after: string): string =>
    after.replace(TARGET, (all, _words, id?: string) => (id === undefined ? all : newIdOf(id)));
  const line = (_: string, before: string, head: string, rest: string): string =>
    before + head.replace(VERB, (_, verb: string, after: string) => verb + renamed(after)) + rest;
  return answer
    .split('\n')
    .map((one) => one.replace(LINE, line))
    .join('\n');
}

/** The brief shows the end of an id; a beginning counts too. */
export function hasId(entry: { readonly id: string }, id: string): boolean {
  return entry.id.endsWith(id) || entry.id.startsWith(id);
}

/** Returns the entry of the same turn whose title is nearest to the one that the player named. */
export function likest<T extends Known>(known: Known, entries: readonly T[]): T | undefined {
  const likeness = ({ kind, title }: T): number =>
    common(known.title, title) + (kind === known.kind ? SAME_KIND : 0);
  const ofTurn = entries.filter(({ turnKey }) => turnKey === known.turnKey);
  const [best] = ofTurn.toSorted((a, b) => likeness(b) - likeness(a));
  return best && likeness(best) > MIN_LIKENESS ? best : undefined;
}

/** The share of their words that two texts have in common. */
function common(a: string, b: string): number {
  const [x, y] = [wordsOf(a), wordsOf(b)];
  const both = [...x].filter((word) => y.has(word)).length;
  return both / (x.size + y.size - both || 1);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
}
