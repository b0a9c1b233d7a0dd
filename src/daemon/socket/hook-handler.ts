/**
 * Receives hook events: each is redacted, stored in the spool, and only then answered. When the answer fails, the agent
 * gets an empty one and continues.
 */
import { dirname } from 'node:path';
import { isStartDropped, outputFor, translatorOf, type ToolHookName } from '../../agents/wire/index.ts';
import { startsFresh, type Question } from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import {
  given,
  type ClientProcess,
  type HookName,
  type Places,
  type SpooledEvent,
  plainText,
} from '../../core/index.ts';
import { isRegularFile, startTimeOf } from '../../files/index.ts';
import { toSpooledEvent, type EventParse } from '../../privacy/index.ts';
import type { Spool } from '../../storage/spool/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import type { Announcements } from '../scheduling/announcements.ts';
import { withNotices, type Notices } from '../scheduling/notices.ts';
import type { Queue } from '../scheduling/queue.ts';
import type { EmbedClient } from '../workers/embed-client.ts';
import type { SmallClient } from '../workers/small-client.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { answerQuestion } from './_answer.ts';
import { receivedIn } from './envelope.ts';
import type { HookActivity, SessionState } from './hook-activity.ts';
import { injectedAt, ToolCallHooks, type Injected } from './tool-call-hooks.ts';
import { answerToolHook } from './tool-hook.ts';

/** How long SessionStart waits for the last session to be processed; the rest of its budget is for the answer. */
const SETTLE_MS = 600;
const BRIEF_MS = 350;
/** UserPromptSubmit has 300 ms in all; the hook itself needs some of them. */
const RECALL_MS = 150;
/** Looking at the last transcripts of the folder; the brief takes most of the time of SessionStart. */
const GAP_MS = 100;
/** Reading a few titles takes a millisecond; Stop has 50 ms in all. */
const REMEMBERED_MS = 30;
/** Transport between client and daemon, where a slow machine allows more time (TIDEMARK_ANSWER_S). */
const TRANSPORT_MS = 100;
/** How many answers are stored for a second delivery of the same attempt. */
const MAX_ANSWERS = 256;

export interface HookHandlerOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly spool: Spool;
  readonly queue: Queue;
  readonly workers: WorkerPool;
  readonly embedder: Pick<EmbedClient, 'ask' | 'warm'>;
  readonly small: Pick<SmallClient, 'read' | 'warm'>;
  readonly activity: HookActivity;
  readonly notices: Notices;
  readonly announcements: Pick<Announcements, 'take'>;
  /** `program`: folder of the hook's program, if it sent one. */
  readonly onClientVersion: (version: string, program: string | undefined) => void;
  readonly onInjected: (injected: Injected) => void;
}

export class HookHandler {
  /** Answers the client's questions at a tool call. */
  readonly atToolCall: ToolCallHooks;
  readonly #options: HookHandlerOptions;
  readonly #answers = new Map<string, Promise<string>>();
  /** Messages for the user that were not shown yet. */
  readonly #messages: string[] = [];

  readonly #briefMs: number;
  readonly #recallMs: number;

  constructor(options: HookHandlerOptions) {
    this.#options = options;
    this.atToolCall = new ToolCallHooks(options);
    const granted = Number(options.env['TIDEMARK_ANSWER_S'] ?? 0) * 1000 - TRANSPORT_MS;
    this.#briefMs = Math.max(BRIEF_MS, granted - SETTLE_MS);
    this.#recallMs = Math.max(RECALL_MS, granted);
  }

