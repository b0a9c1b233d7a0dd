/**
 * The ways into a daemon for planted secrets: transcripts, hooks, the socket, `remember`, MCP, an import and edits in the
 * hub. Each returns what the agent was shown on the way.
 */
import { spawn } from 'node:child_process';
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
  send(machine: Machine, list: readonly Planted[]): Promise<readonly string[]>;
}

const TURNS_PER_SESSION = 20;
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

/** Sends each text as part of a turn of a finished session. */
export async function throughTranscripts(
  machine: Machine,
  list: readonly Planted[],
  name: string,
): Promise<void> {
  for (const transcript of transcriptsOf(machine.config, machine.project, list, name)) {
    const session = { session_id: transcript.session, transcript_path: transcript.path };
    await machine.deliver('SessionStart', { ...session, source: 'startup' });
    await machine.deliver('SessionEnd', { ...session, reason: 'other' });
  }
}

async function throughHooks(machine: Machine, list: readonly Planted[]): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [i, { text }] of list.entries()) {
    const session_id = uuid('hook', i);
    const prompt = withDecision(`hook ${i}`, text);
    const prompted = await machine.hook('UserPromptSubmit', { session_id, prompt });
    const stopped = await machine.hook('Stop', { session_id, last_assistant_message: text });
    said.push(prompted.stdout + prompted.stderr, stopped.stdout + stopped.stderr);
  }
  return said;
}

async function throughSocket(machine: Machine, list: readonly Planted[]): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [i, { text }] of list.entries()) {
    const session_id = uuid('socket', i);
    const prompt = withDecision(`socket ${i}`, text);
    said.push((await machine.deliver('UserPromptSubmit', { session_id, prompt })).body);
    said.push((await machine.deliver('Stop', { session_id, last_assistant_message: text })).body);
    await machine.deliver('SessionEnd', { session_id, reason: 'other' });
  }
  return said;
}

async function throughRemember(machine: Machine, list: readonly Planted[]): Promise<readonly string[]> {
  for (const [i, { text }] of list.entries()) {
    const { text: title } = inventedDecision(`remember ${i}`);
    const { code, stderr } = await machine.cli(['remember', title, `--body=${text}`, `--fact=${text}`]);
    if (code !== 0) throw new Error(`remember: ${stderr}`);
  }
  return [];
}

async function throughMcp(machine: Machine, list: readonly Planted[]): Promise<readonly string[]> {
  const server = startMcp(machine);
  try {
    await server.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    });
    const said: string[] = [];
    for (const [i, { text }] of list.entries()) {
      const { text: title, word } = inventedDecision(`mcp ${i}`);
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
function startMcp(machine: Machine): { ask(method: string, params: object): Promise<string>; close(): void } {
  const env = { ...machine.env, CLAUDE_PROJECT_DIR: machine.project };
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

async function throughImport(machine: Machine, list: readonly Planted[]): Promise<readonly string[]> {
  const configDir = join(machine.root, 'earlier');
  transcriptsOf(configDir, machine.project, list, 'import');
  await machine.call('import.history', { configDir, finished: true });
  return [];
}

async function throughHub(machine: Machine, list: readonly Planted[]): Promise<readonly string[]> {
  const { url } = await machine.call('hub.link', {});
  const visitor = await enter(url);
  const headers = { ...visitor.headers, 'content-type': 'application/json' };
  for (const [i, { text }] of list.entries()) {
    const { text: title } = inventedDecision(`hub ${i}`);
    const draft = { kind: 'decision' as const, title, body: '', facts: [], concepts: [], files: [] };
    const { id } = await machine.call('remember', { draft, dir: machine.project });
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

function transcriptsOf(
  config: string,
  cwd: string,
  list: readonly Planted[],
  name: string,
): readonly SyntheticTranscript[] {
  const count = Math.ceil(list.length / TURNS_PER_SESSION);
  return Array.from({ length: count }, (_, s) => {
    const transcript = new SyntheticTranscript({ config, cwd, session: uuid('planted', name, s) });
    for (const [i, one] of list.slice(s * TURNS_PER_SESSION, (s + 1) * TURNS_PER_SESSION).entries())
      transcript.append(turnOf(one, `${name} ${s * TURNS_PER_SESSION + i}`));
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
