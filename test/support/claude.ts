/**
 * A stage for the real client: a HOME, settings, temp folder, project and data folder of its own, the mock as its
 * model, and an environment that inherits nothing. A stage stops only the processes that belong to it.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { placesIn, type Places } from '../../src/core/index.ts';
import { callDaemon } from './call.ts';
import { stopDaemon } from './daemon.ts';
import { endAll, processesWith } from './left-behind.ts';
import { startMockApi, type MockApi } from './mock-api.ts';
import type { ModelRequest } from './mock-model.ts';
import { waitFor } from './wait-for.ts';
import { WITHOUT_MODEL } from './without-model.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
export const PLUGIN = join(ROOT, 'plugin');

export interface StageOptions {
  /** The client's program. */
  readonly claude: string;
  /** The folder for --plugin-dir. By default a copy of the plugin whose hooks have a minute; null when it is installed. */
  readonly plugin?: string | null;
  /** PATH of the client and thus of every hook. */
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SessionResult {
  readonly result: string;
  readonly session: string;
  /** The requests of the main conversation of this run to the model, in order. */
  readonly requests: readonly ModelRequest[];
}

/** Much longer than a scripted session takes, shorter than the limit of a test file. */
const CLIENT_TIMEOUT_MS = 90_000;
const PIPE_TIMEOUT_MS = 5000;
/** Gives hooks more time, together with `giveTime`: these tests are not about how fast a hook is. */
export const PATIENT = { TIDEMARK_ANSWER_S: '10', TIDEMARK_EDIT_MS: '10000' };
const HOOK_TIMEOUT_S = 60;
/** For an installed plugin: just within the client's own timeouts. */
const INSTALLED = { TIDEMARK_ANSWER_S: '1.8', TIDEMARK_EDIT_MS: '1500' };

/** Opens a stage that closes when the test ends. */
export async function openStage(t: TestContext, options: StageOptions): Promise<Stage> {
  const stage = await startStage(options);
  t.after(() => stage.close());
  return stage;
}

/** Opens a stage that several tests share. The caller closes it. */
export async function startStage(options: StageOptions): Promise<Stage> {
  return new Stage(options, await startMockApi());
}

