/**
 * One data folder, one copy of the plugin and one user's environment per test: real sh, curl, Node and sockets.
 * Nothing outside its temp folder is touched, and every process it made is ended.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { build } from 'esbuild';
import { placesIn, type HookName, type Places, type SpooledEvent } from '../../src/core/index.ts';
import { acceptedEvents } from '../support/accepted.ts';
import { waitFor } from '../support/wait-for.ts';
import { PLAYED_DAEMON } from './_played-daemon.ts';

export const root = resolve(import.meta.dirname, '../..');
export const CONTEXT = line('remembered');

/** A hook that takes this long hangs; the test then fails by its signal. */
const HANGS_MS = 60_000;

/** Most tests check what a hook does, not how fast: a busy machine must not make it give up. */
const PATIENCE = { TIDEMARK_ANSWER_S: '10' };
/** The real budgets, for tests of timeouts. */
export const IN_BUDGET = { TIDEMARK_ANSWER_S: '' };

/** A stdin that stays open and empty. */
export const NEVER_ENDING: unique symbol = Symbol('never ending');

type Body = string | Buffer | typeof NEVER_ENDING;

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Received {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface RunOptions {
  readonly shell?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

type Reply = (response: ServerResponse, received: Received) => void;

/** A line of hook output as the daemon would return it. */
export function line(context: string, event: HookName = 'SessionStart'): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: context } });
}

export function input(event: HookName, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ session_id: 'session-1', cwd: '/somewhere', hook_event_name: event, ...more });
}

export class World {
  readonly folder: string;
  readonly places: Places;
  readonly plugin: string;
  readonly bin: string;
  readonly projectDir: string;
  readonly received: Received[] = [];
  readonly #servers: Server[] = [];
  #env: Record<string, string>;

  /** `parent`: a folder for its files instead of the tests' own, which only their user can enter. */
  static async open(t: TestContext, parent = tmpdir()): Promise<World> {
    const world = new World(mkdtempSync(join(parent, 'hk-')));
    t.after(() => world.close());
    await world.#installPlugin();
    return world;
  }

