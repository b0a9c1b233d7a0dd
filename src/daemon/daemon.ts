/**
 * The daemon's main thread: accept, make durable, acknowledge, answer. It parses no transcript, writes no journal and
 * searches nothing itself; that is the writer's and the reader's work, so that a hook never waits behind it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { loadConfig, type ConfigProblem, type LoadedConfig } from '../config/index.ts';
import {
  briefFile,
  isNewer,
  TidemarkError,
  VERSION,
  type HookName,
  type Places,
  type SpooledEvent,
} from '../model/index.ts';
import { storedLengths } from '../transcript/index.ts';
import { startTimeOf } from './_process.ts';
import { WorkerPort } from './_worker-port.ts';
import type { Answer, Question } from './answers.ts';
import { writeAtomically } from './durable.ts';
import { readIntake } from './intake.ts';
import { acquireLock, type Lock } from './lock.ts';
import { factsOf, openLog, type Log } from './log.ts';
import { Queue } from './queue.ts';
import { serveSocket, socketPath } from './socket.ts';
import { Spool, type SpoolStatus } from './spool.ts';

/** SessionStart may wait this long for what the last session said to be digested; the rest of its budget is answering. */
const SETTLE_MS = 600;
const BRIEF_MS = 350;
/** UserPromptSubmit has 300 ms in all; the hook itself needs some of them. */
const RECALL_MS = 150;
const PROCESS_TIMEOUT_MS = 120_000;
/** How many answers are kept for a second delivery of the same attempt. */
const KEPT_ANSWERS = 256;
/** More are not worked in at once; what an older one was given stands in the index. */
const KEPT_SESSIONS = 256;
/** Stores are closed in milliseconds unless a long import holds them; that one is safe to cut short. */
const CLOSE_MS = 1000;
const SWEEP_EVERY_MS = 60_000;
const HEARD_EVERY_MS = 500;

export interface DaemonStatus {
  readonly version: string;
  readonly pid: number;
  readonly socket: string;
  readonly startedAt: string;
  readonly node: string;
  readonly rssMb: number;
  readonly spool: SpoolStatus;
  readonly busy: boolean;
  readonly lastEvent: Readonly<Partial<Record<HookName, string>>>;
  /** Those heard of since it started, with the last event of each. */
  readonly sessions: readonly { readonly id: string; readonly event: HookName; readonly at: string }[];
  /** Events that could not be processed, and why. */
  readonly setAside: readonly { readonly id: string; readonly at: string; readonly reason: string }[];
  readonly config: readonly ConfigProblem[];
}

/** The hub is an edge above the daemon: whoever starts the daemon hands it in. */
export interface Hub {
  readonly port: number;
  /** An address that lets one browser in, once. */
  link(): string;
  close(): Promise<void>;
}

export type StartHub = (options: {
  readonly port: number;
  readonly call: (method: string, args: unknown) => Promise<unknown>;
}) => Promise<Hub>;

interface SessionMemory {
  /** What prompts brought back since the session began or was compacted. */
  readonly given: Set<string>;
  since: string;
  promptLength: number;
  last: { readonly event: HookName; readonly at: string } | undefined;
}

interface Parts {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly config: LoadedConfig;
  readonly log: Log;
  readonly lock: Lock;
  readonly spool: Spool;
  readonly startHub: StartHub;
}

export class Daemon {
  readonly #places: Places;
  readonly #config: LoadedConfig;
  readonly #log: Log;
  readonly #lock: Lock;
  readonly #spool: Spool;
  readonly #queue: Queue;
  readonly #writer: WorkerPort;
  readonly #reader: WorkerPort;
  readonly #startedAt = new Date();
  readonly #sessions = new Map<string, SessionMemory>();
  readonly #answers = new Map<string, Promise<string>>();
  /** Folders whose brief is being made, and whether it has to be made again. */
  readonly #briefs = new Map<string, boolean>();
  readonly #lastEvent: Partial<Record<HookName, string>>;
  readonly #idleMs: number;
  readonly #startHub: StartHub;
  #hub: Promise<Hub> | undefined;
  #server: Server | undefined;
  #socket = '';
  #idleTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #heardTimer: NodeJS.Timeout | undefined;
  #calls = 0;
  #stopping: Promise<void> | undefined;
  #leaveWhenIdle: string | undefined;
  #mending: Promise<void> | undefined;

