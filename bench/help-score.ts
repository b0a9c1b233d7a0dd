/**
 * Decides whether an answer to a task of `bench:help` is right, by the checks written with the task, and counts. Pure.
 */
import type { MemoryKind } from '../src/core/index.ts';
import { isDenial } from './label-words.ts';

export interface HelpTask {
  readonly id: string;
  readonly prompt: string;
  /** Labels of the project that an answer needs; none for a control, where memory should not matter. */
  readonly needs: readonly string[];
  /** Patterns: of each group, one must match. */
  readonly must: readonly (readonly string[])[];
  /** Patterns of wrong answers. A sentence that rejects one does not count: "No captcha". */
  readonly not?: readonly string[];
}

export const CONDITIONS = ['none', 'tidemark', 'ideal'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** An answer to a task, and what it was given. */
export interface Answered {
  readonly project: string;
  readonly task: HelpTask;
  readonly condition: Condition;
  /** The group of the table: a kind of label, `replaced` for tasks about something that ended, or `control`. */
  readonly kind: MemoryKind | 'replaced' | 'control';
  readonly tokens: number;
  readonly answer: string;
}

export interface Share {
  readonly count: number;
  readonly of: number;
}

export interface ConditionScore {
  readonly condition: Condition;
  readonly needed: Share;
  readonly controls: Share;
  /** Mean tokens of context per task. */
  readonly tokens: number;
  readonly kinds: ReadonlyMap<Answered['kind'], Share>;
}

export interface Verdict {
  readonly right: boolean;
  /** Groups of `must` without a match, by number. */
  readonly missing: readonly number[];
  /** Patterns of `not` that matched. */
  readonly wrong: readonly string[];
}

export function judge(answer: string, { must, not = [] }: Pick<HelpTask, 'must' | 'not'>): Verdict {
  const text = answer.normalize('NFC');
  const accepted = text
    .split(SENTENCE_END)
    .filter((sentence) => !rejects(sentence))
    .join('\n');
  const missing = must.flatMap((group, i) => (group.some((one) => pattern(one).test(text)) ? [] : [i]));
  const wrong = not.filter((one) => pattern(one).test(accepted));
  return { right: missing.length === 0 && wrong.length === 0, missing, wrong };
}

export function scoreOf(condition: Condition, answered: readonly Answered[]): ConditionScore {
  const own = answered.filter((one) => one.condition === condition);
  const share = (some: readonly Answered[]): Share => ({
    count: some.filter(({ answer, task }) => judge(answer, task).right).length,
    of: some.length,
  });
  return {
    condition,
    needed: share(own.filter(({ kind }) => kind !== 'control')),
    controls: share(own.filter(({ kind }) => kind === 'control')),
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, own.length),
    kinds: new Map(
      [...Map.groupBy(own, ({ kind }) => kind)].map(([kind, some]) => [kind, share(some)] as const),
    ),
  };
}

/** A dot inside a number, a file name or a call ends no sentence. */
const SENTENCE_END = /[.!?;](?=\s|$)|\n+/u;
/** Besides the words of a denial. */
const REJECTION =
  /(?<!\p{L})(?:en lugar de|en vez de|evita\p{L}*|vermeid\p{L}*|anstelle|ruled out|unlike)(?!\p{L})/iu;

function rejects(sentence: string): boolean {
  return isDenial(sentence) || REJECTION.test(sentence);
}

function pattern(source: string): RegExp {
  return new RegExp(source, 'iu');
}