  private constructor(folder: string) {
    this.folder = folder;
    this.places = placesIn(join(folder, 'data'));
    this.plugin = join(folder, 'plugin');
    this.bin = join(folder, 'bin');
    this.projectDir = join(folder, 'project');
    for (const folder of [this.places.run, this.bin, this.projectDir]) mkdirSync(folder, { recursive: true });
    this.#env = {
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: this.folder,
      TIDEMARK_HOME: this.places.home,
      CLAUDE_PROJECT_DIR: this.projectDir,
      ...PATIENCE,
    };
  }

  get client(): string {
    return join(this.plugin, 'dist', 'hook.cjs');
  }

  setEnv(more: Readonly<Record<string, string>>): void {
    this.#env = { ...this.#env, ...more };
  }

  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  hook(event: string, body: string | Buffer, options: RunOptions = {}): Promise<Ran> {
    const [command = 'sh', ...args] = options.shell ?? ['sh'];
    return this.run(command, [...args, join(this.plugin, 'hooks', 'hook.sh'), event], body, options.env);
  }

  /** Runs only the Node part, as hook.sh calls it. */
  node(args: readonly string[], body: Body, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return this.run(process.execPath, args, body, env);
  }

  run(
    command: string,
    args: readonly string[],
    body: Body,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    return new Promise((done, fail) => {
      const child = spawn(command, args, {
        env: { ...this.#env, ...env },
        cwd: this.projectDir,
        timeout: HANGS_MS,
        killSignal: 'SIGKILL',
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.stdin.on('error', () => {}); // a hook may exit without reading
      child.on('error', fail);
      child.on('close', (code, signal) =>
        done({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
      );
      if (body !== NEVER_ENDING) child.stdin.end(body);
    });
  }

  /** Starts a daemon inside this test; `reply` answers. */
  async serve(reply: Reply = answerWith(CONTEXT), socket = this.places.socket): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        const received = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
        this.received.push(received);
        reply(response, received);
      });
    });
    this.#servers.push(server);
    await new Promise<void>((listening) => server.listen(socket, listening));
    this.pointTo(socket);
  }

  pointTo(socket: string): void {
    writeFileSync(this.places.socketPointer, `${socket}\n`);
  }

  /** Provides a daemon program that hook.cjs can start. TIDEMARK_TEST_* set its behaviour. */
  installDaemon(): void {
    writeFileSync(join(this.plugin, 'dist', 'daemon.cjs'), PLAYED_DAEMON);
  }

  keepBrief(file: string, output: string): void {
    mkdirSync(this.places.briefs, { recursive: true });
    writeFileSync(file, JSON.stringify({ at: '2026-01-01T00:00:00.000Z', output }));
  }

  /** The events that hooks kept for the next daemon. */
  kept(): readonly SpooledEvent[] {
    return acceptedEvents(this.places.home);
  }

  log(): Record<string, unknown>[] {
    try {
      const lines = readFileSync(this.places.hookLog, 'utf8').trimEnd().split('\n');
      return lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    } catch {
      return [];
    }
  }

  /** The text that the shell or Node wrote after the envelope. */
  static bodyOf(received: Received | undefined): Buffer {
    const bytes = received?.body ?? Buffer.alloc(0);
    return bytes.subarray(bytes.indexOf('\n\n') + 2);
  }

  /** A PATH with every program except those named. */
  async pathWithout(...names: readonly string[]): Promise<string> {
    const folder = join(this.folder, `path-${randomUUID()}`);
    mkdirSync(folder);
    const wanted = ['sh', 'cat', 'date', 'curl', 'node'].filter((name) => !names.includes(name));
    for (const name of wanted) {
      const target = name === 'node' ? process.execPath : (await this.run('which', [name], '')).stdout.trim();
      writeFileSync(join(folder, name), `#!/bin/sh\nexec ${target} "$@"\n`, { mode: 0o755 });
    }
    return folder;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
    await waitFor('all processes to be gone', () => this.#endStarted());
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Pids of the daemons that hook.cjs started, in order. */
  started(): number[] {
    try {
      return readFileSync(join(this.places.home, 'started'), 'utf8').trimEnd().split('\n').map(Number);
    } catch {
      return [];
    }
  }

  /**
   * Daemons and their replacers outlive the hook; all of them carry this folder in their command line. False while there
   * were some: one of them may have started another meanwhile.
   */
  #endStarted(): boolean {
    const started = readdirSync('/proc').filter(
      (entry) => /^\d+$/.test(entry) && commandLine(entry).includes(`${this.folder}/`),
    );
    for (const entry of started) {
      try {
        process.kill(Number(entry), 'SIGKILL');
      } catch {
        // It exited by itself.
      }
    }
    return started.length === 0;
  }

  async #installPlugin(): Promise<void> {
    mkdirSync(join(this.plugin, 'hooks'), { recursive: true });
    mkdirSync(join(this.plugin, 'dist'));
    copyFileSync(join(root, 'plugin', 'hooks', 'hook.sh'), join(this.plugin, 'hooks', 'hook.sh'));
    writeFileSync(this.client, await bundled());
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export function answerWith(text: string, status = 200): Reply {
  return (response) => {
    response.writeHead(status, { 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };
}

let bundle: Promise<string> | undefined;

/** Builds hook.cjs from the current source, as scripts/build.mjs does. */
export function bundled(): Promise<string> {
  bundle ??= build({
    entryPoints: [join(root, 'src/hook/main.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    minify: true,
    define: { __TIDEMARK_VERSION__: '"9.9.9"' },
    write: false,
    logLevel: 'error',
  }).then((result) => result.outputFiles[0]?.text ?? '');
  return bundle;
}
