/**
 * Runs many command lines of the built CLI in one process, in a pipe or at a real terminal. Starting a process takes longer
 * than most verbs, so a test of all verbs is several times faster. No verb may ask a question.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Env, Machine, Ran } from './machine.ts';

const PROGRAM = join(import.meta.dirname, '_cli-host-process.ts');

/** Gives a program a terminal; only that of util-linux has these options. */
export const hasTerminal = (spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '').includes(
  'util-linux',
);

export class CliHost {
  readonly #child: ChildProcess;
  readonly #cwd: string;
  readonly #text = { stdout: '', stderr: '' };
  #onText = (): void => {};

  /** Closing the machine ends it. `cwd`: where the commands run. */
  constructor(
    machine: Machine,
    { cwd, env = {}, atTerminal = false }: { cwd: string; env?: Env; atTerminal?: boolean },
  ) {
    this.#cwd = cwd;
    const command = [process.execPath, PROGRAM];
    const [file = '', ...args] = atTerminal
      ? ['script', '-qefc', command.map((part) => `'${part}'`).join(' '), '/dev/null']
      : command;
    const colour = { TERM: 'xterm-256color', FORCE_COLOR: '1', SHELL: '/bin/sh' };
    this.#child = spawn(file, args, {
      cwd,
      env: { ...machine.env, ...env, ...(atTerminal ? colour : {}) },
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    });
    for (const name of ['stdout', 'stderr'] as const)
      this.#child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#text[name] += chunk;
        this.#onText();
      });
  }

  /** One at a time. At a terminal both streams are in `stdout`. */
  async run(args: readonly string[], cwd = this.#cwd): Promise<Ran> {
    const mark = `<${randomUUID()}>`;
    const ended = new AbortController();
    const failed = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`the CLI ended the process: ${JSON.stringify(args)}\n${this.#text.stderr}`);
    });
    const marks = () => `${this.#text.stdout}${this.#text.stderr}`.split(mark).length - 1;
    const printed = new Promise<void>((resolve) => {
      this.#onText = () => marks() === 2 && resolve();
    });
    const answer = once(this.#child, 'message') as Promise<[{ readonly code: number }]>;
    this.#child.send({ args, cwd, mark });
    try {
      const [[{ code }]] = await Promise.race([Promise.all([answer, printed]), failed]);
      const [stdout, stderr] = [this.#text.stdout, this.#text.stderr].map((text) =>
        text.replaceAll(mark, ''),
      );
      return { code, signal: null, stdout: stdout ?? '', stderr: stderr ?? '' };
    } finally {
      this.#text.stdout = '';
      this.#text.stderr = '';
      failed.catch(() => {}); // the wait that is ended here
      ended.abort();
    }
  }
}
