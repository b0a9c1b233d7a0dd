/**
 * One user's machine as the daemon sees it: a home, a data folder, a project and the built plugin, with real hooks,
 * a real daemon and the real CLI. Nothing outside its temp folder is touched, and every process it made is ended.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { placesIn, type HookName, type Places } from '../../src/core/index.ts';
import type { ArgsOf, CallName, DaemonStatus, ResultOf } from '../../src/daemon/index.ts';
import { CliHost } from './cli-host.ts';
import { daemonPid, isAlive } from './daemon.ts';
import { endAll, processesWith, type Found } from './left-behind.ts';
import { waitFor } from './wait-for.ts';
import { WITHOUT_MODEL } from './without-model.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const DIST = join(ROOT, 'plugin', 'dist');
export const HOOK = join(ROOT, 'plugin', 'hooks', 'hook.sh');

/** A process that takes longer hangs. */
const HANGS_MS = 60_000;
const MARK = 'TIDEMARK_TEST_MACHINE';
/** Gives hooks more time: these tests are not about how fast a hook is. */
const ANSWER_S = '10';

export type Env = Readonly<Record<string, string>>;

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process under way that may be killed, with everything it started in its own group. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ran>;
  kill(): void;
}

export type HookFields = Readonly<Record<string, unknown>> & { readonly session_id: string };

