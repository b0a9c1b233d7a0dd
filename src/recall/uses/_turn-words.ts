/**
 * The words that the agent brought into a turn by itself: in its answer, its commands and its edits, without those it had
 * from prompts, earlier answers or the results of tools. A command is compared with what came before it, because its own
 * output repeats it. Pure.
 */
import { pipelinesOf, type ToolCall } from '../../core/index.ts';
import { tokensOf, words, type Word } from '../../database/index.ts';

/** The texts of a turn, its calls in order. */
export interface TurnTexts {
  /** Prompts and earlier answers. */
  readonly had: string;
  readonly answer: string;
  readonly tools: readonly ToolCall[];
  /** Files that the agent read, whose names and identifiers it may use. */
  readonly read: readonly string[];
}

/** The tokens of one command, or of the words that one edit added. */
export interface Act {
  readonly tokens: ReadonlySet<string>;
  /** Tokens that the agent had not seen before. */
  readonly fresh: ReadonlySet<string>;
  /** Programs that a command starts: `pnpm` of `CI=1 pnpm install`. */
  readonly programs: ReadonlySet<string>;
}

export interface TurnWords {
  /** Whole words of answer, commands, edits and names of edited files that the agent had not seen before. */
  readonly own: ReadonlySet<string>;
  readonly acts: readonly Act[];
  /** Everything that the agent had seen at the end. */
  readonly known: ReadonlySet<string>;
}

export function turnWords({ had, answer, tools }: TurnTexts): TurnWords {
  const known = new Set(allTokens(had));
  const named = new Set<string>();
  const freshIn = (all: readonly Word[]): readonly string[] =>
    all.filter((word) => !isKnown(word, known)).flatMap(spoken);
  const acts = tools
    .filter(({ status }) => status !== 'denied')
    .map(({ command = '', edited, wrote = [], output = '', errors }): Act => {
      const said = words([command, ...wrote].join('\n'));
      const fresh = new Set(freshIn(said));
      for (const token of freshIn(words(edited.join('\n')))) named.add(token);
      for (const token of allTokens([output, ...errors].join('\n'))) known.add(token);
      return { tokens: new Set(said.flatMap(tokensOf)), fresh, programs: new Set(programsIn(command)) };
    });
  const own = [...freshIn(words(answer)), ...named, ...acts.flatMap(({ fresh }) => [...fresh])];
  return { own: new Set(own), acts, known };
}

/** Whether the agent had the word, or all parts of it: anyone can make `rotateToken` of "rotate the token". */
export function isKnown({ kind, whole, parts }: Word, known: ReadonlySet<string>): boolean {
  if (whole.some((token) => known.has(token))) return true;
  return kind !== 'cjk' && parts.length > 0 && parts.every((part) => known.has(part));
}

const allTokens = (text: string): readonly string[] => words(text).flatMap(tokensOf);

/** A part of an identifier does not count as said; CJK has no words but pairs. */
function spoken(word: Word): readonly string[] {
  return word.kind === 'cjk' ? tokensOf(word) : word.whole;
}

const ASSIGNMENT = /^\w+=/;
/** Programs that start the next word. */
const RUNNERS: ReadonlySet<string> = new Set(['sudo', 'env', 'time', 'nice', 'exec', 'npx', 'command']);

function programsIn(command: string): readonly string[] {
  return pipelinesOf(command)
    .flat()
    .flatMap(({ words: all }) => all.find((word) => !ASSIGNMENT.test(word) && !RUNNERS.has(word)) ?? [])
    .flatMap((program) => words(program).flatMap(spoken).slice(-1));
}
