/** One conversation with the model through the Agent SDK: a process that takes several prompts and ends with the daemon. */
import { spawn, type ChildProcess } from 'node:child_process';
import { given } from '../../core/index.ts';
import { answerOf, usageOf, type ClientResult } from './_client.ts';
import { killGroup, watch, type ProcessWatch } from './_process-group.ts';
import { ended, failedResult } from './claude.ts';
import { failed, type DriverAnswer, type DriverRequest, type Usage } from './driver.ts';

/** The part of the SDK we use; the package is absent at build time. */
export interface Sdk {
  query(input: { prompt: AsyncIterable<object>; options: object }): SdkQuery;
}

interface SdkQuery extends AsyncIterable<{ readonly type: string; readonly session_id?: string }> {
  interrupt(): Promise<unknown>;
}

interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ConversationOptions {
  readonly model: string;
  readonly cwd: string;
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly request: Pick<DriverRequest, 'system' | 'schema'>;
  readonly processes: ProcessWatch | undefined;
}

const NOTHING: Usage = { model: '', inputTokens: 0, outputTokens: 0, usd: 0, requests: 0 };
/** How long a process may take to stop before it is killed. */
const INTERRUPT_MS = 300;

export class Conversation {
  readonly #model: string;
  readonly #processes: ProcessWatch | undefined;
  readonly #abort = new AbortController();
  readonly #query: SdkQuery;
  readonly #prompts: string[] = [];
  #child: ChildProcess | undefined;
  #wake: () => void = () => {};
  #waiting: ((answer: DriverAnswer) => void) | undefined;
  /** Usage before this request: the SDK counts from the start of the process. */
  #before: Usage = NOTHING;
  #turns = 0;
  #open = true;
  #session = '';

  constructor(sdk: Sdk, options: ConversationOptions) {
    this.#model = options.model;
    this.#processes = options.processes;
    this.#query = sdk.query({
      prompt: this.#messages(),
      options: {
        model: options.model,
        systemPrompt: options.request.system,
        outputFormat: { type: 'json_schema', schema: options.request.schema },
        tools: [],
        settingSources: [],
        persistSession: false,
        strictMcpConfig: true,
        pathToClaudeCodeExecutable: options.program,
        cwd: options.cwd,
        env: options.env,
        abortController: this.#abort,
        spawnClaudeCodeProcess: (spawning: SpawnOptions) => this.#spawn(spawning),
      },
    });
    void this.#listen();
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get turns(): number {
    return this.#turns;
  }

  /** The client's id of this conversation, once known. */
  get session(): string {
    return this.#session;
  }

  async ask(prompt: string, signal: AbortSignal): Promise<DriverAnswer> {
    if (signal.aborted) return ended(signal);
    if (!this.#open) return failed('died', 'the conversation has ended');
    this.#turns++;
    const answered = new Promise<DriverAnswer>((resolve) => (this.#waiting = resolve));
    const stop = (): void => this.#settle(ended(signal));
    signal.addEventListener('abort', stop, { once: true });
    this.#prompts.push(prompt);
    this.#wake();
    try {
      return await answered;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Interrupts the current request, ends the input, and kills the process group. */
  async close(): Promise<void> {
    if (!this.#open) return this.#end();
    this.#open = false;
    this.#settle(failed('aborted', 'stopped'));
    const interrupted = this.#turns > 0 ? this.#query.interrupt().catch(() => {}) : undefined;
    await Promise.race([interrupted, new Promise((resolve) => setTimeout(resolve, INTERRUPT_MS))]);
    this.#end();
  }

  #end(): void {
    this.#open = false;
    this.#wake();
    this.#abort.abort();
    if (this.#child) killGroup(this.#child);
  }

  async *#messages(): AsyncGenerator<object> {
    for (;;) {
      const prompt = this.#prompts.shift();
      if (prompt !== undefined) {
        yield {
          type: 'user',
          message: { role: 'user', content: prompt },
          parent_tool_use_id: null,
          session_id: '',
        };
        continue;
      }
      if (!this.#open) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async #listen(): Promise<void> {
    let message = 'Claude Code exited without an answer';
    try {
      for await (const event of this.#query) {
        if (event.session_id) this.#session = event.session_id;
        if (event.type === 'result') this.#settle(this.#read(event as ClientResult));
      }
    } catch (error) {
      message = `Claude Code exited: ${error instanceof Error ? error.message.slice(0, 120) : 'unknown'}`;
    }
    this.#settle(failed('died', message));
    this.#end();
  }

  #read(result: ClientResult): DriverAnswer {
    const total = usageOf(result, this.#model);
    const usage: Usage = {
      model: total.model,
      inputTokens: total.inputTokens - this.#before.inputTokens,
      outputTokens: total.outputTokens - this.#before.outputTokens,
      ...given({ usd: total.usd === undefined ? undefined : total.usd - (this.#before.usd ?? 0) }),
      requests: 1,
    };
    this.#before = total;
    const text = answerOf(result);
    return text === undefined ? failedResult(result, usage) : { kind: 'answered', text, usage };
  }

  #settle(answer: DriverAnswer): void {
    const settle = this.#waiting;
    this.#waiting = undefined;
    settle?.(answer);
  }

  #spawn({ command, args, cwd, env }: SpawnOptions): ChildProcess {
    this.#child = spawn(command, args, {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    watch(this.#child, this.#processes);
    this.#child.on('exit', () => this.#child && killGroup(this.#child));
    return this.#child;
  }
}
