/** The memories injected with a prompt: few, only relevant ones, never the same twice. Writes nothing. */
import { given, isLive, SOURCE_MAKER, type Memory, plainLine } from '../../core/index.ts';
import type { MemoryIndex, QueryVector } from '../../database/index.ts';
import { fence } from '../../privacy/index.ts';
import { age } from '../ages.ts';
import { gated, type Read } from '../ranking/gate.ts';
import { readable, type ToRead } from '../ranking/reading.ts';
import type { Signals } from '../ranking/signals.ts';
import { FLOOR, MEANING, PROMPT, PROMPT_LIMIT, PROMPT_NEAR_BEST } from '../ranking/weights.ts';
import { laterNote, saidLater } from '../said-later.ts';
import { search, type Hit } from '../search.ts';
import { isQuotedRule } from './trust.ts';
import { pastSession, type PastSession } from './past-session.ts';
import { packEntries, renderEntry } from './render.ts';

export interface PromptOptions {
  readonly project: string;
  readonly prompt: string;
  readonly session: string;
  readonly now: Date;
  /** Memories and past sessions injected into this session before. */
  readonly already: readonly string[];
  /** The first prompt of the session. */
  readonly first: boolean;
  readonly branch?: string;
  readonly signals?: Signals;
  /** The prompt as a vector, if it was ready in time. */
  readonly vector?: QueryVector;
  /** The log odds of memories that the small model read, if they were ready in time. */
  readonly read?: Read;
  /** Lowers the usual limit. */
  readonly limit?: number;
}

type PromptReason =
  | 'recalled'
  | 'past-session'
  | 'trivial'
  | 'machine-made'
  | 'command'
  | 'nothing-found'
  | 'below-floor'
  | 'already-given';

interface PromptContext {
  readonly reason: PromptReason;
  /** For the agent; empty unless something was recalled. */
  readonly text: string;
  readonly memories: readonly {
    readonly id: string;
    readonly score: number;
    readonly read?: number;
    readonly similar?: boolean;
  }[];
  /** For the user; empty unless something was recalled. */
  readonly line: string;
  /** One sentence about the outcome, for `why` and verbose mode. */
  readonly explanation: string;
  /** All candidates, best first, with the parts of each score. */
  readonly considered: readonly Hit[];
  /** The past session whose end is injected. */
  readonly conversation?: PastSession['conversation'];
  /** Memories that are worth reading, nearest first, as the small model reads them. Empty once it has. */
  readonly toRead: readonly ToRead[];
}

const INTRO =
  'Memories of earlier sessions that may be relevant to this prompt (`tidemark show <id>` shows an entry with its neighbours):';

export function promptContext(index: MemoryIndex, options: PromptOptions): PromptContext {
  const skipped = skipReason(options.prompt);
  if (skipped) return nothing(skipped, [], SKIPPED[skipped]);

  const floor = FLOOR.prompt;
  const { considered: ranked } = search(index, options.prompt, {
    now: options.now,
    project: options.project,
    scope: 'project',
    floor: 0,
    talk: true,
    ...given({ vector: options.vector, branch: options.branch, signals: options.signals }),
  });
  const considered = gated(index, options.prompt, ranked, options.read);
  // The agent has the session's own memories and the client's files in its context already.
  const isNew = ({ provenance }: Memory): boolean =>
    provenance.session !== options.session && provenance.by !== SOURCE_MAKER;
  const found = considered.filter(({ memory }) => isNew(memory));
  if (found.length === 0)
    return withPast(index, options, nothing('nothing-found', considered, 'no memory matches the prompt'));

  const current = found.filter(({ memory }) => isLive(memory) && !isQuotedRule(memory));
  const toRead = options.read
    ? []
    : readable(
        index,
        options.prompt,
        current.filter((hit) => !isInjected(hit, options)),
      );
  const best = highestEvidence(current);
  if (best < floor) {
    const explanation = tooWeak(found.length, highestEvidence(found) >= floor);
    return withPast(index, options, { ...nothing('below-floor', considered, explanation), toRead });
  }
  // The best decides whether to inject at all; others must be nearly as sure. A memory injected before counts as the
  // best too, because it is still in the agent's context.
  const near = current.filter(({ evidence }) => evidence >= best * PROMPT_NEAR_BEST);
  const fresh = near.filter((hit) => !isInjected(hit, options));
  if (fresh.length === 0) {
    const explanation = 'the memories that match were injected earlier in this session';
    return { ...nothing('already-given', considered, explanation), toRead };
  }
  return withPast(index, options, { ...recalled(index, fresh, considered, options), toRead });
}

