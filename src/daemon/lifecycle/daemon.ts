/**
 * The daemon's life: one per data folder, listening on its socket, leaving when idle, never leaving anything behind. The
 * main thread accepts and answers; parsing, writing and searching are the staff's work, so that a hook never waits.
 */
import { mkdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Processed } from '../../capture/index.ts';
import { loadConfig, type ConfigProblem, type LoadedConfig } from '../../config/index.ts';
import { checkHome, isNewer, VERSION, type HookName, type Places } from '../../core/index.ts';
import { startTimeOf, writeAtomically, writeAtomicallySync } from '../../files/index.ts';
import { watchInbox, Spool, type SpoolStatus } from '../../storage/spool/index.ts';
import { answerCall, type CallParts } from '../api/calls.ts';
import { Watchers } from '../api/watchers.ts';
import { Notices } from '../scheduling/notices.ts';
import { Queue } from '../scheduling/queue.ts';
import { knownUpdate, type Update } from '../scheduling/update-check.ts';
import { UpdateNotifier } from '../scheduling/update-notifier.ts';
import { HookActivity } from '../socket/hook-activity.ts';
import { HookHandler } from '../socket/hook-handler.ts';
import { HubServer, type Hub, type StartHub } from '../socket/hub-server.ts';
import { serveSocket, socketPath } from '../socket/socket.ts';
import { StoredBriefs } from '../socket/stored-briefs.ts';
import { EmbedClient } from '../workers/embed-client.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { migrate } from './format.ts';
import { acquireLock, type Lock } from './lock.ts';
import { factsOf, openLog, type Log } from './log.ts';
import { repairRecord } from './record.ts';
import { startSuccessor } from './successor.ts';