  /** Undefined when another daemon holds the lock. */
  static async start(
    places: Places,
    env: NodeJS.ProcessEnv,
    startHub: StartHub,
  ): Promise<Daemon | undefined> {
    process.umask(0o077);
    mkdirSync(places.run, { recursive: true, mode: 0o700 });
    const lock = acquireLock(places.lock);
    if (!lock) return undefined;
    const config = loadConfig({ places, env });
    const log = openLog(places.log, config.values['log.level']);
    const spool = await Spool.open(places);
    const daemon = new Daemon({ places, env, config, log, lock, spool, startHub });
    await daemon.#listen(socketPath(places, env));
    return daemon;
  }

  private constructor({ places, env, config, log, lock, spool, startHub }: Parts) {
    this.#places = places;
    this.#config = config;
    this.#log = log;
    this.#lock = lock;
    this.#spool = spool;
    this.#startHub = startHub;
    this.#lastEvent = readHeard(join(places.run, 'heard.json'));
    this.#idleMs = Number(env['TIDEMARK_IDLE_MS'] ?? config.values['daemon.idleMinutes'] * 60_000);
    this.#writer = this.#worker('writer');
    this.#reader = this.#worker('reader');
    this.#queue = new Queue({
      spool,
      log,
      ready: () => this.#writer.call('ready', {}, PROCESS_TIMEOUT_MS),
      process: async (event) => {
        await this.#writer.call('process', event, PROCESS_TIMEOUT_MS);
        if (event.input.hook_event_name !== 'UserPromptSubmit') this.#keepBriefOf(event);
      },
    });
  }

  async #listen(path: string): Promise<void> {
    this.#socket = path;
    this.#server = await serveSocket(path, {
      hook: (name, body) => this.#hook(name, body),
      call: (method, args, progress, signal) => this.#call(method, args, progress, signal),
    });
    writeFileSync(this.#places.socketPointer, `${path}\n`, { mode: 0o600 });
    await this.#announce(null);
    rmSync(this.#places.leaveAlone, { force: true });
    rmSync(this.#places.starting, { force: true });
    this.#log.info('daemon up', { version: VERSION, node: process.version });
    await this.#spool.drainInbox();
    this.#queue.wake();
    this.#touch();
    this.#sweepTimer = setInterval(() => void this.#sweep(), SWEEP_EVERY_MS);
    void this.#sweep();
  }

  /** Who we are, for clients that must tell a hung daemon from a reused pid. */
  async #announce(hub: Pick<Hub, 'port'> | null): Promise<void> {
    const self = {
      pid: process.pid,
      startedAt: this.#startedAt.toISOString(),
      startTime: startTimeOf(process.pid) ?? null,
      version: VERSION,
      socket: this.#socket,
      hub: hub && { port: hub.port },
    };
    await writeAtomically(this.#places.daemon, JSON.stringify(self));
  }

  // ------------------------------------------------------------------ hooks

  async #hook(name: HookName, body: Buffer): Promise<string | undefined> {
    if (this.#stopping) return undefined;
    this.#touch();
    const now = new Date();
    const intake = readIntake(body, name, now);
    if (intake.clientVersion && isNewer(intake.clientVersion, VERSION)) {
      this.#leaveWhenIdle = `a newer client (${intake.clientVersion}) is here`;
    }
    if (!intake.parse.ok) {
      // Nothing a second delivery could mend: take note and let the agent go on.
      this.#log.warn('event refused', { event: name, reason: intake.parse.reason });
      return '';
    }
    const { event, counts } = intake.parse;
    await this.#takeInbox();
    try {
      await this.#spool.append(event);
    } catch (error) {
      this.#log.error('event not accepted', { event: name, ...factsOf(error) });
      return undefined;
    }
    this.#heard(name, event);
    if (Object.keys(counts).length > 0)
      void this.#writer.call('redacted', { at: event.at, counts }, 0).catch(() => {});
    this.#queue.wake();
    const known = this.#answers.get(event.id);
    if (known) return known;
    const answer = this.#answer(name, event).catch((error: unknown) => {
      this.#log.warn('no answer', { event: name, ...factsOf(error) });
      return '';
    });
    this.#remember(event.id, answer);
    return answer;
  }

  /** What hooks spooled themselves came before whatever is delivered now: order within a session depends on it. */
  async #takeInbox(): Promise<void> {
    try {
      if ((await this.#spool.drainInbox()) > 0) this.#queue.wake();
    } catch (error) {
      this.#log.warn('inbox not taken in', factsOf(error));
    }
  }

  async #answer(name: HookName, event: SpooledEvent): Promise<string> {
    const session = this.#session(event.input.session_id);
    switch (name) {
      case 'SessionStart':
        await this.#queue.reached(event.id, SETTLE_MS);
        session.given.clear();
        session.since = event.at;
        return this.#ask(event, session, BRIEF_MS);
      case 'UserPromptSubmit':
        session.promptLength = event.input.prompt?.length ?? 0;
        return this.#ask(event, session, RECALL_MS);
      case 'Stop':
        return this.#saved(event, session);
      case 'SubagentStop':
      case 'PreCompact':
      case 'SessionEnd':
        return '';
    }
  }

  async #ask(event: SpooledEvent, session: SessionMemory, timeoutMs: number): Promise<string> {
    const { input } = event;
    const question: Question = {
      name: input.hook_event_name,
      session: input.session_id,
      projectDir: event.projectDir ?? input.cwd ?? '',
      already: [...session.given],
      since: session.since,
      ...(input.source === undefined ? {} : { source: input.source }),
      ...(input.prompt === undefined ? {} : { prompt: input.prompt }),
      ...(input.prompt_id === undefined ? {} : { promptId: input.prompt_id }),
    };
    const answer = await this.#read<Answer>('answer', question, timeoutMs);
    if (answer.where === 'prompt') for (const { id } of answer.memories) session.given.add(id);
    void this.#writer
      .call(
        'injected',
        { ...answer, session: input.session_id, event: event.id, at: event.at, promptId: input.prompt_id },
        0,
      )
      .catch((error: unknown) => this.#log.warn('injection not recorded', factsOf(error)));
    return answer.output;
  }

  /** The one line a person sees when a turn was taken: EverMem's users know it, and it proves that capture lives. */
  #saved(event: SpooledEvent, session: SessionMemory): string {
    if (!this.#config.values['capture.showSaved'] || event.input.stop_hook_active) return '';
    const line = savedLine(session.promptLength, event.input.last_assistant_message ?? '');
    return line ? JSON.stringify({ systemMessage: line }) : '';
  }

  /** One at a time for each folder, however many events a backlog holds: the reader has prompts to answer too. */
  #keepBriefOf(event: SpooledEvent): void {
    const dir = event.projectDir ?? event.input.cwd;
    if (!dir) return;
    const underWay = this.#briefs.has(dir);
    this.#briefs.set(dir, underWay);
    if (underWay) return;
    const keep = async (): Promise<void> => {
      await this.#keepBrief(dir);
      if (!this.#briefs.get(dir)) return void this.#briefs.delete(dir);
      this.#briefs.set(dir, false);
      await keep();
    };
    void keep();
  }

  /** The brief as it would be now, kept for the moment a session starts and no daemon answers. */
  async #keepBrief(dir: string): Promise<void> {
    try {
      const question: Question = {
        name: 'SessionStart',
        session: '',
        projectDir: dir,
        already: [],
        since: '',
      };
      const { output } = await this.#read<Answer>('answer', question, PROCESS_TIMEOUT_MS);
      if (!output) return;
      mkdirSync(this.#places.briefs, { recursive: true, mode: 0o700 });
      await writeAtomically(
        briefFile(this.#places, dir),
        JSON.stringify({ at: new Date().toISOString(), output }),
      );
    } catch (error) {
      this.#log.warn('brief not kept', factsOf(error));
    }
  }

  // ------------------------------------------------------------------ calls

  async #call(
    method: string,
    args: unknown,
    progress: (facts: unknown) => void,
    signal: AbortSignal,
  ): Promise<unknown> {
    this.#touch();
    this.#calls++;
    try {
      switch (method) {
        case 'status':
          return await this.#status();
        case 'stop':
          setImmediate(() => void this.stop('asked to'));
          return { pid: process.pid };
        case 'hub.link':
          return { url: (await this.#openHub()).link() };
        case 'drain':
          await this.#spool.drainInbox();
          this.#queue.wake();
          await this.#queue.idle();
          return {};
        default:
          return await this.#passOn(method, args, progress, signal);
      }
    } finally {
      this.#calls--;
      this.#touch();
    }
  }

  /** Reading goes to the reader; whatever changes something goes to the single writer. */
  async #passOn(
    method: string,
    args: unknown,
    progress: (facts: unknown) => void,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (method.startsWith('read.')) return this.#read(method, args, PROCESS_TIMEOUT_MS);
    const port = this.#writer;
    const ticket = `${method}-${performance.now()}`;
    this.#progress.set(ticket, progress);
    const cancel = () => void port.call('cancel', { ticket }, 0).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await port.call(method, { ...(args as object), ticket }, 0);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#progress.delete(ticket);
    }
  }

  /** An index that turns out to be damaged while it is read is built anew by the one who may write it. */
  async #read<T>(method: string, args: unknown, timeoutMs: number): Promise<T> {
    const stopAt = performance.now() + timeoutMs;
    try {
      return await this.#reader.call<T>(method, args, timeoutMs);
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      if (error.code === 'index-corrupt') this.#mendIndex(error.message);
      if (error.code !== 'index-missing') throw error;
    }
    // Just made or being built anew: the writer is ready when it is whole.
    await this.#writer.call('ready', {}, Math.max(1, stopAt - performance.now()));
    return this.#reader.call<T>(method, args, Math.max(1, stopAt - performance.now()));
  }

  #mendIndex(why: string): void {
    this.#mending ??= this.#writer
      .call<void>('mend', { why }, 0)
      .catch((error: unknown) => this.#log.error('index not mended', factsOf(error)))
      .finally(() => (this.#mending = undefined));
  }

  /** The hub's port is opened when somebody asks for it, not before. */
  #openHub(): Promise<Hub> {
    this.#hub ??= this.#startHub({
      port: this.#config.values['hub.port'],
      call: (method, args) => this.#call(method, args, () => {}, new AbortController().signal),
    }).then(async (hub) => {
      await this.#announce(hub);
      this.#log.info('hub up', { port: hub.port });
      return hub;
    });
    return this.#hub;
  }

  async #status(): Promise<DaemonStatus> {
    const spool = this.#spool.status();
    const memory = process.memoryUsage();
    return {
      version: VERSION,
      pid: process.pid,
      socket: this.#socket,
      startedAt: this.#startedAt.toISOString(),
      node: process.version,
      rssMb: Math.round(memory.rss / 1024 / 1024),
      spool,
      busy: this.#queue.busy,
      lastEvent: this.#lastEvent,
      sessions: [...this.#sessions].flatMap(([id, { last }]) => (last ? [{ id, ...last }] : [])),
      setAside: (await this.#spool.poisoned()).map(({ id, at, reason }) => ({ id, at, reason })),
      config: this.#config.problems,
    };
  }

  // ------------------------------------------------------------------ life

  readonly #progress = new Map<string, (facts: unknown) => void>();

  #worker(role: 'writer' | 'reader'): WorkerPort {
    return new WorkerPort({
      file: join(__dirname, 'worker.cjs'),
      data: { role, home: this.#places.home },
      onNotice: (name, facts) => this.#noticed(name, facts),
      onDeath: (error) => this.#log.error(`${role} died`, factsOf(error)),
    });
  }

  #noticed(name: string, facts: unknown): void {
    if (name !== 'progress') return this.#log.info(name, facts as Record<string, unknown>);
    const { ticket, ...rest } = facts as { ticket: string };
    this.#progress.get(ticket)?.(rest);
  }

  /** When each hook was last heard, for `doctor`: "ran and found nothing" is not "dead". */
  #heard(name: HookName, { at, input }: SpooledEvent): void {
    this.#lastEvent[name] = at;
    this.#session(input.session_id).last = { event: name, at };
    this.#heardTimer ??= setTimeout(() => {
      this.#heardTimer = undefined;
      void writeAtomically(join(this.#places.run, 'heard.json'), JSON.stringify(this.#lastEvent)).catch(
        () => {},
      );
    }, HEARD_EVERY_MS);
  }

  #session(id: string): SessionMemory {
    const known = this.#sessions.get(id) ?? {
      given: new Set<string>(),
      since: '',
      promptLength: 0,
      last: undefined,
    };
    this.#sessions.delete(id);
    this.#sessions.set(id, known); // last in the map is the one heard last
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > KEPT_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return known;
  }

  #remember(id: string, answer: Promise<string>): void {
    this.#answers.set(id, answer);
    const oldest = this.#answers.keys().next().value;
    if (this.#answers.size > KEPT_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
  }

  async #sweep(): Promise<void> {
    try {
      await this.#takeInbox();
      await this.#writer.call('sweep', {}, PROCESS_TIMEOUT_MS);
    } catch (error) {
      this.#log.warn('sweep failed', factsOf(error));
    }
  }

  #touch(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(
      () => this.#leaveIfIdle(),
      this.#leaveWhenIdle ? Math.min(this.#idleMs, 200) : this.#idleMs,
    );
  }

  #leaveIfIdle(): void {
    if (this.#queue.busy || this.#calls > 0) return this.#touch();
    void this.stop(this.#leaveWhenIdle ?? 'idle');
  }

  /** Graceful: no new work, the event in hand is finished, nothing is left behind. */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#leave(reason);
    return this.#stopping;
  }

  async #leave(reason: string): Promise<void> {
    this.#log.info('daemon leaves', { reason });
    clearTimeout(this.#idleTimer);
    clearInterval(this.#sweepTimer);
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeIdleConnections();
    await Promise.race([this.#queue.stop(), new Promise((resolve) => setTimeout(resolve, 3000))]);
    await this.#spool.close();
    await (await this.#hub)?.close();
    // The last to close an index brings its log into the file, so the one who may write has to be last.
    await this.#reader.stop();
    await this.#writer.call('close', {}, CLOSE_MS).catch(() => {});
    await this.#writer.stop();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500))]);
    rmSync(this.#places.daemon, { force: true });
    this.#lock.release();
    process.exit(0);
  }
}

function readHeard(path: string): Partial<Record<HookName, string>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<HookName, string>>;
  } catch {
    return {};
  }
}

/** `Memory saved (2) [user: 156, assistant: 10977 (truncated)]` */
export function savedLine(userLength: number, answer: string): string {
  const saved = storedLengths(userLength, answer.length);
  return saved.count === 0 ? '' : `Memory saved (${saved.count}) [${saved.text}]`;
}
