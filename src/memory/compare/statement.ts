/** A memory prepared for comparison: its sets of words, computed once. Pure. */
import { contentHash, type Memory } from '../../core/index.ts';
import { queryWords, titleWords } from '../../database/index.ts';
import { numbersOf } from './_numbers.ts';
import { isSmallWord, phrasesOf, type Phrase } from './_phrases.ts';
import { isFiller, stanceOf, withoutFillers, type Rejection, type Stance } from './_stance.ts';
import { subjectOf, type Subject } from './subject.ts';

/** A thing that a title rejects, as words. */
export interface Rejected extends Omit<Rejection, 'thing'> {
  readonly words: ReadonlySet<string>;
}

export interface Statement {
  readonly memory: Memory;
  /** Words of the title. */
  readonly words: ReadonlySet<string>;
  /** Words of the title that are not common in every session. */
  readonly strong: ReadonlySet<string>;
  /** Words of title, body, facts and files. */
  readonly text: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly subject: Subject;
  readonly stance: Stance;
  /** Words of what it supports, without values, rejected things and words of change. */
  readonly about: ReadonlySet<string>;
  readonly phrases: readonly Phrase[];
  readonly rejected: readonly Rejected[];
  readonly hash: string;
  readonly isCjk: boolean;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export function statementOf(memory: Memory): Statement {
  const words = new Set(titleWords(memory.title));
  const list = [...words];
  const stance = once(() => stanceOf(memory.title));
  const subject = once(() => subjectOf(memory.title));
  const strong = once(() => strongWords(memory.title));
  const text = once(() => textWords(memory));
  const about = once(() => aboutWords(stance().upheld));
  const phrases = once(() => phrasesOf(stance().upheld));
  const rejected = once(() => rejectedThings(stance()));
  return {
    memory,
    words,
    files: new Set(memory.files),
    hash: textHash(memory),
    isCjk: list.filter((word) => CJK.test(word)).length * 2 >= list.length && list.length > 0,
    // For most pairs the words of the titles decide; the rest is computed when it is needed.
    get stance() {
      return stance();
    },
    get subject() {
      return subject();
    },
    get strong() {
      return strong();
    },
    get text() {
      return text();
    },
    get about() {
      return about();
    },
    get phrases() {
      return phrases();
    },
    get rejected() {
      return rejected();
    },
  };
}

function once<T extends object>(compute: () => T): () => T {
  let known: T | undefined;
  return () => (known ??= compute());
}

function strongWords(title: string): ReadonlySet<string> {
  return new Set(
    queryWords(title)
      .filter(({ weak }) => !weak)
      .flatMap(({ surface }) => titleWords(surface)),
  );
}

function aboutWords(upheld: string): ReadonlySet<string> {
  const { rest } = numbersOf(upheld);
  const words = titleWords(CJK.test(rest) ? withoutFillers(rest) : rest);
  return new Set(words.filter((word) => !isFiller(word) && !isSmallWord(word) && /[^\d.]/.test(word)));
}

function rejectedThings({ rejected }: Stance): readonly Rejected[] {
  return rejected
    .map(({ thing, ...rest }) => ({
      ...rest,
      words: new Set(titleWords(thing).filter((word) => /\D/.test(word))),
    }))
    .filter(({ words }) => words.size > 0);
}

function textWords({ title, body, facts, files }: Memory): ReadonlySet<string> {
  return new Set([title, body, ...facts, ...files].flatMap((part) => titleWords(part)));
}

/** Hashes title and body without case, punctuation and white space. */
export function textHash({ title, body }: Pick<Memory, 'title' | 'body'>): string {
  const plain = `${title}\n${body}`
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}+#]+/gu, ' ')
    .trim();
  return contentHash(plain);
}

export function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const word of a) if (b.has(word)) count++;
  return count;
}

/** Jaccard similarity: the share of all words that both have. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = shared(a, b);
  const all = a.size + b.size - both;
  return all === 0 ? 0 : both / all;
}
