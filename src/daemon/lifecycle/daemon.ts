/**
 * The daemon: one per data folder, listens on its socket, stops when idle and leaves nothing behind. The main thread
 * only accepts and answers; worker threads parse, write and search, so that a hook never waits.
 */
import { mkdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { loadConfig, type ConfigProblem, type LoadedConfig } from '../../config/index.ts';
import { checkHome, isNewer, VERSION, type HookName, type Places } from '../../core/index.ts';
import {
  requireUsableHome,
  startTimeOf,
  writeAtomically,
  writeAtomicallySync,
  removeTemporaries,
} from '../../files/index.ts';
import { watchFolder } from '../../storage/journal/index.ts';
import { watchInbox, Spool, type SpoolStatus } from '../../storage/spool/index.ts';
import { answerCalls, parseCall, type AnswerCall } from '../api/calls.ts';
import type { ArgsOf, CallName, ResultOf, Task } from '../api/table.ts';
import { Watchers } from '../api/watchers.ts';
import { Announcements, type WaitingEntry } from '../scheduling/announcements.ts';
import { Notices } from '../scheduling/notices.ts';
import { Queue } from '../scheduling/queue.ts';
import { knownUpdate, type Update } from '../scheduling/update-check.ts';
import { UpdateNotifier } from '../scheduling/update-notifier.ts';
import { HookActivity, type AgentEvents } from '../socket/hook-activity.ts';
import { HookHandler } from '../socket/hook-handler.ts';
import { HubServer, type Hub, type StartHub } from '../socket/hub-server.ts';
import { serveSocket, socketPath } from '../socket/socket.ts';
import { StoredBriefs } from '../socket/stored-briefs.ts';
import { chooseSmallModel } from '../../models/index.ts';
import { EmbedClient } from '../workers/embed-client.ts';
import { SmallClient } from '../workers/small-client.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { migrate } from './format.ts';
import { collectGarbage } from './heap.ts';
import { acquireLock, type Lock } from './lock.ts';
import { factsOf, openLog, type Log } from './log.ts';
import { repairRecord } from './record.ts';
import { startSuccessor } from './successor.ts';

/** A write takes milliseconds: an older temporary file was left by a process that was killed. */
const ABANDONED_MS = 60_000;
const SWEEP_EVERY_MS = 60_000;
/** A sweep at rest starts the writer's thread, so there are fewer. A daemon that works sweeps every minute. */
const SWEEP_AT_REST_MS = 10 * 60_000;
/** A newer daemon is to take over: stop as soon as nothing happens for this long. */
const HANDOVER_MS = 200;
/** Without events or calls for this long the writer's thread ends. Long enough for a user who reads an answer. */
const REST_MS = 8 * 60_000;
/** How soon the daemon tries again when work was under way. */
const REST_AGAIN_MS = 15_000;
const FINISH_MS = 3000;
/** How long the writer may work on one event without progress. A few turns take milliseconds. */
const EVENT_LIMIT_MS = 120_000;
const HANG_UP_MS = 500;
const LOADED_MS = performance.now();

export interface DaemonStatus {
  readonly version: string;
  readonly pid: number;
  readonly socket: string;
  readonly startedAt: string;
  readonly node: string;
  readonly rssMb: number;
  readonly spool: SpoolStatus;
  readonly busy: boolean;
  /** Events that were begun and are not finished. */
  readonly processing: number;
  readonly lastEvent: Readonly<Partial<Record<HookName, string>>>;
  /** The last event of each agent. */
  readonly agents: AgentEvents;
  /** Sessions since the start, with the last event of each. */
  readonly sessions: readonly { readonly id: string; readonly event: HookName; readonly at: string }[];
  /** Events that could not be processed, and why. */
  readonly setAside: readonly { readonly id: string; readonly at: string; readonly reason: string }[];
  readonly config: readonly ConfigProblem[];
  /** A newer version, if one is known. */
  readonly update: Update | null;
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
  readonly #workers: WorkerPool;
  readonly #embedder: EmbedClient;
  readonly #small: SmallClient;
  readonly #activity: HookActivity;
  readonly #hooks: HookHandler;
  readonly #hub: HubServer;
  readonly #answer: AnswerCall;
  readonly #notices: Notices;
  readonly #announcements = new Announcements();
  readonly #notifier: UpdateNotifier;
  readonly #watchers = new Watchers();
  readonly #startedAt = new Date();
  readonly #idleMs: number;
  readonly #restMs: number;
  #server: Server | undefined;
  #socket = '';
  #idleTimer: NodeJS.Timeout | undefined;
  #restTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #unwatchInbox: () => void = () => {};
  /** Set while the writer's thread is ended; aborted with the first event or call. */
  #rest: AbortController | undefined;
  #sweptAt = 0;
  #calls = 0;
  #stopping: Promise<void> | undefined;
  #handOver: string | undefined;
  #successor: string | undefined;

  /** Returns undefined when another daemon has the lock. */
  static async start(
    places: Places,
    env: NodeJS.ProcessEnv,
    startHub: StartHub,
  ): Promise<Daemon | undefined> {
    process.umask(0o077);
    checkHome(places);
    requireUsableHome(places);
    mkdirSync(places.run, { recursive: true, mode: 0o700 });
    const lock = acquireLock(places.lock);
    if (!lock) return undefined;
    for (const folder of [places.home, places.run]) await removeTemporaries(folder, ABANDONED_MS);
    const config = loadConfig({ places, env });
    const log = openLog(places.log, config.values['log.level']);
    await migrateData(places, log);
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
    this.#idleMs = Number(env['TIDEMARK_IDLE_MS'] ?? config.values['daemon.idleMinutes'] * 60_000);
    this.#restMs = Number(env['TIDEMARK_REST_MS'] ?? REST_MS);
    const eventLimitMs = Number(env['TIDEMARK_EVENT_LIMIT_MS'] ?? EVENT_LIMIT_MS);
    const models = {
      places,
      env,
      program: join(__dirname, 'embedder.cjs'),
      runtime: join(__dirname, 'embed'),
    };
    const small = new SmallClient({
      choose: () => chooseSmallModel(loadConfig({ places, env }).values, models),
      onStep: () => this.#workers.progressed(),
    });
    const workers = new WorkerPool({
      answers: small.answers,
      file: (role) => join(__dirname, `${role}.cjs`),
      home: places.home,
      log,
      readLimitMs: eventLimitMs,
      onStuck: () => void this.#replaceWriter(),
      onNotice: (name, facts) => {
        // Its titles are for the user, not for the log.
        if (name === 'entries wait') return this.#announceSharing(facts);
        log.info(name, facts);
        this.#watchers.publish(name, facts);
        this.#embedder.wake();
        if (name === 'captured' || name === 'kept')
          this.#hooks.noteRemembered(String(facts['session']), facts['memories'] as readonly string[]); // as the writer sends them
        if (name === 'to the user') this.#hooks.showUser(String(facts['text']));
        if (name === 'forgotten' || name === 'sharing decided')
          this.#announcements.drop(facts['memories'] as readonly string[]); // sent by the writer
      },
    });
    workers.warm();
    const briefs = new StoredBriefs(places, workers, log);
    const queue = new Queue({
      spool,
      log,
      suspectFile: join(places.spool, 'suspect.json'),
      ready: () => workers.write('ready', {}),
      onHang: () => this.#replaceWriter(),
      process: async (event, hurried) => {
        const processed = await workers.process(event, hurried, eventLimitMs);
        const dir = event.projectDir ?? event.input.cwd;
        if (processed === 'done' && dir && event.input.hook_event_name !== 'UserPromptSubmit')
          briefs.update(dir);
        return processed;
      },
    });
    const embedder = new EmbedClient({
      ...models,
      log,
      write: (name, args) => workers.write(name, args),
    });
    this.#workers = workers;
    this.#queue = queue;
    this.#embedder = embedder;
    this.#small = small;
    this.#activity = new HookActivity(places);
    this.#notices = new Notices(places);
    const announcements = this.#announcements;
    const shared = {
      places,
      env,
      log,
      spool,
      queue,
      workers,
      embedder,
      small,
      notices: this.#notices,
      announcements,
    };
    this.#notifier = new UpdateNotifier(shared);
    this.#hooks = new HookHandler({
      ...shared,
      activity: this.#activity,
      onInjected: (injected) => this.#watchers.publish('recalled', { ...injected }),
      onClientVersion: (version, program) => this.#clientSeen(version, program),
    });
    this.#hub = new HubServer(
      startHub,
      {
        port: config.values['hub.port'],
        call: (name, args, progress = () => {}, signal = new AbortController().signal) =>
          this.#call(name, args, { progress: progress as Task['progress'], signal }), // the table's type
        listen: (listener) => this.#watchers.listen(listener),
        onError: (error) => log.error('hub failed', factsOf(error)),
      },
      async (hub) => {
        await this.#announce(hub);
        log.info('hub up', { port: hub.port });
      },
    );
    this.#answer = answerCalls({
      ...shared,
      briefs,
      hooks: this.#hooks,
      notifier: this.#notifier,
      watchers: this.#watchers,
      hub: this.#hub,
      status: () => this.#status(),
      stop: () => void this.stop('asked to'),
    });
  }

  async #listen(path: string): Promise<void> {
    this.#socket = path;
    repairRecord(this.#places, __dirname);
    rmSync(this.#places.uninstalled, { force: true }); // it was installed again
    this.#server = await serveSocket(path, {
      isStopping: () => this.#stopping !== undefined,
      hook: async (name, agent, body) => {
        if (this.#stopping) return undefined;
        this.#touch();
        return this.#hooks.receive(name, agent, body).finally(() => this.#touch());
      },
      toolHook: (name, agent, body) => {
        this.#touch();
        return this.#hooks.answerTool(name, agent, body);
      },
      call: async (name, args, task, version) => {
        // First: a newer client may call what this daemon does not know, and the next daemon does.
        if (version) this.#clientSeen(version);
        this.#touch();
        const call = parseCall(name, args);
        return this.#call(call.name, call.args, task);
      },
    });
    writeAtomicallySync(this.#places.socketPointer, `${path}\n`);
    await this.#announce(null);
    rmSync(this.#places.leaveAlone, { force: true });
    rmSync(this.#places.starting, { force: true });
    this.#log.info('daemon up', { version: VERSION, node: process.version, ...startFacts() });
    this.#unwatchInbox = watchInbox(this.#places.inbox, () => {
      this.#wakeUp();
      void this.#hooks.takeInbox();
    });
    await this.#hooks.takeInbox();
    this.#queue.wake();
    this.#touch();
    this.#sweepTimer = setInterval(() => void this.#sweep(), SWEEP_EVERY_MS);
    void this.#sweep();
  }

  /** A newer client gets a newer daemon as soon as nothing happens here. */
  #clientSeen(version: string, program?: string): void {
    this.#notices.seen(version);
    if (!isNewer(version, VERSION)) return;
    this.#handOver = `a newer client (${version}) is here`;
    this.#successor = program ?? this.#successor;
  }

  /** Writes daemon.json, by which clients tell a hung daemon from a reused pid. */
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

  async #call<N extends CallName>(name: N, args: ArgsOf<N>, task: Task): Promise<ResultOf<N>> {
    this.#touch();
    this.#calls++;
    try {
      return await this.#answer(name, args, task);
    } finally {
      this.#calls--;
      this.#touch();
    }
  }

  async #status(): Promise<DaemonStatus> {
    return {
      version: VERSION,
      pid: process.pid,
      socket: this.#socket,
      startedAt: this.#startedAt.toISOString(),
      node: process.version,
      rssMb: rssMb(),
      spool: this.#spool.status(),
      busy: this.#queue.busy,
      processing: this.#queue.processing,
      lastEvent: this.#activity.times,
      agents: this.#activity.agents,
      sessions: this.#activity.sessions(),
      setAside: (await this.#spool.quarantined()).map(({ id, at, reason }) => ({ id, at, reason })),
      config: this.#config.problems,
      update: knownUpdate(this.#places) ?? null,
    };
  }

  /** A writer that cannot be ended ends with the process; a new daemon continues with the spool. */
  async #replaceWriter(): Promise<void> {
    if (await this.#workers.replaceWriter()) return this.#log.warn('writer hung and was replaced');
    this.#log.error('writer hangs and cannot be ended: the daemon starts again');
    startSuccessor(this.#places, __dirname);
    // Not exit(), which waits for every thread. The kernel releases the lock.
    process.kill(process.pid, 'SIGKILL');
  }

  async #sweep(): Promise<void> {
    const wasAtRest = this.#rest !== undefined;
    if (wasAtRest && performance.now() - this.#sweptAt < SWEEP_AT_REST_MS) return;
    this.#sweptAt = performance.now();
    try {
      await this.#hooks.takeInbox();
      await this.#workers.write('sweep', {}).finally(() => this.#embedder.wake());
      await this.#notifier.check();
    } catch (error) {
      this.#log.warn('sweep failed', factsOf(error));
    }
    // No event arrived meanwhile: the thread ends again.
    if (wasAtRest && this.#rest) await this.#restNow();
  }

  #announceSharing(facts: Readonly<Record<string, unknown>>): void {
    // Sent by src/exchange/sync/team/rounds.ts.
    const { team, project, entries } = facts as { team: string; project: string; entries: WaitingEntry[] };
    this.#announcements.add(team, entries);
    this.#log.info('entries wait', { project, memories: entries.map(({ id }) => id) });
  }

  #touch(): void {
    this.#wakeUp();
    this.#restLater();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(
      () => this.#stopIfIdle(),
      this.#handOver ? Math.min(this.#idleMs, HANDOVER_MS) : this.#idleMs,
    );
  }

  #restLater(ms = this.#restMs): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => void this.#restNow(), ms);
  }

  /** Ends the writer's thread and gives back memory. Work under way comes first. */
  async #restNow(): Promise<void> {
    if (this.#stopping) return;
    this.#endRest();
    const rest = new AbortController();
    this.#rest = rest;
    // The writer watches the journal; while it is ended, an edit starts it.
    watchFolder(this.#places.journal, rest.signal, () => this.#wakeUp());
    const rested =
      !this.#isBusy() &&
      (await this.#workers.rest().catch((error: unknown) => {
        this.#log.warn('rest failed', factsOf(error));
        return false;
      }));
    if (rest.signal.aborted) return;
    if (!rested) {
      this.#endRest();
      return this.#restLater(Math.min(this.#restMs, REST_AGAIN_MS));
    }
    collectGarbage();
    this.#log.debug('at rest', { rssMb: rssMb() });
  }

  #isBusy(): boolean {
    const isCalled = this.#calls > this.#watchers.followers;
    const isMaking = this.#embedder.busy || this.#workers.keeping.working;
    // An entry that waits leaves when its time has come, not with the next session.
    return isCalled || this.#queue.busy || isMaking || this.#announcements.isWaiting(new Date());
  }

  #endRest(): void {
    clearTimeout(this.#restTimer);
    this.#rest?.abort();
    this.#rest = undefined;
  }

  /** Starts the writer's thread again. */
  #wakeUp(): void {
    if (!this.#rest) return;
    this.#endRest();
    this.#workers.warm();
    void this.#workers.write('ready', {}).catch(() => {}); // the next event reports it
    this.#restLater();
  }

  #stopIfIdle(): void {
    // The successor continues with turns, vectors and followers; calls and events under way are finished first.
    const isBusy = this.#handOver
      ? this.#calls > this.#watchers.followers
      : this.#calls > 0 || this.#embedder.busy || this.#workers.keeping.working || this.#hub.listeners > 0;
    // An entry that waits leaves when its time has come, not with the next session.
    const isSharing = !this.#handOver && this.#announcements.isWaiting(new Date());
    if (this.#queue.busy || isBusy || isSharing) return this.#touch();
    void this.stop(this.#handOver ?? 'idle');
  }

  /** Logs for the program around the daemon. */
  note(event: string, facts: Readonly<Record<string, unknown>>): void {
    this.#log.info(event, facts);
  }

  /** Accepts no new work and finishes the current event. */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#shutDown(reason);
    return this.#stopping;
  }

  async #shutDown(reason: string): Promise<void> {
    this.#log.info('daemon leaves', { reason });
    clearTimeout(this.#idleTimer);
    this.#endRest();
    clearInterval(this.#sweepTimer);
    this.#unwatchInbox();
    this.#watchers.close(reason);
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeIdleConnections();
    await Promise.race([this.#queue.stop(), new Promise((resolve) => setTimeout(resolve, FINISH_MS))]);
    await this.#spool.close();
    await this.#hub.close();
    await this.#embedder.close();
    const isOver = await this.#workers.close();
    await this.#small.close(); // after the writer, which would report it as a failure
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, HANG_UP_MS))]);
    rmSync(this.#places.daemon, { force: true });
    this.#lock.release();
    if (this.#handOver && startSuccessor(this.#places, this.#successor)) this.#log.info('successor started');
    // exit() waits for every thread, also for one that waits for the system.
    if (!isOver) process.kill(process.pid, 'SIGKILL');
    process.exit(0);
  }
}

function rssMb(): number {
  return Math.round(process.memoryUsage.rss() / 1024 / 1024);
}

/** When the process was started, and how long it took to load the program. */
function startFacts(): { readonly bornMs: number; readonly loadedMs: number } {
  return { bornMs: Math.round(performance.timeOrigin), loadedMs: Math.round(LOADED_MS) };
}

async function migrateData(places: Places, log: Log): Promise<void> {
  try {
    const done = await migrate(places);
    if (done) log.info('data migrated', { ...done });
  } catch (error) {
    log.error('the data cannot be opened', factsOf(error));
    throw error;
  }
}
