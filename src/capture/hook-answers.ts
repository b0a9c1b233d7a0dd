/**
 * Answers hooks: the brief at SessionStart, the strongest memories at a prompt, the memories of a file when it is first
 * read, or before it is changed unread, and the stop of a call that a memory forbids. Runs in the reader thread. Every
 * answer is one line of hook JSON with the memories fenced as data, or empty.
 */
import type { Config } from '../config/index.ts';
import { given, type Agent, type HookName, plainText, userMessage } from '../core/index.ts';
import type { MemoryIndex, QueryVector } from '../database/index.ts';
import { noteInstruction } from '../distill/index.ts';
import {
  brief,
  entryCost,
  fileContext,
  isWholeInBrief,
  promptContext,
  resumeContext,
  stopFor,
  type Action,
  type Read,
  type Signals,
  type ToRead,
  READ,
  tokenCost,
  whyNoBrief,
} from '../recall/index.ts';
import { isAsideCommand } from './content.ts';
import { isPaused } from './pauses.ts';
import type { ResolvedProject } from './projects/projects.ts';

/** The client drops a hook's text past 10,000 UTF-16 units and shows the model a file name instead (docs/claude-code.md). */
const OUTPUT_LIMIT = 10_000;

/** On resume and fork the conversation still contains the earlier contexts, so only changes are injected. */
const BRIEFED_SOURCES = new Set(['startup', 'clear', 'compact']);

/** Whether the context starts empty: what was injected before is no longer in it. */
export function startsFresh(source: string | undefined): boolean {
  return BRIEFED_SOURCES.has(source ?? 'startup');
}

export interface Question {
  /** `PostToolUse`: a file was read. `PreToolUse`: one is about to be changed. */
  readonly name: HookName | 'PreToolUse' | 'PostToolUse';
  readonly session: string;
  readonly projectDir: string;
  readonly source?: string;
  readonly prompt?: string;
  readonly promptId?: string;
  /** The prompt's vector, if it was ready in time. */
  readonly vector?: QueryVector;
  /** The log odds of memories that an earlier answer was not sure about. */
  readonly read?: Read;
  /** The files that were read or the file about to be changed, by their names in the project. */
  readonly files?: readonly string[];
  /** Tokens injected at reads of this session before, as far as the daemon remembers. */
  readonly readTokens?: number;
  /** The call that is about to be made, if it may be stopped. */
  readonly call?: PendingAction;
  /** The client of the session, whose own files need not be repeated. */
  readonly client?: Agent;
  /** The subagent that asks; it has its own context. */
  readonly agent?: string;
  /** Memories and past sessions injected a moment ago, which may not be in the index yet. */
  readonly already: readonly string[];
  /** When the session began or was compacted: what was injected before is no longer in its context. */
  readonly since: string;
}

export interface PendingAction {
  readonly action: Action;
  /** The user's latest prompts, and the agent's answer before the current one. */
  readonly prompts: readonly string[];
  readonly answer: string;
  /** Memories that stopped a call of this session a moment ago. */
  readonly stopped: readonly string[];
  /** Whether a user can be asked; else the call is denied once. */
  readonly asks: boolean;
}

export interface InjectedMemory {
  readonly id: string;
  readonly score: number;
  /** The log odds of the small model, if it read the memory with the prompt. */
  readonly read?: number;
  /** Its meaning is near that of the prompt. */
  readonly similar?: boolean;
  /** The file that was read or about to be changed. */
  readonly file?: string;
}

export interface InjectedConversation {
  readonly session: string;
  readonly score: number;
  readonly why: string;
}

export interface Answer {
  /** One line of hook JSON, or empty. */
  readonly output: string;
  readonly where: 'brief' | 'prompt' | 'read' | 'edit' | 'stop';
  readonly project: string;
  readonly memories: readonly InjectedMemory[];
  /** The past session whose end was injected. */
  readonly conversation?: InjectedConversation;
  readonly considered: number;
  /** The user is asked about a call: the agent does not get the memory. */
  readonly isAsked?: boolean;
  /** Tokens of the context that a read injected. */
  readonly tokens?: number;
  /** The session has no tokens left for reads, so nothing was looked up. */
  readonly isSpent?: boolean;
  /** Why nothing was injected. */
  readonly reason?: string;
  /** Memories that the small model may read before this answer is used. */
  readonly toRead?: readonly ToRead[];
  /** Whether capture is on for this session. */
  readonly captured: boolean;
}

/** The place of the question, and the signals of memories as seen from there. */
export interface QuestionPlace extends ResolvedProject {
  readonly signals: Signals;
  /** Lines that the client loads itself, normalised. */
  readonly loaded?: ReadonlySet<string>;
}

