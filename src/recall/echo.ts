/**
 * Whether what the agent said goes back to a memory it was shown: by telling words of the memory that it cannot have from
 * anywhere else we know of. Meant to be sure rather than complete. Pure.
 */
import type { Memory } from '../core/index.ts';
import { queryWords, tokensOf, words, type Word } from '../database/index.ts';
import { ECHO } from './ranking/weights.ts';

export interface Said {
  /** The agent's own words: its answer, its commands, the names of files it edited. */
  readonly said: string;
  /** What it had before it: prompts, earlier answers, the output of tools. */
  readonly had: string;
  /** Files it read meanwhile: names that stand in them may come from there. */
  readonly read: readonly string[];
}

/** `frequency`: in how many memories each token stands, and how many memories there are. */
export interface Frequency {
  readonly rows: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The words of a memory that could tell, for asking how common they are. */
export function tellingTokens(memory: Memory): readonly string[] {
  return [...units(textOf(memory)).keys()];
}

/** The words that give the echo away; empty where there is none. */
export function echoOf(memory: Memory, { said, had, read }: Said, frequency: Frequency): readonly string[] {
  const known = new Set(words(had).flatMap(tokensOf));
  const fromFiles = memory.files.some((file) => read.some((path) => path.endsWith(file)));
  const common = Math.max(ECHO.commonFrom, ECHO.commonShare * frequency.rows);
  const telling = [...units(textOf(memory))].flatMap(([token, word]) => {
    const isName = word.kind === 'identifier' || word.kind === 'path';
    if (word.weak || known.has(token) || (isName && fromFiles)) return [];
    if (word.parts.length > 0 && word.kind !== 'cjk' && word.parts.every((part) => known.has(part)))
      return [];
    return (frequency.counts.get(token) ?? 0) > common ? [] : [token];
  });
  // A piece of a name is not a word somebody said.
  const spoken = new Set(words(said).flatMap((word) => (word.kind === 'cjk' ? tokensOf(word) : word.whole)));
  const echoed = telling.filter((token) => spoken.has(token));
  const needed = Math.max(ECHO.least, Math.ceil(ECHO.share * Math.min(telling.length, ECHO.counted)));
  return echoed.length >= needed ? echoed : [];
}

function textOf({ title, body, reason = '', facts, files }: Memory): string {
  return [title, body, reason, ...facts, ...files].join('\n');
}

/** The strongest token of each word; of CJK, which has no words, the pairs. */
function units(text: string): ReadonlyMap<string, Word> {
  return new Map(
    queryWords(text).flatMap((word) =>
      (word.kind === 'cjk' ? tokensOf(word) : word.whole.slice(0, 1)).map((token) => [token, word] as const),
    ),
  );
}
