/**
 * The ways into a daemon for planted secrets: transcripts, hooks, the socket, `remember`, MCP, an import and edits in the
 * hub. Each returns what the agent was shown on the way.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ask, enter } from '../test/support/hub-client.ts';
import { DIST, type Machine } from '../test/support/machine.ts';
import {
  inventedDecision,
  SyntheticTranscript,
  uuid,
  type SyntheticTurn,
} from '../test/support/synthetic-transcript.ts';
import type { Planted } from './_secrets-plant.ts';

export interface Door {
  readonly name: string;
  readonly send: Send;
}

type Send = (machine: Machine, project: string, list: readonly Planted[]) => Promise<readonly string[]>;

const TURNS_PER_SESSION = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_DAY = Date.parse('2026-01-05T09:00:00Z');
/** The schema of the tool allows no more. */
const LONGEST_NOTE = 5000;

/** Every text goes through one of these, and all but those of the import through a transcript too. */
export const DOORS: readonly Door[] = [
  { name: 'hooks', send: throughHooks },
  { name: 'socket', send: throughSocket },
  { name: 'remember', send: throughRemember },
  { name: 'MCP', send: throughMcp },
  { name: 'import', send: throughImport },
  { name: 'hub', send: throughHub },
];

/** Each way in has a project of its own. */
export function projectOf(machine: Machine, { name }: Door): string {
  const folder = join(machine.root, `project-${name}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Sends each text as part of a turn of a finished session. */
export const throughTranscripts: Send = async (machine, cwd, list) => {
  for (const transcript of transcriptsOf(machine.config, cwd, list)) {
    const session = { session_id: transcript.session, transcript_path: transcript.path, cwd };
    const envelope = { 'project-dir': cwd };
    await machine.deliver('SessionStart', { ...session, source: 'startup' }, envelope);
    await machine.deliver('SessionEnd', { ...session, reason: 'other' }, envelope);
  }
  return [];
};

async function throughHooks(
  machine: Machine,
  project: string,
  list: readonly Planted[],
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [i, { text }] of list.entries()) {
    const session_id = sessionOf('hooks', i);
    const prompt = withDecision(`hooks ${i}`, text);
    const prompted = await machine.hook('UserPromptSubmit', { session_id, prompt }, { project });
    const stopped = await machine.hook('Stop', { session_id, last_assistant_message: text }, { project });
    said.push(prompted.stdout + prompted.stderr, stopped.stdout + stopped.stderr);
  }
  return said;
}

async function throughSocket(
  machine: Machine,
  project: string,
  list: readonly Planted[],
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [i, { text }] of list.entries()) {
    const fields = { session_id: sessionOf('socket', i), cwd: project };
    const envelope = { 'project-dir': project };
    const prompt = withDecision(`socket ${i}`, text);
    const prompted = await machine.deliver('UserPromptSubmit', { ...fields, prompt }, envelope);
    const stopped = await machine.deliver('Stop', { ...fields, last_assistant_message: text }, envelope);
    said.push(prompted.body, stopped.body);
  }
  return said;
}

async function throughRemember(
  machine: Machine,
  project: string,
  list: readonly Planted[],
): Promise<readonly string[]> {
  for (const [i, { text }] of list.entries()) {
    const { text: title } = inventedDecision(`remember ${i}`);
    const args = ['remember', title, `--body=${text}`, `--fact=${text}`];
    const { code, stderr } = await machine.cli(args, { cwd: project });
    if (code !== 0) throw new Error(`remember: ${stderr}`);
  }
  return [];
}

async function throughMcp(
  machine: Machine,
  project: string,
  list: readonly Planted[],
): Promise<readonly string[]> {
  const server = startMcp(machine, project);
  try {
    await server.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    });
    const said: string[] = [];
    for (const [i, { text }] of list.entries()) {
      const { text: title, word } = inventedDecision(`MCP ${i}`);
      const note = text.slice(0, LONGEST_NOTE);
      const noted = await server.ask('tools/call', {
        name: 'remember',
        arguments: { title, body: note, facts: [note] },
      });
      if (/"isError":true|"error":/.test(noted)) throw new Error(`MCP: ${noted.slice(0, 300)}`);
      said.push(noted, await server.ask('tools/call', { name: 'search', arguments: { query: word } }));
    }
    return said;
  } finally {
    server.close();
  }
}

/** Our MCP server as a child process that answers one request after the other. */
function startMcp(
  machine: Machine,
  project: string,
): { ask(method: string, params: object): Promise<string>; close(): void } {
  const env = { ...machine.env, CLAUDE_PROJECT_DIR: project };
  const child = spawn(process.execPath, [join(DIST, 'mcp.cjs')], {
    env,
    cwd: machine.root,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return {
    async ask(method, params) {
      id += 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the MCP server ended');
      return value;
    },
    close: () => child.stdin.end(),
  };
}

async function throughImport(
  machine: Machine,
  project: string,
  list: readonly Planted[],
): Promise<readonly string[]> {
  const configDir = join(machine.root, 'earlier');
  transcriptsOf(configDir, project, list);
  await machine.call('import.history', {
    sources: [{ agent: 'claude-code', folder: configDir }],
    finished: true,
  });
  return [];
}

async function throughHub(
  machine: Machine,
  project: string,
  list: readonly Planted[],
): Promise<readonly string[]> {
  const { url } = await machine.call('hub.link', {});
  const visitor = await enter(url);
  const headers = { ...visitor.headers, 'content-type': 'application/json' };
  for (const [i, { text }] of list.entries()) {
    const { text: title } = inventedDecision(`hub ${i}`);
    const draft = { kind: 'decision' as const, title, body: '', facts: [], concepts: [], files: [] };
    const { id } = await machine.call('remember', { draft, dir: project });
    const body = JSON.stringify({ patch: { body: text, facts: [text] } });
    const reply = await ask(Number(new URL(url).port), `/api/memories/${id}/edit`, {
      method: 'POST',
      headers,
      body,
    });
    if (reply.status !== 200) throw new Error(`hub edit: ${reply.status} ${reply.text.slice(0, 200)}`);
  }
  return [];
}

/** Turns of the same session. */
function sessionOf(name: string, turn: number): string {
  return uuid(name, Math.floor(turn / TURNS_PER_SESSION));
}

function transcriptsOf(
  config: string,
  cwd: string,
  list: readonly Planted[],
): readonly SyntheticTranscript[] {
  const count = Math.ceil(list.length / TURNS_PER_SESSION);
  return Array.from({ length: count }, (_, s) => {
    // One session a day, as a user works: a day's journal file is rewritten with each of its memories.
    const start = new Date(FIRST_DAY + s * DAY_MS).toISOString();
    const transcript = new SyntheticTranscript({ config, cwd, session: uuid('planted', cwd, s), start });
    for (const [i, one] of list.slice(s * TURNS_PER_SESSION, (s + 1) * TURNS_PER_SESSION).entries())
      transcript.append(turnOf(one, `${cwd} ${s * TURNS_PER_SESSION + i}`));
    transcript.finish();
    return transcript;
  });
}

/** A turn with the text where its channel has it. */
function turnOf({ channel, text }: Planted, name: string): SyntheticTurn {
  const turn = { prompt: inventedDecision(name).text, answer: 'Done, it works now.' };
  const bash = (command: string, output: string, failed = false): SyntheticTurn => ({
    ...turn,
    tools: [{ name: 'Bash', input: { command }, output, failed }],
  });
  switch (channel) {
    case 'prompt':
      return { ...turn, prompt: withDecision(name, text) };
    case 'answer':
      return { ...turn, answer: text };
    case 'command':
      return bash(text, 'ok');
    case 'output':
      return bash('make run', text);
    case 'error':
      return bash('make run', text, true);
    case 'write':
      return {
        ...turn,
        tools: [
          { name: 'Write', input: { file_path: 'config/app.conf', content: text }, output: 'created' },
          { name: 'Read', input: { file_path: 'config/app.conf' }, output: text },
        ],
      };
    case 'edit': {
      const input = { file_path: 'config/app.conf', old_string: '#', new_string: text };
      return { ...turn, tools: [{ name: 'Edit', input, output: text }] };
    }
    case 'input':
    case 'key':
      return { ...turn, tools: [{ name: 'mcp__ops__call', input: objectOf(text), output: 'ok' }] };
    case 'mcp':
      return { ...turn, tools: [{ name: 'mcp__ops__call', input: {}, output: text }] };
    case 'tool': {
      const { tool_name, tool_input } = objectOf(text);
      const input = tool_input as Readonly<Record<string, unknown>>; // the templates of this channel have both
      return { ...turn, tools: [{ name: String(tool_name), input, output: 'ok' }] };
    }
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Readonly<Record<string, unknown>>; // structured channels are JSON objects
}

/** Adds a decision, so that the turn is distilled. */
function withDecision(name: string, text: string): string {
  return `${inventedDecision(name).text}\n\n${text}`;
}