const SWEEP_EVERY_MS = 60_000;
/** A newer client waits for our place: leave as soon as nothing happens for this long. */
const HANDOVER_MS = 200;
const FINISH_MS = 3000;
/** How long the writer may work on one event without progress; a few turns take milliseconds. */
const EVENT_LIMIT_MS = 120_000;
const HANG_UP_MS = 500;

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
  /** A newer version that was found, if one was. */
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
  readonly #briefs: StoredBriefs;
  readonly #heard: HookActivity;
  readonly #hooks: HookHandler;
  readonly #hub: HubServer;
  readonly #callParts: CallParts;
  readonly #notices: Notices;
  readonly #notifier: UpdateNotifier;
  readonly #watchers = new Watchers();
  readonly #startedAt = new Date();
  readonly #idleMs: number;
  #server: Server | undefined;
  #socket = '';
  #idleTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #unwatchInbox: () => void = () => {};
  #calls = 0;
  #stopping: Promise<void> | undefined;
  #leaveWhenIdle: string | undefined;
  #successor: string | undefined;
  #watches = 0;

  /** Undefined when another daemon holds the lock. */
  static async start(
    places: Places,
    env: NodeJS.ProcessEnv,
    startHub: StartHub,
  ): Promise<Daemon | undefined> {
    process.umask(0o077);
    checkHome(places);
    mkdirSync(places.run, { recursive: true, mode: 0o700 });
    const lock = acquireLock(places.lock);
    if (!lock) return undefined;
    const config = loadConfig({ places, env });
    const log = openLog(places.log, config.values['log.level']);
    await bringUpToDate(places, log);
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
    this.#heard = new HookActivity(join(places.run, 'heard.json'));
    const eventLimitMs = Number(env['TIDEMARK_EVENT_LIMIT_MS'] ?? EVENT_LIMIT_MS);
    this.#workers = new WorkerPool({
      readLimitMs: eventLimitMs,
      onStuck: () => void this.#replaceWriter(),
      file: join(__dirname, 'worker.cjs'),
      home: places.home,
      log,
      onNotice: (name, facts) => {
        log.info(name, facts);
        this.#watchers.tell(name, facts);
        this.#embedder.wake();
        if (name === 'to the user') this.#hooks.tellUser(String(facts['text']));
      },
    });
    this.#embedder = new EmbedClient({
      places,
      env,
      log,
      program: join(__dirname, 'embedder.cjs'),
      runtime: join(__dirname, 'embed'),
      write: (method, args) => this.#workers.write(method, args),
    });
    this.#briefs = new StoredBriefs(places, this.#workers, log);
    this.#queue = new Queue({
      spool,
      log,
      suspectFile: join(places.spool, 'suspect.json'),
      ready: () => this.#workers.write('ready', {}),
      onHang: () => this.#replaceWriter(),
      process: async (event, hurried) => {
        const processed = await this.#workers.process<Processed>(event, hurried, eventLimitMs);
        if (processed === 'too-early') return processed;
        const dir = event.projectDir ?? event.input.cwd;
        if (dir && event.input.hook_event_name !== 'UserPromptSubmit') this.#briefs.renew(dir);
        return processed;
      },
    });
    this.#notices = new Notices(places);
    this.#notifier = new UpdateNotifier({
      places,
      env,
      log,
      notices: this.#notices,
      workers: this.#workers,
      embedder: this.#embedder,
    });
    this.#hooks = new HookHandler({
      places,
      env,
      log,
      spool,
      queue: this.#queue,
      workers: this.#workers,
      embedder: this.#embedder,
      heard: this.#heard,
      onRecall: (recalled) => this.#watchers.tell('recalled', { ...recalled }),
      notices: this.#notices,
      onClientVersion: (version, program) => this.#clientSeen(version, program),
    });
    this.#hub = new HubServer(
      startHub,
      {
        port: config.values['hub.port'],
        call: (method, args, progress = () => {}, signal = new AbortController().signal) =>
          this.#call(method, args, progress, signal),
        listen: (listener) => this.#watchers.listen(listener),
        onError: (error) => log.error('hub failed', factsOf(error)),
      },
      async (hub) => {
        await this.#announce(hub);
        log.info('hub up', { port: hub.port });
      },
    );
    this.#callParts = {
      places,
      env,
      spool,
      queue: this.#queue,
      workers: this.#workers,
      embedder: this.#embedder,
      briefs: this.#briefs,
      hooks: this.#hooks,
      notifier: this.#notifier,
      watchers: this.#watchers,
      hub: this.#hub,
      status: () => this.#status(),
      stop: () => void this.stop('asked to'),
      onWatch: (change) => (this.#watches += change),
    };
  }

  async #listen(path: string): Promise<void> {
    this.#socket = path;
    repairRecord(this.#places, __dirname);
    rmSync(this.#places.uninstalled, { force: true }); // whoever starts us has us again
    this.#server = await serveSocket(path, {
      isLeaving: () => this.#stopping !== undefined,
      hook: async (name, body) => {
        if (this.#stopping) return undefined;
        this.#touch();
        return this.#hooks.receive(name, body).finally(() => this.#touch());
      },
      call: (method, args, progress, signal, version) => {
        if (version) this.#clientSeen(version);
        return this.#call(method, args, progress, signal);
      },
    });
    writeAtomicallySync(this.#places.socketPointer, `${path}\n`);
    await this.#announce(null);
    rmSync(this.#places.leaveAlone, { force: true });
    rmSync(this.#places.starting, { force: true });
    this.#log.info('daemon up', { version: VERSION, node: process.version });
    this.#unwatchInbox = watchInbox(this.#places.inbox, () => void this.#hooks.takeInbox());
    await this.#hooks.takeInbox();
    this.#queue.wake();
    this.#touch();
    this.#sweepTimer = setInterval(() => void this.#sweep(), SWEEP_EVERY_MS);
    void this.#sweep();
  }

  /** A hook or a call of another version: a newer one gets a newer daemon as soon as nothing happens here. */
  #clientSeen(version: string, program?: string): void {
    this.#notices.seen(version);
    if (!isNewer(version, VERSION)) return;
    this.#leaveWhenIdle = `a newer client (${version}) is here`;
    this.#successor = program ?? this.#successor;
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

  async #call(
    method: string,
    args: unknown,
    progress: (facts: unknown) => void,
    signal: AbortSignal,
  ): Promise<unknown> {
    this.#touch();
    this.#calls++;
    try {
      return await answerCall(this.#callParts, { method, args, progress, signal });
    } finally {
      this.#calls--;
      this.#touch();
    }
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
      lastEvent: this.#heard.times,
      sessions: this.#heard.sessions(),
      setAside: (await this.#spool.poisoned()).map(({ id, at, reason }) => ({ id, at, reason })),
      config: this.#config.problems,
      update: knownUpdate(this.#places) ?? null,
    };
  }

  /** A writer that cannot be ended goes with the process; a new daemon takes over what is in the spool. */
  async #replaceWriter(): Promise<void> {
    if (await this.#workers.replaceWriter()) return this.#log.warn('writer hung and was replaced');
    this.#log.error('writer hangs and cannot be ended: the daemon starts again');
    startSuccessor(__dirname);
    // Not exit(), which waits for every thread. The lock goes with the process.
    process.kill(process.pid, 'SIGKILL');
  }

  async #sweep(): Promise<void> {
    try {
      await this.#hooks.takeInbox();
      await this.#workers.write('sweep', {});
      this.#embedder.wake();
      await this.#notifier.look();
    } catch (error) {
      this.#log.warn('sweep failed', factsOf(error));
    }
  }

  #touch(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(
      () => this.#leaveIfIdle(),
      this.#leaveWhenIdle ? Math.min(this.#idleMs, HANDOVER_MS) : this.#idleMs,
    );
  }

  #leaveIfIdle(): void {
    // Vectors and followers can go on with the successor; an import or an event in hand is finished first.
    const held = this.#leaveWhenIdle ? this.#calls > this.#watches : this.#calls > 0 || this.#embedder.busy;
    if (this.#queue.busy || held) return this.#touch();
    // An open page would go dark; only a newer daemon may do that to it.
    if (this.#leaveWhenIdle === undefined && this.#hub.listeners > 0) return this.#touch();
    void this.stop(this.#leaveWhenIdle ?? 'idle');
  }

  /** Logs what the program around the daemon did. */
  note(event: string, facts: Readonly<Record<string, unknown>>): void {
    this.#log.info(event, facts);
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
    this.#unwatchInbox();
    this.#watchers.close(reason);
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeIdleConnections();
    await Promise.race([this.#queue.stop(), new Promise((resolve) => setTimeout(resolve, FINISH_MS))]);
    await this.#spool.close();
    await this.#hub.close();
    await this.#embedder.close();
    await this.#workers.dismiss();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, HANG_UP_MS))]);
    rmSync(this.#places.daemon, { force: true });
    this.#lock.release();
    if (this.#leaveWhenIdle && startSuccessor(this.#successor)) this.#log.info('successor started');
    process.exit(0);
  }
}

async function bringUpToDate(places: Places, log: Log): Promise<void> {
  try {
    const done = await migrate(places);
    if (done) log.info('data brought up to date', { ...done });
  } catch (error) {
    log.error('the data cannot be opened', factsOf(error));
    throw error;
  }
}
