/**
 * Where hooks come in: an event is redacted, made durable, and only then answered. Whatever goes wrong with the answer,
 * the agent goes on: an empty one is always right.
 */
import { startsFresh, type Answer, type Question } from '../../capture/index.ts';
import { loadConfig } from '../../config/index.ts';
import { given, type HookName, type Places, type SpooledEvent, storedLengths } from '../../core/index.ts';
import type { Spool } from '../../storage/spool/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import { withNotices, type Notices } from '../scheduling/notices.ts';
import type { Queue } from '../scheduling/queue.ts';
import { PROMPT_VECTOR_MS, type EmbedClient } from '../workers/embed-client.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { HookActivity, SessionNotes } from './hook-activity.ts';
import { readIntake } from './intake.ts';

/** SessionStart may wait this long for what the last session said to be digested; the rest of its budget is answering. */
const SETTLE_MS = 600;
const BRIEF_MS = 350;
/** UserPromptSubmit has 300 ms in all; the hook itself needs some of them. */
const RECALL_MS = 150;
/** On the way from the client to us and back, where a slow machine grants answers more time (TIDEMARK_ANSWER_S). */
const WAY_MS = 100;
/** How many answers are kept for a second delivery of the same attempt. */
const KEPT_ANSWERS = 256;

/** Asked by the client before it changes a file. */
export interface EditQuestion {
  readonly session: string;
  /** The subagent that changes it; empty in the main conversation. */
  readonly agent: string;
  /** Identity of the tool call. */
  readonly call: string;
  /** The project's folder. */
  readonly dir: string;
  /** As the tool was told. */
  readonly file: string;
  /** An answer later than this helps nobody. */
  readonly limitMs: number;
}

export interface HookHandlerOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly spool: Spool;
  readonly queue: Queue;
  readonly workers: WorkerPool;
  readonly embedder: Pick<EmbedClient, 'ask' | 'warm'>;
  readonly heard: HookActivity;
  readonly notices: Notices;
  /** `program`: where the reporting hook's program lies, if it said so. */
  readonly onClientVersion: (version: string, program: string | undefined) => void;
  /** Told when something was put before the agent. */
  readonly onRecall: (recalled: Recalled) => void;
}

export interface Recalled {
  readonly at: string;
  readonly session: string;
  readonly project: string;
  readonly where: Answer['where'];
  readonly recalled: Answer['memories'];
}

export class HookHandler {
  readonly #options: HookHandlerOptions;
  readonly #answers = new Map<string, Promise<string>>();
  readonly #news: string[] = [];

  readonly #briefMs: number;
  readonly #recallMs: number;

  constructor(options: HookHandlerOptions) {
    this.#options = options;
    const granted = Number(options.env['TIDEMARK_ANSWER_S'] ?? 0) * 1000 - WAY_MS;
    this.#briefMs = Math.max(BRIEF_MS, granted - SETTLE_MS);
    this.#recallMs = Math.max(RECALL_MS, granted);
  }

  /** What the hook is to print; undefined when the event could not be accepted. */
  async receive(name: HookName, body: Buffer): Promise<string | undefined> {
    const { log, spool, queue, workers, heard } = this.#options;
    const { clientVersion, program, attended, parse } = readIntake(body, name, new Date());
    if (clientVersion) this.#options.onClientVersion(clientVersion, program);
    if (!parse.ok) {
      // Nothing a second delivery could mend: take note and let the agent go on.
      log.warn('event refused', { event: name, reason: parse.reason });
      return '';
    }
    const { event, counts } = parse;
    await this.takeInbox();
    try {
      await spool.append(event);
    } catch (error) {
      log.error('event not accepted', { event: name, ...factsOf(error) });
      return undefined;
    }
    heard.take(event);
    if (Object.keys(counts).length > 0) workers.note('redacted', { at: event.at, counts });
    queue.wake();
    return this.#answerOnce(event, attended);
  }

  /** What stands about a file, in hook JSON. One at a time in a session: nothing is said twice to edits made at once. */
  beforeEdit(question: EditQuestion): Promise<string> {
    const { session, agent } = question;
    const notes = this.#options.heard.session(agent ? `${session}/${agent}` : session);
    const answer = notes.edits.then(() => this.#recallAtEdit(question, notes));
    notes.edits = answer.catch(() => '');
    return answer;
  }

  async #recallAtEdit(
    { session, agent, call, dir, file, limitMs }: EditQuestion,
    notes: SessionNotes,
  ): Promise<string> {
    const at = new Date().toISOString();
    const question: Question & { readonly file: string } = {
      name: 'PreToolUse',
      session,
      projectDir: dir,
      file,
      already: [...notes.given],
      since: notes.since,
      ...(agent ? { agent } : {}),
    };
    const answer = await this.#options.workers.read<Answer>('answer.edit', question, limitMs);
    if (answer.memories.length === 0) return '';
    for (const { id } of answer.memories) notes.given.add(id);
    const about = { session, event: call || at, at, ...(agent ? { agent } : {}) };
    this.#options.workers.note('injected', { ...answer, ...about });
    this.#tellRecall(answer, session, at);
    return answer.output;
  }

