/** Measures of a session, computed from its turns. Pure. */
import type { StoredTurn } from '../../core/index.ts';
import { words } from '../../database/index.ts';

export const MEASURES = [
  'turns',
  'toolCalls',
  'failedCommands',
  'filesReadAgain',
  'promptsAskedAgain',
] as const;
export type Measure = (typeof MEASURES)[number];

/** Share of common words from which a prompt repeats an earlier one; shorter prompts ("go on") do not count. */
const SAME_PROMPT = 0.7;
const LEAST_WORDS = 4;

/** Number of turns, and everything else per turn, because sessions differ in length. */
export function measuresOf(turns: readonly StoredTurn[]): Readonly<Record<Measure, number>> {
  const asked = turns.filter(({ origin }) => origin === 'person');
  const tools = turns.flatMap((turn) => turn.tools);
  const reads = tools.flatMap(({ read }) => read);
  const per = (count: number): number => count / Math.max(1, asked.length);
  return {
    turns: asked.length,
    toolCalls: per(tools.length),
    failedCommands: per(
      tools.filter(({ command, status }) => command !== undefined && status === 'error').length,
    ),
    filesReadAgain: per(reads.length - new Set(reads).size),
    promptsAskedAgain: per(askedAgain(asked)),
  };
}

function askedAgain(turns: readonly StoredTurn[]): number {
  const prompts = turns.map(({ prompt }) => new Set(words(prompt).map(({ surface }) => surface)));
  return prompts.filter((prompt, i) => prompts.slice(0, i).some((earlier) => isSame(earlier, prompt))).length;
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < LEAST_WORDS) return false;
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared) >= SAME_PROMPT;
}
