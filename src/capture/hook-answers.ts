/**
 * What a hook is told: the brief at SessionStart, the strongest memories at a prompt, what stands about a file before it
 * is changed. Runs in the reader thread.
 * Everything goes out fenced as data, in one line of hook JSON, or not at all.
 */
import type { Config } from '../config/index.ts';
import type { HookName } from '../core/index.ts';
import type { MemoryIndex, QueryVector } from '../database/index.ts';
import {
  brief,
  editContext,
  isWholeInBrief,
  promptContext,
  type Signals,
  HELD_OUT,
  isHeldOut,
} from '../recall/index.ts';
import { isPaused } from './pauses.ts';
import type { ResolvedProject } from './projects/projects.ts';

/** The client drops a hook's text past 10,000 UTF-16 units and shows the model a file name instead (docs/claude-code.md). */
const OUTPUT_LIMIT = 10_000;

/** On resume and fork the earlier contexts are still in the conversation: nothing is said twice. */
const BRIEFED_SOURCES = new Set(['startup', 'clear', 'compact']);

/** Whether the context begins anew: what was given before is gone from it. */
export function startsFresh(source: string | undefined): boolean {
  return BRIEFED_SOURCES.has(source ?? 'startup');
}

export interface Question {
  readonly name: HookName | 'PreToolUse';
  readonly session: string;
  readonly projectDir: string;
  readonly source?: string;
  readonly prompt?: string;
  readonly promptId?: string;
  /** The prompt as a vector, where one came in time. */
  readonly vector?: QueryVector;
  /** The file about to be changed, by its names in the project. */
  readonly files?: readonly string[];
  /** The subagent that asks; it has a context of its own. */
  readonly agent?: string;
  /** What prompts and edits of this session brought back a moment ago, and may not be in the index yet. */
  readonly already: readonly string[];
  /** When the session began or was compacted: what was given before that is gone from its context. */
  readonly since: string;
}

export interface Answer {
  /** One line of hook JSON, or nothing to say. */
  readonly output: string;
  readonly where: 'brief' | 'prompt' | 'edit';
  readonly project: string;
  readonly memories: readonly { readonly id: string; readonly score: number }[];
  readonly considered: number;
  /** Why nothing was said, when nothing was. */
  readonly reason?: string;
  /** Whether what is said in this session now is kept. */
  readonly captured: boolean;
}

/** Where the question comes from, and what is known about memories as seen from there. */
export interface AskedFrom extends ResolvedProject {
  readonly signals: Signals;
}

/** `placed` says which project the question's folder belongs to, `config` what is set there. */
export function answerHook(
  index: MemoryIndex,
  question: Question,
  placed: AskedFrom,
  config: Config,
  now: Date,
): Answer {
  const paused = isPaused(index, { project: placed.project.id, session: question.session });
  const looksAway = paused || placed.ignored;
  const about = {
    project: placed.project.id,
    captured: !looksAway && config['capture.enabled'],
  };
  if (looksAway)
    return { ...nothing(question, paused ? 'capture is paused' : 'this folder is left out'), ...about };
  if (!config['recall.enabled']) return { ...nothing(question, 'recall is switched off'), ...about };
  if (isHeldOut(question.session, config['recall.holdout']))
    return { ...nothing(question, HELD_OUT), ...about };
  return { ...recalled(index, question, placed, config, now), ...about };
}

type Recalled = Omit<Answer, 'project' | 'captured'>;

function recalled(
  index: MemoryIndex,
  question: Question,
  { project, branch, signals }: AskedFrom,
  config: Config,
  now: Date,
): Recalled {
  switch (question.name) {
    case 'SessionStart': {
      if (!startsFresh(question.source)) return nothing(question, `source is ${question.source}`);
      const rendered = brief(index, {
        project: project.id,
        now,
        budgetTokens: config['recall.briefTokens'],
        signals,
        ...(question.session ? { session: question.session } : {}),
        ...(branch ? { branch } : {}),
      });
      if (!rendered) return nothing(question, 'nothing is remembered of this project yet');
      return {
        output: hookOutput('SessionStart', rendered.text, rendered.line),
        where: 'brief',
        memories: rendered.memories.map((id) => ({ id, score: 1 })),
        considered: rendered.memories.length,
      };
    }
    case 'UserPromptSubmit': {
      const first = index.turnsIn(question.session).length === 0;
      const context = promptContext(index, {
        project: project.id,
        prompt: question.prompt ?? '',
        session: question.session,
        now,
        already: alreadyGiven(index, question),
        first,
        limit: config['recall.promptLimit'],
        signals,
        ...(question.vector ? { vector: question.vector } : {}),
        ...(branch ? { branch } : {}),
      });
      if (context.memories.length === 0) {
        const silent = nothing(question, context.explanation, context.considered.length);
        return config['recall.verbose'] ? { ...silent, output: toldOnly(context.explanation) } : silent;
      }
      return {
        output: hookOutput('UserPromptSubmit', context.text, context.line),
        where: 'prompt',
        memories: context.memories,
        considered: context.considered.length,
      };
    }
    case 'PreToolUse': {
      const context = editContext(index, {
        project: project.id,
        files: question.files ?? [],
        session: question.session,
        now,
        already: new Set(alreadyGiven(index, question)),
        signals,
        ...(branch ? { branch } : {}),
      });
      if (context.memories.length === 0)
        return nothing(question, 'nothing new stands about this file', context.considered);
      return {
        output: hookOutput('PreToolUse', context.text, context.line),
        where: 'edit',
        memories: context.memories,
        considered: context.considered,
      };
    }
    default:
      return nothing(question, 'this event gets no answer');
  }
}

/** What the context holds in full: a brief gives the rest of an entry no more than a line. */
function alreadyGiven(index: MemoryIndex, question: Question): readonly string[] {
  if (question.agent) return question.already; // a subagent's context is its own
  const given = index.injectedIn(question.session, question.since);
  // After a restart of the daemon: the context began anew with the last brief.
  const begun = question.since || (given.findLast(({ place }) => place === 'brief')?.at ?? '');
  const whole = given.filter(({ at, place, memory }) => {
    if (at < begun || place === 'subagent') return false;
    const briefed = place === 'brief' ? index.memory(memory) : undefined;
    return briefed === undefined || isWholeInBrief(briefed);
  });
  return [...whole.map(({ memory }) => memory), ...question.already];
}

const WHERE: Readonly<Partial<Record<Question['name'], Answer['where']>>> = {
  SessionStart: 'brief',
  PreToolUse: 'edit',
};

function nothing(question: Question, reason: string, considered = 0): Recalled {
  const where = WHERE[question.name] ?? 'prompt';
  return { output: '', where, memories: [], considered, reason };
}

/** For the person alone: the model gets nothing of it. */
function toldOnly(explanation: string): string {
  return JSON.stringify({ systemMessage: `Memory Retrieved (0): ${explanation}` });
}

/** `additionalContext` reaches the model, `systemMessage` the person (docs/claude-code.md). */
export function hookOutput(
  name: 'SessionStart' | 'UserPromptSubmit' | 'PreToolUse',
  context: string,
  line: string,
): string {
  if (context.length > OUTPUT_LIMIT) return '';
  return JSON.stringify({
    ...(line ? { systemMessage: line } : {}),
    hookSpecificOutput: { hookEventName: name, additionalContext: context },
  });
}