  /** What hooks spooled themselves came before whatever is delivered now: order within a session depends on it. */
  async takeInbox(): Promise<void> {
    const { log, spool, queue, heard } = this.#options;
    try {
      if ((await spool.drainInbox((event) => heard.take(event))) > 0) queue.wake();
    } catch (error) {
      log.warn('inbox not taken in', factsOf(error));
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
      .then((output) =>
        attended && event.input.hook_event_name === 'SessionStart'
          ? withNotices(output, this.#options.notices.take())
          : output,
      );
    this.#answers.set(event.id, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > KEPT_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  async #answer(event: SpooledEvent): Promise<string> {
    const session = this.#options.heard.session(event.input.session_id);
    switch (event.input.hook_event_name) {
      case 'SessionStart':
        await this.#options.queue.reached(event.id, SETTLE_MS);
        if (startsFresh(event.input.source)) {
          session.given.clear();
          session.since = event.at;
        }
        if (this.#options.embedder.warm()) void this.#options.workers.read('read.warm', {}).catch(() => {});
        return this.#ask(event, session, this.#briefMs);
      case 'UserPromptSubmit':
        session.promptLength = event.input.prompt?.length ?? 0;
        return this.#ask(event, session, this.#recallMs);
      case 'Stop':
        return this.#saved(event, session);
      case 'SubagentStop':
      case 'PreCompact':
      case 'SessionEnd':
        return '';
    }
  }

  async #ask(event: SpooledEvent, session: SessionNotes, timeoutMs: number): Promise<string> {
    const { input } = event;
    const question: Question = {
      name: input.hook_event_name,
      session: input.session_id,
      projectDir: event.projectDir ?? input.cwd ?? '',
      already: [...session.given],
      since: session.since,
      ...given({ source: input.source, prompt: input.prompt, promptId: input.prompt_id }),
    };
    const began = performance.now();
    const vector =
      input.hook_event_name === 'UserPromptSubmit' && input.prompt
        ? await this.#options.embedder.ask(input.prompt, PROMPT_VECTOR_MS)
        : undefined;
    const left = timeoutMs - (performance.now() - began);
    const asked = vector ? { ...question, vector } : question;
    const answer = await this.#options.workers.read<Answer>('answer', asked, left);
    session.captured = answer.captured;
    if (answer.where === 'prompt') for (const { id } of answer.memories) session.given.add(id);
    const { session: of, promptId } = question;
    this.#options.workers.note('injected', {
      ...answer,
      session: of,
      event: event.id,
      at: event.at,
      promptId,
    });
    if (answer.memories.length > 0) this.#tellRecall(answer, of, event.at);
    return answer.output;
  }

  #tellRecall({ project, where, memories }: Answer, session: string, at: string): void {
    this.#options.onRecall({ at, session, project, where, recalled: memories });
  }

  /** Something the person has to know, said with the next turn that is kept. */
  tellUser(text: string): void {
    this.#news.push(text);
  }

  /** The one line a person sees when a turn was taken: EverMem's users know it, and it proves that capture lives. */
  #saved(event: SpooledEvent, session: SessionNotes): string {
    if (event.input.stop_hook_active) return '';
    const { places, env } = this.#options;
    const { values } = loadConfig({
      places,
      env,
      ...(event.projectDir ? { projectDir: event.projectDir } : {}),
    });
    const shown = session.captured && values['capture.showSaved'];
    const saved = shown ? savedLine(session.promptLength, event.input.last_assistant_message ?? '') : '';
    session.promptLength = 0; // `!cmd` comes without a prompt event
    const lines = [saved, ...this.#news.splice(0)].filter((line) => line !== '');
    return lines.length > 0 ? JSON.stringify({ systemMessage: lines.join('\n') }) : '';
  }
}

/** `Memory saved (2) [user: 156, assistant: 10977 (truncated)]` */
export function savedLine(userLength: number, answer: string): string {
  const saved = storedLengths(userLength, answer.length);
  return saved.count === 0 ? '' : `Memory saved (${saved.count}) [${saved.text}]`;
}