export class Machine {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'mc-')));
  readonly home = join(this.root, 'home');
  readonly config = join(this.root, 'config');
  /** The sessions of Claude Code. */
  readonly sources = [{ agent: 'claude-code' as const, folder: this.config }];
  readonly project = join(this.root, 'project');
  readonly places: Places;
  #env: Record<string, string>;
  /** The process that answers `ask`, and its last question. */
  #asked: { readonly host: CliHost; readonly last: Promise<unknown> } | undefined;

  /** Opens a machine that closes when the test ends. */
  static open(t: TestContext, env: Env = {}): Machine {
    const machine = new Machine(env);
    t.after(() => machine.close());
    return machine;
  }

  constructor(env: Env = {}) {
    const temp = join(this.root, 'tmp');
    for (const folder of [this.home, this.config, this.project, temp]) mkdirSync(folder, { mode: 0o700 });
    this.places = placesIn(env['TIDEMARK_HOME'] ?? join(this.root, 'data'));
    const run = process.env['TIDEMARK_TEST_RUN'];
    this.#env = {
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: this.home,
      LANG: 'C.UTF-8',
      TMPDIR: temp,
      CLAUDE_CONFIG_DIR: this.config,
      TIDEMARK_HOME: this.places.home,
      TIDEMARK_ANSWER_S: ANSWER_S,
      // Tests use fixed dates, which are old by now and would be archived by month.
      TIDEMARK_JOURNAL_ARCHIVE_DAYS: '0',
      ...WITHOUT_MODEL,
      ...(run ? { TIDEMARK_TEST_RUN: run } : {}),
      [MARK]: this.root,
      ...env,
    };
  }

  get env(): Env {
    return this.#env;
  }

  setEnv(more: Env): void {
    this.#env = { ...this.#env, ...more };
    this.#asked = undefined; // that one has the old environment
  }

  /** Fires a hook the way Claude Code does, and waits for it. */
  /** `agent`: as a hook of that agent names it. */
  hook(
    name: HookName,
    fields: HookFields,
    options: { project?: string; env?: Env; agent?: string } = {},
  ): Promise<Ran> {
    return this.startHook(name, fields, options).ended;
  }

  startHook(
    name: HookName,
    fields: HookFields,
    options: { project?: string; env?: Env; agent?: string } = {},
  ): Running {
    const project = options.project ?? this.project;
    const input = JSON.stringify({ cwd: project, hook_event_name: name, ...fields });
    return this.run('sh', [HOOK, name, ...(options.agent ? [options.agent] : [])], {
      input,
      env: { CLAUDE_PROJECT_DIR: project, ...options.env },
      cwd: project,
    });
  }

  cli(args: readonly string[], options: { env?: Env; cwd?: string; input?: string } = {}): Promise<Ran> {
    return this.startCli(args, options).ended;
  }

  startCli(
    args: readonly string[],
    options: { env?: Env; cwd?: string; input?: string; timeout?: number } = {},
  ): Running {
    return this.run(process.execPath, [join(DIST, 'cli.cjs'), ...args], { cwd: this.project, ...options });
  }

  /** As `cli` in the project's folder, but many in one process, one after the other: for verbs that ask no question. */
  ask(...args: readonly string[]): Promise<Ran> {
    return this.askIn(this.project, ...args);
  }

  askIn(cwd: string, ...args: readonly string[]): Promise<Ran> {
    const { host, last } = this.#asked ?? { host: new CliHost(this, { cwd }), last: Promise.resolve() };
    const answer = last.then(() => host.run(args, cwd));
    this.#asked = { host, last: answer.catch(() => {}) };
    return answer;
  }

  /** Returns what a verb prints with `--json`. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.ask(...args, '--json');
    if (stdout === '') throw new Error(`tidemark ${args.join(' ')}: ${code}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** Starts a daemon of its own, not through a hook. */
  startDaemon(options: { env?: Env; before?: readonly string[] } = {}): Running {
    const [command = '', ...args] = [...(options.before ?? []), process.execPath, join(DIST, 'daemon.cjs')];
    return this.run(command, args, { env: options.env ?? {}, timeout: 0 });
  }

  /** Resolves when a daemon answers, starting one where none does. */
  async up(env: Env = {}): Promise<DaemonStatus> {
    let isComing = false;
    const status = () =>
      this.call('status', {}).catch(() => {
        // A daemon that is stopping refuses the next one: then another is started.
        if (!isComing) void this.startDaemon({ env }).ended.then(() => (isComing = false));
        isComing = true;
        return undefined;
      });
    const up = await waitFor('the daemon to answer', status, { explain: () => this.logs() });
    await waitFor('the daemon to say who it is', () => daemonPid(this.places) !== undefined);
    return up;
  }

  isUp(): Promise<boolean> {
    return this.call('status', {}).then(
      () => true,
      () => false,
    );
  }

  /** A call of the CLI's kind, straight over the socket. */
  call<N extends CallName>(name: N, args: ArgsOf<N>): Promise<ResultOf<N>> {
    return new Promise((resolve, reject) => {
      const socketPath = socketOf(this.places);
      const outgoing = request({ socketPath, path: `/v1/call/${name}`, method: 'POST' }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => {
          const last = JSON.parse(text.trimEnd().split('\n').at(-1) || '{}') as {
            result?: ResultOf<N>;
            error?: { code: string; message: string };
          };
          if (last.error) reject(Object.assign(new Error(last.error.message), { code: last.error.code }));
          else resolve(last.result as ResultOf<N>);
        });
      });
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(args));
    });
  }

  /** Delivers an event the way the shell part does, with an envelope of the test's choosing. */
  deliver(
    name: HookName,
    fields: HookFields,
    envelope: Env = {},
    on: { readonly sent?: () => void; readonly answered?: () => void } = {},
  ): Promise<{ status: number; body: string }> {
    const head = { attempt: randomUUID(), client: '0.1.0', 'project-dir': this.project, ...envelope };
    const lines = Object.entries(head).map(([key, value]) => `${key}: ${value}\n`);
    const input = JSON.stringify({ cwd: this.project, hook_event_name: name, ...fields });
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { socketPath: socketOf(this.places), path: `/v1/hook/${name}`, method: 'POST' },
        (response) => {
          on.answered?.();
          let body = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          response.on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(`${lines.join('')}\n${input}`, () => on.sent?.());
    });
  }

  /** Waits until everything accepted has been processed. `waiting`: events that were not. */
  async drained(): Promise<DaemonStatus & { readonly waiting: number }> {
    await this.up();
    await this.call('drain', {});
    const status = await this.call('status', {});
    return { ...status, waiting: status.spool.depth };
  }

  /** Waits until the daemon has begun an event and not finished it. */
  async hasBegun(): Promise<void> {
    const hasBegun = async () => (await this.call('status', {})).processing > 0;
    await waitFor('the event to be in hand', hasBegun, { explain: () => this.logs() });
  }

  /** Every process that belongs to this machine. */
  processes(): readonly Found[] {
    return processesWith(MARK, this.root);
  }

  daemons(): readonly number[] {
    return this.processes()
      .filter(({ command }) => command.includes('daemon.cjs'))
      .map(({ pid }) => pid);
  }

  /** Ends the daemon as a crash would. */
  async killDaemons(): Promise<void> {
    const pids = this.daemons();
    for (const pid of pids) signal(pid, 'SIGKILL');
    await waitFor('the daemon to be gone', () => !pids.some(isAlive));
  }

  async stopDaemon(): Promise<void> {
    const pid = daemonPid(this.places);
    if (pid === undefined) return;
    signal(pid, 'SIGTERM');
    await waitFor('the daemon to leave', () => !isAlive(pid), { explain: () => this.logs() });
  }

  /** Every file below a folder, absolute. */
  files(folder: string = this.places.home): readonly string[] {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  }

  /** Returns the logs, for the message of a failed assertion. */
  logs(): string {
    return [this.places.hookLog, this.places.log]
      .map((file) => `${file}:\n${readOr(file).slice(-4000)}`)
      .join('\n');
  }

  run(
    command: string,
    args: readonly string[],
    options: { input?: string; env?: Env; cwd?: string; timeout?: number } = {},
  ): Running {
    const child = spawn(command, args, {
      cwd: options.cwd ?? this.root,
      env: { ...this.#env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // a group of its own, so that it can be killed with all it started
      timeout: options.timeout ?? HANGS_MS,
      killSignal: 'SIGKILL',
    });
    child.stdin.on('error', () => {}); // it may be killed before it has read anything
    child.stdin.end(options.input ?? '');
    const pid = child.pid ?? 0;
    return { pid, ended: endOf(child), kill: () => signal(-pid, 'SIGKILL') };
  }

  async close(): Promise<void> {
    for (let left = this.processes(); left.length > 0; left = this.processes()) {
      endAll(left);
      await waitFor('all processes to be gone', () => !left.some(({ pid }) => isAlive(pid)));
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function socketOf(places: Places): string {
  return readOr(places.socketPointer).trim() || places.socket;
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (Math.abs(pid) <= 1) return;
  try {
    process.kill(pid, name);
  } catch {
    // gone by itself
  }
}

function endOf(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, name) => resolve({ code, signal: name, stdout, stderr }));
  });
}