/** `place`: the project of the question's folder. `config`: the settings in force there. */
export function answerHook(
  index: MemoryIndex,
  question: Question,
  place: QuestionPlace,
  config: Config,
  now: Date,
): Answer {
  const paused = isPaused(index, { project: place.project.id, session: question.session });
  const isOff = paused || place.ignored;
  const about = {
    project: place.project.id,
    captured: !isOff && config['capture.enabled'],
  };
  if (isOff)
    return { ...nothing(question, paused ? 'capture is paused' : 'this folder is ignored'), ...about };
  if (!config['recall.enabled']) return { ...nothing(question, 'recall is switched off'), ...about };
  return { ...recall(index, question, place, config, now), ...about };
}

type Recalled = Omit<Answer, 'project' | 'captured'>;

function recall(
  index: MemoryIndex,
  question: Question,
  { project, branch, signals, loaded }: QuestionPlace,
  config: Config,
  now: Date,
): Recalled {
  switch (question.name) {
    case 'SessionStart': {
      if (!startsFresh(question.source)) {
        const changes = resumeContext(index, {
          project: project.id,
          session: question.session,
          now,
          signals,
          ...given({ loaded }),
          ...(branch ? { branch } : {}),
        });
        if (!changes) return nothing(question, 'the session continues, and nothing changed since');
        return {
          output: hookOutput('SessionStart', changes.text, changes.line),
          where: 'brief',
          memories: changes.memories.map((id) => ({ id, score: 1 })),
          considered: changes.memories.length,
        };
      }
      const notes = instructionFor(config);
      const rendered = brief(index, {
        reservedUnits: notes.length + 2,
        project: project.id,
        now,
        budgetTokens: config['recall.briefTokens'],
        signals,
        ...given({ loaded }),
        ...(question.session ? { session: question.session } : {}),
        ...(branch ? { branch } : {}),
      });
      if (!rendered) return withoutMemories(question, config, whyNoBrief(index, project.id));
      const text = [rendered.text, notes].filter(Boolean).join('\n\n');
      return {
        output: hookOutput('SessionStart', text, rendered.line),
        where: 'brief',
        memories: rendered.memories.map((id) => ({ id, score: 1 })),
        considered: rendered.memories.length,
      };
    }
    case 'UserPromptSubmit': {
      if (isAsideCommand(question.prompt ?? ''))
        return nothing(question, 'the prompt is a command of Tidemark');
      const first = index.turnsIn(question.session).length === 0;
      const context = promptContext(index, {
        project: project.id,
        prompt: question.prompt ?? '',
        session: question.session,
        now,
        already: alreadyInjected(index, question),
        first,
        limit: config['recall.promptLimit'],
        signals,
        ...given({ vector: question.vector, read: question.read }),
        ...(branch ? { branch } : {}),
      });
      const toRead = context.toRead.length > 0 ? { toRead: context.toRead } : {};
      const { conversation, explanation } = context;
      if (context.text === '') {
        const silent = { ...nothing(question, explanation, context.considered.length), ...toRead };
        return config['recall.verbose'] ? { ...silent, output: messageOnly(explanation) } : silent;
      }
      return {
        output: hookOutput('UserPromptSubmit', context.text, context.line),
        where: 'prompt',
        memories: context.memories,
        ...given({ conversation }),
        considered: context.considered.length,
        ...toRead,
      };
    }
    case 'PostToolUse':
    case 'PreToolUse': {
      const stopped = config['recall.stopOnce']
        ? stopOnce(index, question, project.id, now, { signals, branch })
        : undefined;
      if (stopped) return stopped;
      const isRead = question.name === 'PostToolUse';
      const left = isRead ? READ.sessionTokens - spentAtReads(index, question) : undefined;
      const context = fileContext(index, {
        moment: isRead ? 'read' : 'edit',
        project: project.id,
        files: question.files ?? [],
        session: question.session,
        now,
        already: new Set(alreadyInjected(index, question)),
        signals,
        ...given({ tokens: left }),
        ...(branch ? { branch } : {}),
      });
      if (context.memories.length === 0) {
        const { isSpent } = context;
        const reason = isSpent
          ? 'this session already got as much as file reads may inject'
          : 'no memory about this file is new to the session';
        return { ...nothing(question, reason, context.considered), isSpent };
      }
      return {
        output: hookOutput(question.name, context.text, context.line),
        where: isRead ? 'read' : 'edit',
        memories: context.memories,
        considered: context.considered,
        ...(isRead ? { tokens: tokenCost(context.text) } : {}),
      };
    }
    default:
      return nothing(question, 'this event gets no answer');
  }
}

