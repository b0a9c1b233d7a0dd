/**
 * Drives the real client as a user at a terminal does: keys in, screen out, in a tmux server of its own that no other
 * session can see. For cases that print mode does not have: interrupts, denials, /clear, a closed terminal.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Stage } from './claude.ts';
import { isAlive } from './daemon.ts';
import { waitFor } from './wait-for.ts';

const COLUMNS = '160';
const ROWS = '50';
const SESSION = 'main';
/** The client shows its first screen within seconds even on a busy machine. */
const SCREEN_TIMEOUT_MS = 60_000;
/** Each look at the screen starts a process of tmux. */
const SCREEN_POLL_MS = 60;
/** Long enough for the client to draw its next screen. */
const CONFIRM_POLL_MS = 500;
/** Long enough for the client to send a request, so that a second Enter is rare. */
const ENTER_POLL_MS = 3000;

export interface TerminalOptions {
  readonly tmux: string;
  readonly claude: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the client in the stage's project. It ends with the test or with the stage. */
export async function openTerminal(
  t: TestContext,
  stage: Stage,
  options: TerminalOptions,
): Promise<Terminal> {
  const terminal = new Terminal(options.tmux, stage);
  t.after(() => terminal.close());
  // The stage closes first and removes the socket of the tmux server.
  stage.beforeClose(() => terminal.close());
  const args = [...stage.pluginArgs, ...(options.args ?? [])];
  await terminal.start([options.claude, ...args], stage.env(options.env));
  return terminal;
}

export class Terminal {
  readonly #tmux: string;
  readonly #stage: Stage;
  #isClosed = false;
  readonly #socket = `tidemark-${randomBytes(6).toString('hex')}`;

  constructor(tmux: string, stage: Stage) {
    this.#tmux = tmux;
    this.#stage = stage;
  }

  async start(command: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
    const size = ['-x', COLUMNS, '-y', ROWS];
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    // `env -i`, because a tmux server passes its own environment on.
    const inside = ['env', '-i', ...settings, ...command];
    await this.#call(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      SESSION,
      ...size,
      '-c',
      this.#stage.project,
      ...inside,
    );
    // The last screen of a client that has exited stays readable.
    await this.#call('set-option', '-g', 'remain-on-exit', 'on');
  }

  /** Types the text and presses Enter. */
  async submit(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  /** Types the text and presses Enter until `taken` returns something: a busy client drops keys. */
  async submitUntil<T>(
    what: string,
    text: string,
    taken: () => T | undefined | Promise<T | undefined>,
  ): Promise<T> {
    await this.type(text);
    let screen = '';
    const isTaken = async (): Promise<T | undefined> => {
      const found = await taken();
      if (found !== undefined) return found;
      screen = await this.screen();
      await this.press('Enter');
      return undefined;
    };
    return waitFor(what, isTaken, {
      timeout: SCREEN_TIMEOUT_MS,
      poll: ENTER_POLL_MS,
      explain: () => screen,
    });
  }

  /** The same for a text whose effect is shown on the screen, like a command. */
  async submitUntilShown(text: string, shown: RegExp): Promise<string> {
    return this.submitUntil(`${shown} on the screen`, text, async () => {
      const screen = await this.screen();
      return shown.test(screen) ? screen : undefined;
    });
  }

  async type(text: string): Promise<void> {
    await this.#call('send-keys', '-t', SESSION, '-l', '--', text);
    const tail = text.slice(-20).trim();
    await this.waitFor(tail); // the client takes Enter right after a long text for a part of the paste
  }

  /** Presses keys by their tmux names: Enter, Escape, C-c, Up … */
  async press(...keys: string[]): Promise<void> {
    await this.#call('send-keys', '-t', SESSION, ...keys);
  }

  /** Presses Enter until the question is gone: right after it appears, the client ignores keys. */
  async confirm(question: string): Promise<void> {
    await this.waitFor(question);
    const isGone = async (): Promise<boolean> => {
      await this.press('Enter');
      return !(await this.screen()).includes(question);
    };
    await waitFor(`${question} to be gone`, isGone, { timeout: SCREEN_TIMEOUT_MS, poll: CONFIRM_POLL_MS });
  }

  async screen(): Promise<string> {
    return this.#call('capture-pane', '-p', '-J', '-t', SESSION);
  }

  async waitFor(what: string | RegExp, timeout = SCREEN_TIMEOUT_MS): Promise<string> {
    let screen = '';
    const isThere = async (): Promise<string | undefined> => {
      screen = await this.screen();
      const found = typeof what === 'string' ? screen.includes(what) : what.test(screen);
      return found ? screen : undefined;
    };
    return waitFor(`${what} on the screen`, isThere, {
      timeout,
      poll: SCREEN_POLL_MS,
      explain: () => screen,
    });
  }

  /** The client's own process. */
  async pid(): Promise<number> {
    return Number(await this.#call('list-panes', '-t', SESSION, '-F', '#{pane_pid}'));
  }

  /** Whether the client still runs. */
  async isRunning(): Promise<boolean> {
    return (await this.#call('list-panes', '-t', SESSION, '-F', '#{pane_dead}')).trim() === '0';
  }

  /** Closes the terminal under the client (SIGHUP), as closing its window does, and waits for both to be gone. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const pids = (await this.#call('list-panes', '-a', '-F', '#{pid} #{pane_pid}'))
      .trim()
      .split(/\s+/)
      .map(Number);
    await this.#call('kill-server');
    await waitFor('the terminal to be gone', () => !pids.some(isAlive));
  }

  async #call(...args: string[]): Promise<string> {
    const { PATH = '', LANG = '', TERM = '', TIDEMARK_TEST_RUN = '' } = this.#stage.env();
    const env = { PATH, LANG, TERM, TIDEMARK_TEST_RUN, TMUX_TMPDIR: this.#stage.home };
    const { stdout } = await promisify(execFile)(this.#tmux, ['-L', this.#socket, ...args], { env });
    return stdout;
  }
}
