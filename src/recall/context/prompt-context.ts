/** What a prompt brings back: few memories, only when they clearly belong, never the same twice. Writes nothing. */
import { given, SOURCE_MAKER, type Memory } from '../../core/index.ts';
import type { MemoryIndex, QueryVector } from '../../database/index.ts';
import { fence, plainLine } from '../../privacy/index.ts';
import { age } from '../ages.ts';
import { gated } from '../ranking/gate.ts';
import type { Signals } from '../ranking/signals.ts';
import { BRIEF, FLOOR, PROMPT, PROMPT_LIMIT, PROMPT_NEAR_BEST } from '../ranking/weights.ts';
import { search, type Hit } from '../search.ts';
import { whole } from './render.ts';
import { tokenCost } from './token-cost.ts';

export interface PromptOptions {
  readonly project: string;
  readonly prompt: string;
  readonly session: string;
  readonly now: Date;
  /** Memories this session has been given already. */
  readonly already: readonly string[];
  /** The first prompt of the session. */
  readonly first: boolean;
  readonly branch?: string;
  readonly signals?: Signals;
  /** The prompt as a vector, where one came in time. */
  readonly vector?: QueryVector;
  /** Fewer than usual at most. */
  readonly limit?: number;
}

export type PromptReason =
  | 'recalled'
  | 'trivial'
  | 'machine-made'
  | 'command'
  | 'nothing-found'
  | 'below-floor'
  | 'already-given';

export interface PromptContext {
  readonly reason: PromptReason;
  /** For the model; empty unless something was recalled. */
  readonly text: string;
  readonly memories: readonly { readonly id: string; readonly score: number }[];
  /** For the user; empty unless something was recalled. */
  readonly line: string;
  /** One sentence on the outcome, for `why` and verbose mode. */
  readonly explanation: string;
  /** Everything that was weighed, best first, with the parts of each score. */
  readonly considered: readonly Hit[];
}

const INTRO =
  'Memories of earlier sessions that may bear on this prompt (`tidemark show <id>` gives an entry with its neighbours):';

export function promptContext(index: MemoryIndex, options: PromptOptions): PromptContext {
  const skipped = skipReason(options.prompt);
  if (skipped) return nothing(skipped, [], `not looked up: ${SKIPPED[skipped]}`);

  const floor = FLOOR.prompt;
  const { considered: ranked } = search(index, options.prompt, {
    now: options.now,
    project: options.project,
    scope: 'project',
    floor: 0,
    talk: true,
    ...given({ vector: options.vector, branch: options.branch, signals: options.signals }),
  });
  const considered = gated(index, options.prompt, ranked);
  // What the client's own texts say stands before the model already.
  const isOthers = ({ provenance }: Memory): boolean =>
    provenance.session !== options.session && provenance.by !== SOURCE_MAKER;
  const found = considered.filter(({ memory }) => isOthers(memory));
  if (found.length === 0) return nothing('nothing-found', considered, 'nothing found');

  const standing = found.filter(({ memory }) => memory.state !== 'superseded');
  const best = Math.max(0, ...standing.map(({ evidence }) => evidence));
  if (best < floor) {
    return nothing(
      'below-floor',
      considered,
      `found ${found.length}, none above ${floor} (best ${surest(found)})`,
    );
  }
  // The surest tells whether anything is wanted; others need only be nearly as sure. What was given before still stands
  // before the model, and a much weaker one beside it dilutes no less.
  const near = standing.filter(({ evidence }) => evidence >= best * PROMPT_NEAR_BEST);
  const fresh = near.filter(
    ({ memory, duplicates }) => ![memory.id, ...duplicates].some((id) => options.already.includes(id)),
  );
  if (fresh.length === 0) {
    return nothing(
      'already-given',
      considered,
      `found ${near.length} sure enough, all given before in this session`,
    );
  }
  return recalled(fresh, considered, options);
}

const SKIPPED: Readonly<Record<'trivial' | 'machine-made' | 'command', string>> = {
  trivial: 'the prompt is too short to tell what it is about',
  'machine-made': 'the client made this prompt itself',
  command: 'the prompt is a command of the client',
};

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

function skipReason(prompt: string): 'trivial' | 'machine-made' | 'command' | undefined {
  const text = prompt.trim();
  if (
    /^<(?:task-notification|system-reminder|command-|local-command-|bash-|user-prompt-submit-hook)/.test(
      text,
    ) ||
    /^\[(?:Request interrupted|Image: source:)/.test(text)
  ) {
    return 'machine-made';
  }
  // `/compact now` is a command; `/src/a.ts fails` is a path.
  if (/^\/[a-z][\w:-]*(?:\s|$)/i.test(text) || /^[!#]/.test(text)) return 'command';
  return saysSomething(text) ? undefined : 'trivial';
}

/** Enough words to tell what it is about. */
export function saysSomething(text: string): boolean {
  if ((text.match(CJK)?.length ?? 0) >= PROMPT.minCjkChars) return true;
  return (text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0) >= PROMPT.minWords;
}

function recalled(fresh: readonly Hit[], considered: readonly Hit[], options: PromptOptions): PromptContext {
  const usual = options.first ? PROMPT_LIMIT.first : PROMPT_LIMIT.later;
  const limit = Math.min(usual, options.limit ?? usual);
  const packed = pack(fresh.slice(0, limit), options);
  const lines = packed.map(
    ({ hit }) =>
      `  • [${hit.evidence.toFixed(2)}] (${age(hit.memory.at, options.now)}) ${plainLine(hit.memory.title)}`,
  );
  return {
    reason: 'recalled',
    text: `${INTRO}\n\n${fence(packed.map(({ text }) => text).join('\n\n'))}`,
    memories: packed.map(({ hit }) => ({ id: hit.memory.id, score: hit.evidence })),
    line: [`Memory Retrieved (${packed.length}):`, ...lines].join('\n'),
    explanation: `recalled ${packed.length} of ${considered.length} found`,
    considered,
  };
}

function pack(
  hits: readonly Hit[],
  options: PromptOptions,
): readonly { readonly hit: Hit; readonly text: string }[] {
  const packed: { hit: Hit; text: string }[] = [];
  let tokens = 0;
  let units = fence(INTRO).length;
  for (const hit of hits) {
    const text = whole(hit.memory, options.now, PROMPT.entryTokens, options.branch, hit.changes);
    tokens += tokenCost(text);
    units += text.length + 2;
    if (packed.length > 0 && (tokens > PROMPT.budgetTokens || units > BRIEF.maxUnits)) break;
    packed.push({ hit, text });
  }
  return packed;
}

function nothing(reason: PromptReason, considered: readonly Hit[], explanation: string): PromptContext {
  return { reason, text: '', memories: [], line: '', explanation, considered };
}

const surest = (hits: readonly Hit[]): string =>
  Math.max(0, ...hits.map(({ evidence }) => evidence)).toFixed(2);