/** The stop of a call that a memory forbids, if it has stopped none of this session before. */
function stopOnce(
  index: MemoryIndex,
  { call, session }: Question,
  project: string,
  now: Date,
  { signals, branch }: { readonly signals: Signals; readonly branch: string | undefined },
): Recalled | undefined {
  if (!call) return undefined;
  const { asks, stopped, ...talk } = call;
  const before = index.injectedIn(session).filter(({ place }) => place === 'stop');
  const found = stopFor(index, {
    ...talk,
    project,
    now,
    stopped: new Set([...stopped, ...before.map(({ memory }) => memory)]),
    signals,
    ...given({ branch }),
  });
  if (!found) return undefined;
  const decision = asks
    ? { permissionDecision: 'ask', permissionDecisionReason: found.line }
    : { permissionDecision: 'deny', permissionDecisionReason: found.text };
  return {
    output: JSON.stringify({
      ...(asks ? {} : { systemMessage: plainText(found.line) }),
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision },
    }),
    where: 'stop',
    memories: [{ id: found.memory.id, score: 1 }],
    considered: 1,
    isAsked: asks,
  };
}

/** A session without memories is asked for notes too. */
function withoutMemories(question: Question, config: Config, reason: string): Recalled {
  const notes = instructionFor(config);
  const isAsked = question.name === 'SessionStart' && startsFresh(question.source) && notes !== '';
  return {
    ...nothing(question, reason),
    ...(isAsked ? { output: hookOutput('SessionStart', notes, '') } : {}),
  };
}

function instructionFor(config: Config): string {
  return config['capture.enabled'] ? noteInstruction(config['capture.agentNotes']) : '';
}

/** Tokens that reads injected since the context began. After a restart of the daemon the ledger knows which memories. */
function spentAtReads(index: MemoryIndex, question: Question): number {
  const known = question.readTokens ?? 0;
  if (question.agent) return known;
  const recorded = injectedSince(index, question).filter(({ place }) => place === 'read');
  const costs = recorded.map(({ memory: id }) => {
    const memory = index.memory(id);
    return memory ? Math.min(READ.entryTokens, entryCost(memory)) : READ.entryTokens;
  });
  const moments = new Set(recorded.map(({ promptId }) => promptId)).size;
  return Math.max(
    known,
    costs.reduce((sum, tokens) => sum + tokens, moments * READ.frameTokens),
  );
}

/** Memories whose full text is in the context, and past sessions. A brief contains only a line of some. */
function alreadyInjected(index: MemoryIndex, question: Question): readonly string[] {
  if (question.agent) return question.already; // a subagent has its own context
  const inFull = injectedSince(index, question).filter(({ place, memory }) => {
    if (place === 'stop') return false; // the user may have been asked instead
    const briefed = place === 'brief' ? index.memory(memory) : undefined;
    return briefed === undefined || isWholeInBrief(briefed);
  });
  return [...inFull.map(({ memory }) => memory), ...question.already];
}

/** Returns the injections into the session's own context. */
function injectedSince(index: MemoryIndex, question: Question): ReturnType<MemoryIndex['injectedIn']> {
  const injected = index.injectedIn(question.session, question.since);
  // After a restart of the daemon `since` is unknown: the context started with the last brief.
  const begun = question.since || (injected.findLast(({ place }) => place === 'brief')?.at ?? '');
  return injected.filter(({ at, place }) => at >= begun && place !== 'subagent');
}

const WHERE: Readonly<Partial<Record<Question['name'], Answer['where']>>> = {
  SessionStart: 'brief',
  PostToolUse: 'read',
  PreToolUse: 'edit',
};

function nothing(question: Question, reason: string, considered = 0): Recalled {
  const where = WHERE[question.name] ?? 'prompt';
  return { output: '', where, memories: [], considered, reason };
}

/** Shown to the user only; the model does not get it. */
function messageOnly(explanation: string): string {
  return JSON.stringify({ systemMessage: userMessage(plainText(`Memory Retrieved (0): ${explanation}`)) });
}

/** `additionalContext` reaches the model, `systemMessage` the user (docs/claude-code.md). */
function hookOutput(
  name: 'SessionStart' | 'UserPromptSubmit' | 'PreToolUse' | 'PostToolUse',
  context: string,
  line: string,
): string {
  if (context.length > OUTPUT_LIMIT) return '';
  return JSON.stringify({
    ...(line ? { systemMessage: userMessage(plainText(line)) } : {}),
    hookSpecificOutput: { hookEventName: name, additionalContext: plainText(context) },
  });
}
