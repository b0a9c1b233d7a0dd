/**
 * Runs one scripted session of labelled turns with the real client and a stand-in for the model, and counts what notes add:
 * requests, tokens and seconds. Tool calls of the recording become a Bash call that prints the recorded output. Recordings are
 * abbreviated, so a longer session adds calls of Read on real source files to each turn.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { NOTE_RULES } from '../src/agents/index.ts';
import { openStage } from '../test/support/claude.ts';
import type { Reply } from '../test/support/mock-model.ts';
import type { LabelledProject, LabelledTurn } from './labelled-sessions.ts';
import type { PlayedProject, PlayedTurn } from './_notes-play.ts';

export type NotesForm = 'off' | 'answer' | 'tool';

export interface Mechanics {
  readonly form: NotesForm;
  readonly turns: number;
  readonly notes: number;
  readonly requests: number;
  /** Of all requests together, as the model is sent the whole conversation each time. */
  readonly inputTokens: number;
  /** Of the last request: the size of the context at the end. */
  readonly contextTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
}

const CHARS_PER_TOKEN = 4;
const TOOL = 'mcp__plugin_tidemark_memory__';
const LONGEST_OUTPUT = 2000;

export async function mechanics(
  claude: string,
  project: LabelledProject,
  played: PlayedProject,
  form: NotesForm,
  { maxTurns, callsPerTurn }: { readonly maxTurns: number; readonly callsPerTurn: number },
): Promise<Mechanics> {
  const ends: (() => unknown)[] = [];
  // The stage needs only the `after` hook of a test context.
  const test = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
  try {
    const stage = await openStage(test, { claude, env: { TIDEMARK_CAPTURE_AGENT_NOTES: form } });
    const turns = project.sessions
      .flatMap((session) => session.turns.map((turn, n) => ({ turn, name: `${session.id}.${n + 1}` })))
      .filter(({ turn }) => turn.assistant !== '' && !turn.user.startsWith('/'))
      .slice(0, maxTurns);
    const settings = JSON.stringify({ permissions: { allow: ['Bash', 'Read', ...NOTE_RULES] } });
    const files = copySources(stage.project);
    let session = '';
    let loaded = false;
    let outputChars = 0;
    let notes = 0;
    const began = performance.now();
    for (const { turn, name } of turns) {
      const one = played.turns.find((candidate) => candidate.turn === name);
      const replies = repliesOf(turn, form, one, loaded, (n) =>
        files.splice(0, Math.max(0, callsPerTurn - n)),
      );
      notes += form === 'answer' ? (one?.full.length ?? 0) : form === 'tool' ? (one?.tool.length ?? 0) : 0;
      loaded ||= form === 'tool' && (one?.tool.length ?? 0) > 0;
      outputChars += replies.reduce(
        (sum, { text = '', tools = [] }) => sum + text.length + JSON.stringify(tools).length,
        0,
      );
      stage.mock.rules.length = 0;
      stage.mock.rules.push(...replies.map((reply) => ({ when: { hasTool: 'Bash' }, times: 1, reply })));
      const args = ['--settings', settings, ...(session ? ['--resume', session] : [])];
      session = (await stage.run(turn.user, { args })).session;
    }
    const seconds = (performance.now() - began) / 1000;
    const sizes = stage.mock.requests
      .filter(({ tools }) => tools?.some(({ name }) => name === 'Bash'))
      .map((request) => JSON.stringify([request.system, request.messages, request.tools]).length);
    return {
      form,
      turns: turns.length,
      notes,
      requests: sizes.length,
      inputTokens: Math.round(sizes.reduce((sum, size) => sum + size, 0) / CHARS_PER_TOKEN),
      contextTokens: Math.round((sizes.at(-1) ?? 0) / CHARS_PER_TOKEN),
      outputTokens: Math.round(outputChars / CHARS_PER_TOKEN),
      seconds,
    };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** One message for each recorded tool call. A note by tool goes out with the last of them, or in a message of its own. */
function repliesOf(
  turn: LabelledTurn,
  form: NotesForm,
  played: PlayedTurn | undefined,
  loaded: boolean,
  more: (calls: number) => readonly string[],
): readonly Reply[] {
  const recorded = (turn.tools ?? []).map(({ output }) => [printing(output)]);
  const reads = more(recorded.length).map((file) => [{ name: 'Read', input: { file_path: file } }]);
  const steps: Call[][] = [...reads, ...recorded];
  const calls =
    form === 'tool'
      ? (played?.tool ?? []).map(({ title, kind, quote, reason }) => ({
          name: `${TOOL}remember`,
          input: { title, kind, quote, ...(reason ? { reason } : {}) },
        }))
      : [];
  const load = { name: 'ToolSearch', input: { query: `select:${TOOL}remember,${TOOL}resolve` } };
  const last = steps.at(-1);
  const withNotes =
    calls.length === 0
      ? steps
      : last
        ? [...steps.slice(0, -1), [...last, ...(loaded ? calls : [load])], ...(loaded ? [] : [calls])]
        : [...(loaded ? [] : [[load]]), calls];
  const lines = form === 'answer' ? (played?.full ?? []) : [];
  const text = [turn.assistant, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
  return [...withNotes.map((tools): Reply => ({ tools })), { text }];
}

interface Call {
  readonly name: string;
  readonly input: object;
}

/** Source files as an agent reads them: 80 to 250 lines. */
function copySources(folder: string): string[] {
  const root = join(import.meta.dirname, '..', 'src');
  mkdirSync(join(folder, 'src'));
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .toSorted()
    .filter((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length;
      return lines >= 80 && lines <= 250;
    })
    .map((file) => {
      const to = join(folder, 'src', file.replaceAll('/', '-'));
      cpSync(join(root, file), to);
      return to;
    });
}

function printing(output: string): Call {
  const text = output.slice(0, LONGEST_OUTPUT).replaceAll("'", `'\\''`);
  return {
    name: 'Bash',
    input: { command: `printf '%s' '${text}'`, description: 'print the recorded output' },
  };
}
