/** A memory prepared for comparison: its sets of words, computed once. Pure. */
import { contentHash, type Memory } from '../../core/index.ts';
import { queryWords, titleWords } from '../../database/index.ts';
import { FILLERS, stanceOf, type Stance } from './_stance.ts';

export interface Statement {
  readonly memory: Memory;
  /** Words of the title. */
  readonly words: ReadonlySet<string>;
  /** Words of the title that are not common in every session. */
  readonly strong: ReadonlySet<string>;
  /** Words of title, body, facts and files. */
  readonly text: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly numbers: string;
  readonly stance: Stance;
  /** Words of what it supports, without words of rejection. */
  readonly upheld: ReadonlySet<string>;
  readonly rejected: readonly ReadonlySet<string>[];
  readonly hash: string;
  readonly isCjk: boolean;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export function statementOf(memory: Memory): Statement {
  const words = new Set(titleWords(memory.title));
  const stance = stanceOf(memory.title);
  const list = [...words];
  let text: ReadonlySet<string> | undefined; // for most pairs the title decides
  return {
    memory,
    words,
    strong: new Set(
      queryWords(memory.title)
        .filter(({ weak }) => !weak)
        .flatMap(({ surface }) => titleWords(surface)),
    ),
    get text() {
      return (text ??= textWords(memory));
    },
    files: new Set(memory.files),
    numbers: list
      .filter((word) => /\d/.test(word) && !/^[a-z_./-]*[a-z]{3}[a-z_./-]*\d?$/.test(word))
      .toSorted()
      .join(' '),
    stance,
    upheld: new Set(titleWords(stance.upheld).filter((word) => !FILLERS.has(word))),
    rejected: stance.rejected.map((thing) => new Set(titleWords(thing))).filter(({ size }) => size > 0),
    hash: textHash(memory),
    isCjk: list.filter((word) => CJK.test(word)).length * 2 >= list.length && list.length > 0,
  };
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