/** `isEnded`: the one that matches may not be injected. */
function tooWeak(found: number, isEnded: boolean): string {
  const memories = found === 1 ? '1 memory was found' : `${found} memories were found`;
  if (isEnded) return `${memories}, but what matches is resolved, superseded or quoted`;
  return `${memories}, but ${found === 1 ? 'it does not match' : 'none matches'} closely enough`;
}

/** Adds the end of a past session, if one clearly leads: without a memory, or beside those that match. */
function withPast(index: MemoryIndex, options: PromptOptions, context: PromptContext): PromptContext {
  const past = options.limit === 0 ? undefined : pastSession(index, options);
  if (!past) return context;
  const isAlone = context.memories.length === 0;
  return {
    ...context,
    reason: isAlone ? 'past-session' : context.reason,
    text: isAlone ? past.text : `${context.text}\n\n${past.text}`,
    line: `${isAlone ? 'Past Session Retrieved:' : context.line}\n${past.line}`,
    conversation: past.conversation,
  };
}

function isInjected({ memory, duplicates }: Hit, { already }: PromptOptions): boolean {
  return [memory.id, ...duplicates].some((id) => already.includes(id));
}

const SKIPPED: Readonly<Record<'trivial' | 'machine-made' | 'command', string>> = {
  trivial: 'the prompt is too short to tell what it is about',
  'machine-made': 'the agent wrote this prompt, not you',
  command: 'the prompt is a command of the agent',
};

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

function skipReason(prompt: string): 'trivial' | 'machine-made' | 'command' | undefined {
  const text = prompt.trim();
  if (isMachineMade(text)) return 'machine-made';
  // `/compact now` is a command; `/src/a.ts fails` is a path.
  if (/^\/[a-z][\w:-]*(?:\s|$)/i.test(text) || /^[!#]/.test(text)) return 'command';
  return saysSomething(text) ? undefined : 'trivial';
}

/** Whether the client wrote the prompt: a finished task, an interruption, the output of a command. */
export function isMachineMade(prompt: string): boolean {
  return /^\s*(?:<(?:task-notification|system-reminder|command-|local-command-|bash-|user-prompt-submit-hook)|\[(?:Request interrupted|Image: source:))/.test(
    prompt,
  );
}

/** Whether a text has enough words to tell its topic. */
export function saysSomething(text: string): boolean {
  if ((text.match(CJK)?.length ?? 0) >= PROMPT.minCjkChars) return true;
  return (text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0) >= PROMPT.minWords;
}

function recalled(
  index: MemoryIndex,
  fresh: readonly Hit[],
  considered: readonly Hit[],
  options: PromptOptions,
): PromptContext {
  const usual = options.first ? PROMPT_LIMIT.first : PROMPT_LIMIT.later;
  const limit = Math.min(usual, options.limit ?? usual);
  const { now, branch } = options;
  const laterOf = saidLater(index, { ...options, query: options.prompt });
  const packed = packEntries(fresh.slice(0, limit), PROMPT.budgetTokens, INTRO, ({ memory, changes }) => {
    const place = { branch, changes };
    const entry = renderEntry(memory, now, PROMPT.entryTokens, place);
    const note = laterNote(laterOf(memory.provenance.turn), now);
    return note === '' ? entry : `${entry}\nNote: ${note}`;
  });
  const lines = packed.map(
    ({ one: { evidence, memory } }) =>
      `  • [${evidence.toFixed(2)}] (${age(memory.at, now)}) ${plainLine(memory.title)}`,
  );
  return {
    reason: 'recalled',
    text: `${INTRO}\n\n${fence(packed.map(({ text }) => text).join('\n\n'))}`,
    memories: packed.map(({ one: { memory, evidence, cosine } }) => ({
      id: memory.id,
      score: evidence,
      ...given({
        read: options.read?.get(memory.id),
        similar: cosine !== undefined && cosine >= MEANING.from ? true : undefined,
      }),
    })),
    line: [`Memory Retrieved (${packed.length}):`, ...lines].join('\n'),
    explanation: `${packed.length} of ${considered.length} memories were injected`,
    considered,
    toRead: [],
  };
}

function nothing(reason: PromptReason, considered: readonly Hit[], explanation: string): PromptContext {
  return { reason, text: '', memories: [], line: '', explanation, considered, toRead: [] };
}

const highestEvidence = (hits: readonly Hit[]): number =>
  Math.max(0, ...hits.map(({ evidence }) => evidence));