export class Stage {
  readonly home: string;
  readonly config: string;
  readonly project: string;
  readonly places: Places;
  readonly mock: MockApi;
  /** The folder for --plugin-dir. */
  readonly plugin: string | null;
  readonly #root: string;
  readonly #temp: string;
  readonly #options: StageOptions;
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(options: StageOptions, mock: MockApi) {
    this.#options = options;
    this.mock = mock;
    // The client reports real paths, and the path of a socket must be short.
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'stage-')));
    this.home = this.#folder('home');
    this.config = this.#folder('config');
    this.project = this.#folder('project');
    this.#temp = this.#folder('tmp');
    this.places = placesIn(this.#folder('tidemark'));
    this.plugin = options.plugin === undefined ? patientPlugin(this.#folder('plugin')) : options.plugin;
    this.#seedSettings();
  }

  /** Runs one session in print mode. Returns its answer and the requests that reached the model. */
  async run(prompt: string, options: RunOptions = {}): Promise<SessionResult> {
    const seen = this.mock.requests.length;
    const args = ['-p', '--output-format', 'json', ...this.pluginArgs, ...(options.args ?? [])];
    const ended = await this.claude([...args, '--', prompt], options);
    if (ended.code !== 0)
      throw new Error(`the client exited with ${ended.code}: ${ended.stderr}${ended.stdout}`);
    const { result, session_id: session } = JSON.parse(ended.stdout) as {
      result: string;
      session_id: string;
    };
    return { result, session, requests: this.mock.requests.slice(seen).filter(isConversation) };
  }

  get pluginArgs(): readonly string[] {
    return this.plugin === null ? [] : ['--plugin-dir', this.plugin];
  }

  /** Runs the client with any arguments, e.g. `plugin install …`. */
  async claude(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = spawn(this.#options.claude, args, {
      cwd: options.cwd ?? this.project,
      env: this.env(options.env),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: CLIENT_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
      child.on('exit', () => {
        const message = 'the client has exited, but a process that it started keeps its output open';
        setTimeout(() => reject(new Error(message)), PIPE_TIMEOUT_MS).unref();
      });
    });
  }

  /** Returns the whole environment of the client. Only the mark of the test run is inherited. */
  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const mark = process.env['TIDEMARK_TEST_RUN'];
    return {
      PATH:
        this.#options.path ??
        [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: this.home,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      TMPDIR: this.#temp,
      CLAUDE_CODE_TMPDIR: this.#temp,
      CLAUDE_CONFIG_DIR: this.config,
      ANTHROPIC_BASE_URL: this.mock.url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1', // the client's own memory could be mistaken for ours
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: `${HOOK_TIMEOUT_S * 1000}`, // the client ignores a plugin's own timeout there
      TIDEMARK_HOME: this.places.home,
      ...WITHOUT_MODEL,
      ...(this.#options.plugin === undefined ? PATIENT : INSTALLED),
      ...(mark ? { TIDEMARK_TEST_RUN: mark } : {}),
      ...this.#options.env,
      ...more,
    };
  }

  /** Returns Tidemark's logs, for the message of a failed assertion. */
  logs(): string {
    return [this.places.hookLog, this.places.log]
      .map((file) => `${file}:\n${readOr(file, '(none)')}`)
      .join('\n');
  }

  /** Starts a daemon without a session of the client, which would take much longer. */
  async startDaemon(): Promise<void> {
    const args = [join(PLUGIN, 'dist', 'daemon.cjs')];
    spawn(process.execPath, args, { env: this.env(), cwd: this.home, stdio: 'ignore' });
    const answers = () => callDaemon(this.places, 'status', {}).catch(() => undefined);
    await waitFor('the daemon to answer', answers, { explain: () => this.logs() });
  }

  /** Registers a function that must run before the stage's folders are removed. */
  beforeClose(closer: () => Promise<void>): void {
    this.#closers.push(closer);
  }

  async close(): Promise<void> {
    for (const closer of this.#closers) await closer();
    await stopDaemon(this.places);
    await waitFor('every process of the stage to end', () => this.#endStragglers());
    await this.mock.close();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A hook that timed out on a busy machine leaves a helper process, which may start another daemon. */
  #endStragglers(): boolean {
    const left = processesWith('TIDEMARK_HOME', this.places.home);
    endAll(left);
    return left.length === 0;
  }

  #folder(name: string): string {
    const folder = join(this.#root, name);
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  /** Answers the questions of the client's first interactive start in advance. */
  #seedSettings(): void {
    const settings = {
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: ['dummy'], rejected: [] },
      projects: { [this.project]: { hasTrustDialogAccepted: true } },
    };
    writeFileSync(join(this.config, '.claude.json'), JSON.stringify(settings));
  }
}

/** Auxiliary requests (titles, verdicts) carry no tools; the conversation always does. */
function isConversation(request: ModelRequest): boolean {
  return (request.tools?.length ?? 0) > 0;
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

/** Raises the timeouts of a plugin's hooks, so that a busy machine does not fail tests that are not about timeouts. */
export function giveTime(plugin: string): void {
  const hooks = join(plugin, 'hooks', 'hooks.json');
  const text = readFileSync(hooks, 'utf8');
  writeFileSync(hooks, text.replaceAll(/"timeout": \d+/g, `"timeout": ${HOOK_TIMEOUT_S}`));
}

function patientPlugin(folder: string): string {
  const isBuilt = (path: string): boolean => path === join(PLUGIN, 'dist');
  cpSync(PLUGIN, folder, { recursive: true, filter: (path) => !isBuilt(path) });
  symlinkSync(join(PLUGIN, 'dist'), join(folder, 'dist'));
  giveTime(folder);
  return folder;
}
