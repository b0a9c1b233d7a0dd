/**
 * A project lived through the real hooks of a real daemon, in a HOME of its own: writes the transcript as Claude Code does,
 * fires its hooks and returns what the agent gets to see. Uses only public surfaces of the product (README).
 */
import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { uuid } from '../../test/support/synthetic-transcript.ts';
import { hasId, idsIn, likest, withIds } from './_notes.ts';
import { ROOT, stepsOf, type Known, type Mode, type Recording, type Step } from './_projects.ts';
import type { Entry } from './_score.ts';

/** Kept in a file, so that each answer of a player may be a process of its own. */
interface State {
  readonly name: string;
  readonly mode: Mode;
  /** The index of the turn under way. */
  at: number;
  /** The last line of the transcript. */
  parent: string | null;
  readonly written: Record<string, string>;
  readonly entries: Known[];
  /** All that the agent was shown in this session. */
  shown: string;
}

/** A process that takes longer hangs. */
const HANGS_MS = 120_000;
const POLL_MS = 250;
const POLLS = 1200;
const SUMMARY = 'This session is being continued from a previous conversation that ran out of context.';
/** Characters of a prompt, and of the first paragraph of an answer, in the summary of a compaction. */
const SUMMARY_CHARS = 240;

export class LivedProject {
  readonly #folder: string;
  readonly #cwd: string;
  readonly #transcripts: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #steps: readonly Step[];
  readonly #state: State;

