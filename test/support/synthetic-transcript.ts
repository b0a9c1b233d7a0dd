/** A transcript in Claude Code's format that grows turn by turn, everything in it derived from its names. Linux paths only. */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface SyntheticTool {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  readonly failed?: boolean;
}

export interface SyntheticTurn {
  readonly prompt: string;
  readonly answer: string;
  readonly tools?: readonly SyntheticTool[];
  /** Instead of the next minute after the last turn. */
  readonly at?: string;
}

const MINUTE_MS = 60_000;

export class SyntheticTranscript {
  readonly session: string;
  readonly path: string;
  readonly cwd: string;
  #turns = 0;
  #lines = 0;
  #last: string | null = null;
  #time: number;
  readonly #branch: string;

  constructor(options: { config: string; cwd: string; session: string; start?: string; branch?: string }) {
    this.session = options.session;
    this.cwd = options.cwd;
    this.#branch = options.branch ?? 'main';
    this.path = join(
      options.config,
      'projects',
      options.cwd.replaceAll(/[^A-Za-z0-9]/g, '-'),
      `${options.session}.jsonl`,
    );
    this.#time = Date.parse(options.start ?? '2026-03-02T09:00:00.000Z');
    mkdirSync(dirname(this.path), { recursive: true });
  }

  /** uuid of the prompt of the n-th turn: the id of that turn. */
  turnId(n: number): string {
    return uuid(this.session, 'prompt', n);
  }

  /** The lines of the next turn. They are not written: `append` does that. */
  lines(turn: SyntheticTurn): readonly string[] {
    this.#time = turn.at === undefined ? this.#time + MINUTE_MS : Date.parse(turn.at);
    this.#lines = 0;
    const n = this.#turns++;
    const promptId = uuid(this.session, 'prompt-id', n);
    const out = [
      this.#line(this.turnId(n), {
        type: 'user',
        promptId,
        message: { role: 'user', content: turn.prompt },
        permissionMode: 'default',
        promptSource: 'sdk',
        turnOrigin: 'sdk',
      }),
    ];
    for (const [i, tool] of (turn.tools ?? []).entries())
      out.push(...this.#tool(tool, `${n}-${i}`, promptId));
    out.push(
      this.#line(uuid(this.session, 'answer', n), {
        type: 'assistant',
        message: {
          id: `msg_${uuid(this.session, 'message', n)}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-5-5',
          content: [{ type: 'text', text: turn.answer }],
          stop_reason: 'end_turn',
        },
      }),
    );
    return out;
  }

  append(turn: SyntheticTurn): void {
    this.write(this.lines(turn));
  }

  /** Writes the line with which the client ends a session in print mode. Only then the last turn is known to be complete. */
  finish(): void {
    this.write([
      JSON.stringify({ type: 'last-prompt', sessionId: this.session }),
      JSON.stringify({ type: 'cost-state', sessionId: this.session }),
    ]);
  }

  write(lines: readonly string[]): void {
    appendFileSync(this.path, lines.map((line) => `${line}\n`).join(''));
  }

  #tool(tool: SyntheticTool, key: string, promptId: string): readonly string[] {
    const id = `toolu_${uuid(this.session, 'tool', key)}`;
    const call = this.#line(uuid(this.session, 'call', key), {
      type: 'assistant',
      message: {
        id: `msg_${uuid(this.session, 'tool-message', key)}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [{ type: 'tool_use', id, name: tool.name, input: tool.input }],
        stop_reason: 'tool_use',
      },
    });
    const result = this.#line(uuid(this.session, 'result', key), {
      type: 'user',
      promptId,
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: tool.output, is_error: tool.failed ?? false },
        ],
      },
      toolUseResult: tool.failed ? `Error: ${tool.output}` : resultOf(tool),
    });
    return [call, result];
  }

  #line(id: string, body: Readonly<Record<string, unknown>>): string {
    const timestamp = new Date(this.#time + this.#lines++).toISOString();
    const line = {
      parentUuid: this.#last,
      isSidechain: false,
      ...body,
      uuid: id,
      timestamp,
      userType: 'external',
      entrypoint: 'sdk-cli',
      cwd: this.cwd,
      sessionId: this.session,
      version: '2.1.325',
      gitBranch: this.#branch,
    };
    this.#last = id;
    return JSON.stringify(line);
  }
}

const SYLLABLES = 'ba cor del fen gra hol jun kel lim mor nas pol ris sto tur vex'.split(' ');

/** Words nobody uses, derived from a name: what is said with them is like nothing else that is said. */
export function inventedWords(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    const bytes = createHash('sha256').update(`${name}\n${i}`).digest();
    return [0, 1, 2, 3, 4, 5].map((at) => SYLLABLES[(bytes[at] ?? 0) % SYLLABLES.length]).join('');
  });
}

/** A decision that is like no other, so that it is neither merged with one nor taken for a contradiction. */
export function inventedDecision(name: string): { readonly word: string; readonly text: string } {
  const [word = '', b, c, d, e] = inventedWords(name, 5);
  return { word, text: `We decided to keep the ${word} ${b} in ${c} because ${d} ${e} loses it.` };
}

/** A uuid derived from words: the same words, the same uuid. */
export function uuid(...words: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(words.join('\n')).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function resultOf({ name, input, output }: SyntheticTool): unknown {
  const filePath = input['file_path'];
  switch (name) {
    case 'Bash':
      return { stdout: output, stderr: '', interrupted: false, isImage: false };
    case 'Read':
      return { type: 'text', file: { filePath, content: output, numLines: 1, startLine: 1, totalLines: 1 } };
    case 'Write':
      return { type: 'create', filePath, content: input['content'], structuredPatch: [], originalFile: null };
    case 'Edit':
      return {
        filePath,
        oldString: input['old_string'],
        newString: input['new_string'],
        originalFile: output,
        structuredPatch: [],
      };
    default:
      return output;
  }
}