  /** Returns what the hook prints; undefined when the event could not be accepted. */
  async receive(name: HookName, agent: string, body: Buffer): Promise<string | undefined> {
    const { log, spool, queue, workers, activity } = this.#options;
    const { clientVersion, program, attended, pid, parse } = readIntake(body, name, new Date(), agent);
    if (clientVersion) this.#options.onClientVersion(clientVersion, program);
    if (!parse.ok) {
      // A second delivery would fail too.
      const facts = { event: name, reason: parse.reason };
      if (parse.isIgnored) log.debug('event ignored', facts);
      else log.warn('event refused', facts);
      return '';
    }
    const { counts } = parse;
    const event = { ...parse.event, ...given({ client: this.#clientOf(parse.event, pid) }) };
    await this.takeInbox();
    try {
      await spool.append(event);
    } catch (error) {
      log.error('event not accepted', { event: name, ...factsOf(error) });
      return undefined;
    }
    activity.record(event);
    activity.session(event.input.session_id).attended = attended;
    if (Object.keys(counts).length > 0) workers.writeLater('redacted', { at: event.at, counts });
    queue.wake();
    return outputFor(event.agent, name, await this.#answerOnce(event, attended));
  }

  /** Returns what a hook at a tool call prints. Nothing is stored but what was injected. */
  answerTool(name: ToolHookName, agent: string, body: Buffer): Promise<string> {
    const { log, places, env } = this.#options;
    const stopsOnce = (): boolean => loadConfig({ places, env }).values['recall.stopOnce'];
    return answerToolHook({ hooks: this.atToolCall, stopsOnce }, name, agent, body).catch(
      (error: unknown) => {
        log.warn('no answer', { event: name, ...factsOf(error) });
        return '';
      },
    );
  }

  /** The start time costs a process on some systems, so it is read once per session and client. */
  #clientOf({ input }: SpooledEvent, pid: number | undefined): ClientProcess | undefined {
    const session = this.#options.activity.session(input.session_id);
    if (pid === undefined || session.client?.pid === pid) return session.client;
    const startTime = startTimeOf(pid);
    return (session.client = startTime === undefined ? undefined : { pid, startTime });
  }

  /** Events that hooks wrote to the inbox are older than those delivered now; the order within a session matters. */
  async takeInbox(): Promise<void> {
    const { log, spool, queue, activity } = this.#options;
    try {
      if ((await spool.drainInbox((event) => activity.record(event))) > 0) queue.wake();
    } catch (error) {
      log.warn('inbox not read', factsOf(error));
    }
  }

  #answerOnce(event: SpooledEvent, attended: boolean): Promise<string> {
    const known = this.#answers.get(event.id);
    if (known) return known;
    const answer = this.#answer(event)
      .catch((error: unknown) => {
        this.#options.log.warn('no answer', { event: event.input.hook_event_name, ...factsOf(error) });
        return '';
      })
      .then((output) => {
        const { hook_event_name: name } = event.input;
        this.#options.log.debug('answered', { event: name, id: event.id });
        return attended ? withNotices(output, this.#linesFor(name)) : output;
      });
    this.#answers.set(event.id, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  /** Lines for a user who sees this hook's messages. */
  #linesFor(name: HookName): readonly string[] {
    const { notices, announcements } = this.#options;
    const noticed = name === 'SessionStart' ? notices.take() : [];
    const isShown = name === 'SessionStart' || name === 'UserPromptSubmit' || name === 'Stop';
    return isShown ? [...noticed, ...announcements.take(new Date())] : noticed;
  }

  async #answer(event: SpooledEvent): Promise<string> {
    const session = this.#options.activity.session(event.input.session_id);
    switch (event.input.hook_event_name) {
      case 'SessionStart':
        await this.#options.queue.reached(event.id, SETTLE_MS);
        if (startsFresh(event.input.source)) {
          session.injected.clear();
          session.read.clear();
          session.readTokens = 0;
          session.since = event.at;
        }
        this.#options.small.warm();
        if (this.#options.embedder.warm())
          void this.#options.workers.read('load-vectors', {}).catch(() => {});
        return this.#orLate(
          event,
          session,
          withFirstLine(await this.#ask(event, session, this.#briefMs), await this.#gap(event, session)),
        );
      case 'UserPromptSubmit': {
        const output = withBrief(session.late, await this.#ask(event, session, this.#recallMs));
        session.late = '';
        return withNotices(output, await this.#remembered(event, session));
      }
      case 'Stop':
        return this.#stopped(event, session);
      case 'SubagentStop':
      case 'PreCompact':
      case 'SessionEnd':
        return '';
    }
  }

  /** Keeps the answer for the next prompt if the client drops it now. */
  #orLate({ agent, input }: SpooledEvent, session: SessionState, output: string): string {
    const isDropped = isStartDropped(agent, input.source);
    session.late = isDropped ? output : '';
    return isDropped ? '' : output;
  }

  /** A sentence when capture was down in the last session of this folder. Not where capture is off on purpose. */
  async #gap({ input }: SpooledEvent, session: SessionState): Promise<string> {
    const { transcript_path: path, session_id: of, source } = input;
    if (!path || !session.captured || (source ?? 'startup') !== 'startup') return '';
    const heard = this.#options.activity.sessions().map(({ id }) => id);
    const question = { folder: dirname(path), session: of, heard };
    return this.#options.workers.read('gap', question, GAP_MS).catch(() => '');
  }

  async #ask(event: SpooledEvent, session: SessionState, timeoutMs: number): Promise<string> {
    const { input } = event;
    const question: Question = {
      name: input.hook_event_name,
      session: input.session_id,
      projectDir: event.projectDir ?? input.cwd ?? '',
      already: [...session.injected],
      since: session.since,
      client: event.agent,
      ...given({ source: input.source, prompt: input.prompt, promptId: input.prompt_id }),
    };
    const answer = await answerQuestion(question, timeoutMs, this.#options);
    session.captured = answer.captured;
    if (answer.where === 'prompt') for (const { id } of answer.memories) session.injected.add(id);
    if (answer.conversation) session.injected.add(answer.conversation.session);
    const { session: of, promptId } = question;
    this.#options.workers.writeLater('injected', {
      ...answer,
      session: of,
      event: event.id,
      at: event.at,
      ...given({ promptId }),
    });
    if (answer.memories.length > 0) this.#options.onInjected(injectedAt(event.at, of, answer));
    return answer.output;
  }

  /** Shows a message to the user with the next captured turn. */
  showUser(text: string): void {
    this.#messages.push(text);
  }

  /** Notes memories of a turn. The user sees them with the next event that shows a message. */
  noteRemembered(session: string, ids: readonly string[]): void {
    const state = this.#options.activity.known(session);
    state?.remembered.push(...ids.filter((id) => !state.named.has(id) && !state.remembered.includes(id)));
  }

  async #stopped(event: SpooledEvent, session: SessionState): Promise<string> {
    if (event.input.stop_hook_active) return '';
    return withNotices('', [...(await this.#remembered(event, session)), ...this.#messages.splice(0)]);
  }

  /** The line about what was remembered since the last one. A model may finish long after the turn: then it comes later. */
  async #remembered({ projectDir, agent }: SpooledEvent, session: SessionState): Promise<readonly string[]> {
    const { places, env, workers } = this.#options;
    const ids = session.remembered;
    if (ids.length === 0) return [];
    if (!loadConfig({ places, env, ...given({ projectDir }) }).values['capture.showSaved']) return [];
    const line = await workers.read('remembered', { ids, agent }, REMEMBERED_MS).catch(() => undefined);
    if (line === undefined) return [];
    session.remembered = session.remembered.filter((id) => !ids.includes(id));
    for (const id of ids) session.named.add(id);
    return line === '' ? [] : [line];
  }
}

interface Output {
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly additionalContext?: string };
}

/** Puts a brief before the answer to a prompt. Both may be empty. */
function withBrief(brief: string, output: string): string {
  if (brief === '') return output;
  const answers = [brief, output].map((text) => (text === '' ? {} : JSON.parse(text)) as Output);
  const message = answers.map(({ systemMessage }) => systemMessage).filter(Boolean);
  const context = answers.map(({ hookSpecificOutput }) => hookSpecificOutput?.additionalContext);
  return JSON.stringify({
    ...(message.length > 0 ? { systemMessage: message.join('\n') } : {}),
    hookSpecificOutput: {
      hookEventName: 'UserPromptSubmit',
      additionalContext: context.filter(Boolean).join('\n\n'),
    },
  });
}

/** Puts a line before everything else: in the message to the user and in the context for the agent. */
function withFirstLine(output: string, given: string): string {
  const line = plainText(given);
  if (line === '') return output;
  const answer = (output === '' ? {} : JSON.parse(output)) as Output;
  const { systemMessage, hookSpecificOutput } = answer;
  const context = [line, hookSpecificOutput?.additionalContext].filter(Boolean).join('\n\n');
  return JSON.stringify({
    ...answer,
    systemMessage: [line, systemMessage].filter(Boolean).join('\n'),
    hookSpecificOutput: { ...hookSpecificOutput, hookEventName: 'SessionStart', additionalContext: context },
  });
}

const ATTEMPT = /^[A-Za-z0-9-]{8,80}$/;

interface Intake {
  readonly clientVersion: string | undefined;
  /** Folder of the hook's program. */
  readonly program: string | undefined;
  /** Whether a user sees the hook's messages. */
  readonly attended: boolean;
  /** Of the agent's client. */
  readonly pid: number | undefined;
  readonly parse: EventParse;
}

const UNKNOWN = { clientVersion: undefined, program: undefined, attended: false, pid: undefined } as const;

/** Reads the body of the hook protocol. `agent`: as the hook names it. */
export function readIntake(body: Buffer, name: HookName, at: Date, agent = ''): Intake {
  const received = receivedIn(body);
  if (!received) return { ...UNKNOWN, parse: { ok: false, reason: 'no envelope' } };
  const { fields: envelope, stdin } = received;
  const attempt = envelope.get('attempt') ?? '';
  const client = {
    clientVersion: envelope.get('client'),
    program: envelope.get('program'),
    attended: envelope.get('unattended') !== '1',
    pid: /^\d{1,10}$/.test(envelope.get('pid') ?? '') ? Number(envelope.get('pid')) : undefined,
  };
  if (!ATTEMPT.test(attempt)) return { ...client, parse: { ok: false, reason: 'no attempt identity' } };
  const projectDir = envelope.get('project-dir');
  const given = { attempt, isFile: isRegularFile, ...(projectDir ? { projectDir } : {}) };
  const parse = toSpooledEvent(stdin, name, given, at, translatorOf(agent, name));
  return { ...client, parse };
}