  /** Begins the project in the empty folder `<work>/<name>`. */
  static async start(name: string, mode: Mode, work: string): Promise<LivedProject> {
    const folder = join(work, name);
    rmSync(folder, { recursive: true, force: true });
    const nothing = { written: {}, entries: [], shown: '' };
    const lived = new LivedProject(folder, { name, mode, at: 0, parent: null, ...nothing });
    mkdirSync(lived.#cwd, { recursive: true });
    mkdirSync(lived.#transcripts, { recursive: true });
    await lived.#tidemark('start');
    return lived;
  }

  static resume(name: string, work: string): LivedProject {
    const folder = join(work, name);
    const state = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as State; // written by save
    return new LivedProject(folder, state);
  }

  private constructor(folder: string, state: State) {
    const home = join(folder, 'home');
    const config = join(home, '.claude');
    this.#folder = folder;
    this.#state = state;
    this.#steps = stepsOf(state.name, state.mode);
    this.#cwd = join(folder, 'code', `${state.name}-app`);
    this.#transcripts = join(config, 'projects', this.#cwd.replace(/[^A-Za-z0-9]/g, '-'));
    this.#env = {
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      TERM: 'dumb',
      HOME: home,
      TIDEMARK_HOME: join(home, '.tidemark'),
      TIDEMARK_ANSWER_S: '8',
      CLAUDE_CONFIG_DIR: config,
      CLAUDE_PROJECT_DIR: this.#cwd,
      CLAUDE_PLUGIN_ROOT: join(ROOT, 'plugin'),
    };
  }

  save(): void {
    writeFileSync(join(this.#folder, 'state.json'), JSON.stringify(this.#state));
  }

  get isFinished(): boolean {
    return this.#state.at >= this.#steps.length;
  }

  /** The label's name of the turn under way. */
  get key(): string {
    return this.#step.key;
  }

  get recording(): Recording & { readonly mode: Mode } {
    return this.#state;
  }

  /** Begins the turn under way, up to the agent's last message. Returns what the agent sees. */
  async turn(): Promise<string> {
    const { key, opens, turn } = this.#step;
    const { mode, at } = this.#state;
    let text = '';
    if (opens === 'startup') {
      Object.assign(this.#state, { parent: null, shown: '' });
      writeFileSync(this.#file, '');
      text += `######## A new session\n=== Context from your client at its start\n${await this.#brief(opens)}\n`;
    }
    if (opens === 'compact') {
      text += `######## Your client compacted the conversation. Only this is left of it:\n${await this.#compact()}\n`;
      text += `=== Context from your client after it\n${await this.#brief(opens)}\n`;
    }
    const context = await this.#hook('UserPromptSubmit', { prompt: turn.user });
    this.#append('user', `${key}u`, { message: { role: 'user', content: turn.user } });
    text += `=== Turn ${mode === 'uncued' ? at + 1 : key}\n--- user\n${turn.user}\n`;
    if (context) text += `--- context from your client with the prompt\n${context}\n`;
    for (const [i, { name, input, output }] of (turn.tools ?? []).entries()) {
      this.#call(`${key} ${i}`, name, input, output);
      text += `--- you called ${name} ${JSON.stringify(input)}\n--- its result\n${output}\n`;
    }
    return mode === 'uncued'
      ? `${text}--- what you found out and did\n${turn.assistant}\n--- now write your final answer to the user, in your own words\n`
      : `${text}--- your answer\n${turn.assistant}\n--- end of your answer so far: now the notes, if any\n`;
  }

  /**
   * Ends the turn under way. `written` are the notes of this turn, or in uncued play the whole answer. `from`: it was written
   * in another run with these entries, so its ids become those of this run.
   */
  async answer(written: string, from?: readonly Known[]): Promise<void> {
    const { key, turn, closes } = this.#step;
    const ids = idsIn(written);
    const entries = ids.length > 0 ? await this.entries() : [];
    const named = new Map(
      ids.flatMap((id) => {
        const known = (from ?? entries).find((one) => hasId(one, id));
        const entry = known && likest(known, entries);
        if (from && !entry)
          console.error(`${key}: there is no entry ${id} (${known?.title ?? 'not recorded'}).`);
        return entry ? [[id, entry] as const] : [];
      }),
    );
    for (const { id, kind, title, turnKey } of named.values()) {
      if (!from) this.#state.entries.push({ id, kind, title, turnKey });
      await this.#open(id);
    }
    const mapped = withIds(written, (id) => named.get(id)?.id ?? id);
    this.#state.written[key] = written;
    const parts = this.#state.mode === 'uncued' ? [mapped] : [turn.assistant, mapped];
    const text = parts.filter(Boolean).join('\n\n');
    this.#said({ type: 'text', text }, 'end_turn', `${key}e`);
    await this.#hook('Stop', { stop_hook_active: false, last_assistant_message: text });
    await this.#idle();
    if (closes) {
      await this.#hook('SessionEnd', { reason: 'other' });
      await this.#idle();
    }
    this.#state.at++;
  }

  /** All memories, with the names of their turns. */
  async entries(): Promise<readonly Entry[]> {
    const lines = (await this.#tidemark('export')).split('\n').filter(Boolean);
    const names = new Map(this.#steps.map(({ key }) => [uuid(this.#state.name, `${key}u`), key]));
    const nameOf = (turn: string): string => names.get(turn) ?? '';
    return lines.flatMap((line): Entry | readonly [] => {
      const { record, memory } = JSON.parse(line) as Exported; // of the same version
      if (record !== 'memory' || !memory) return [];
      const { by, turn, also = [] } = memory.provenance;
      return { ...memory, by, turnKey: nameOf(turn), alsoKeys: also.map(nameOf).filter(Boolean) };
    });
  }

  async stop(): Promise<void> {
    await this.#tidemark('stop');
  }

  get #step(): Step {
    const step = this.#steps[this.#state.at];
    if (!step) throw new Error(`${this.#state.name} is finished.`);
    return step;
  }

  get #session(): string {
    return uuid(this.#state.name, this.#step.session);
  }

  get #file(): string {
    return join(this.#transcripts, `${this.#session}.jsonl`);
  }

  async #brief(source: 'startup' | 'compact'): Promise<string> {
    return (await this.#hook('SessionStart', { source })) || '(nothing)';
  }

  /** Replaces the conversation so far by a summary, as the client does when its context is full. */
  async #compact(): Promise<string> {
    await this.#hook('PreCompact', { trigger: 'auto', custom_instructions: '' });
    const turns = this.#steps.slice(0, this.#state.at).map(({ key, turn }) => {
      const [first = ''] = (this.#state.written[key] ?? turn.assistant).split('\n\n');
      return `- The user: ${cut(turn.user)}\n  You: ${cut(first)}`;
    });
    const summary = `${SUMMARY} The summary below covers the earlier portion of the conversation.\n\nSummary:\n${turns.join('\n')}`;
    const boundary = { subtype: 'compact_boundary', content: 'Conversation compacted' };
    const cause = { logicalParentUuid: this.#state.parent, compactMetadata: { trigger: 'auto' } };
    this.#state.parent = null;
    this.#append('system', 'boundary', { ...boundary, ...cause });
    const isSummary = { isVisibleInTranscriptOnly: true, isCompactSummary: true };
    this.#append('user', 'summary', { message: { role: 'user', content: summary }, ...isSummary });
    this.#state.shown = '';
    return summary;
  }

  /** Opens a memory that the agent was not shown, as it would with its shell. */
  async #open(id: string): Promise<void> {
    if (this.#state.shown.match(/[0-9a-z]{6,}/g)?.some((word) => hasId({ id }, word))) return;
    const command = `tidemark show ${id}`;
    const output = await this.#tidemark('show', id);
    this.#call(`${this.#step.key} show ${id}`, 'Bash', { command }, output);
    this.#state.shown += `${id}\n`;
  }

  #call(key: string, name: string, input: object, output: string): void {
    const id = `toolu_${uuid(this.#state.name, key)}`;
    this.#said({ type: 'tool_use', id, name, input }, 'tool_use', `${key}a`);
    const is_error = /^(error|fatal|traceback)/i.test(output);
    const content = [{ type: 'tool_result', tool_use_id: id, content: output, is_error }];
    const toolUseResult = { stdout: output, stderr: '', interrupted: false };
    this.#append('user', `${key}r`, { message: { role: 'user', content }, toolUseResult });
  }

  #said(content: object, stop_reason: string, key: string): void {
    const origin = { id: `msg_${uuid(key)}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5' };
    const usage = { input_tokens: 10, output_tokens: 10 };
    this.#append('assistant', key, { message: { ...origin, content: [content], stop_reason, usage } });
  }

  #append(type: string, key: string, fields: object): void {
    const id = uuid(this.#state.name, key);
    const origin = { isSidechain: false, userType: 'external', version: '2.1.325', cwd: this.#cwd };
    const place = { parentUuid: this.#state.parent, sessionId: this.#session, gitBranch: this.#step.branch };
    const line = { ...place, ...origin, type, uuid: id, timestamp: new Date().toISOString(), ...fields };
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#state.parent = id;
  }

  /** Returns the context that the hook injects. */
  async #hook(event: string, fields: object): Promise<string> {
    const place = { session_id: this.#session, transcript_path: this.#file, cwd: this.#cwd };
    const input = { ...place, permission_mode: 'default', hook_event_name: event, ...fields };
    const hook = join(ROOT, 'plugin', 'hooks', 'hook.sh');
    const output = await this.#run('sh', [hook, event], JSON.stringify(input));
    if (output.trim() === '') return '';
    const answer = JSON.parse(output) as { hookSpecificOutput?: { additionalContext?: string } }; // the client's format
    const context = answer.hookSpecificOutput?.additionalContext ?? '';
    this.#state.shown += `${context}\n`;
    return context;
  }

  async #idle(): Promise<void> {
    for (let i = 0; i < POLLS; i++) {
      const status = await this.#tidemark('status', '--json').then(
        (text) => JSON.parse(text) as Status, // of the same version
        () => undefined, // it is starting
      );
      if (status && !status.busy && !status.spool?.depth && !status.distilling?.waiting) return;
      await setTimeout(POLL_MS);
    }
    throw new Error(`${this.#state.name}: the daemon is still busy after ${(POLLS * POLL_MS) / 1000} s.`);
  }

  #tidemark(...args: readonly string[]): Promise<string> {
    return this.#run(process.execPath, [join(ROOT, 'bin', 'tidemark'), ...args]);
  }

  #run(command: string, args: readonly string[], input = ''): Promise<string> {
    const env = this.isFinished ? this.#env : { ...this.#env, CLAUDE_CODE_SESSION_ID: this.#session };
    const options = { cwd: this.#cwd, env, maxBuffer: 2 ** 28, timeout: HANGS_MS };
    return new Promise((resolve, reject) => {
      const child = execFile(command, args, options, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
      child.stdin?.on('error', () => {}); // it did not read its input
      child.stdin?.end(input);
    });
  }
}

interface Exported {
  readonly record: string;
  readonly memory?: Entry & { readonly provenance: Provenance };
}
interface Provenance {
  readonly by: string;
  readonly turn: string;
  readonly also?: readonly string[];
}
interface Status {
  readonly busy?: boolean;
  readonly spool?: { readonly depth?: number };
  readonly distilling?: { readonly waiting?: number };
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SUMMARY_CHARS ? `${line.slice(0, SUMMARY_CHARS)}…` : line;
}
