/**
 * Sends planted secrets through a real daemon: transcripts, hooks, the socket, `remember`, MCP, an import and edits in the
 * hub, all into one data folder, with a recording server as the model. Then searches every byte of the data folder, the
 * requests to the model and the contexts that hooks inject.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { SUMMARY_FIELDS } from '../src/core/index.ts';
import { ask, enter } from '../test/support/hub-client.ts';
import { DIST, Machine } from '../test/support/machine.ts';
import { readTurnStore } from '../test/support/stores.ts';
import {
  inventedDecision,
  SyntheticTranscript,
  uuid,
  type SyntheticTurn,
} from '../test/support/synthetic-transcript.ts';
import type { Planted } from './_secrets-plant.ts';

export interface LiveLeaks {
  readonly onDisk: ReadonlySet<Planted>;
  readonly inRequests: ReadonlySet<Planted>;
  readonly injected: ReadonlySet<Planted>;
  readonly requests: number;
  /** Turns in the store: a text that never arrived cannot leak. */
  readonly turns: number;
}

type Door = (machine: Machine, list: readonly Planted[]) => Promise<readonly string[]>;

const TURNS_PER_SESSION = 20;
/** Shorter values occur by chance, so they are searched with the characters before them. */
const SHORTEST = 8;
const BEFORE = 5;
/** The schema of the tool allows no more. */
const LONGEST_NOTE = 5000;
const NO_LIMIT = '1000000000';
/** Words of the model's reply: enough to bring the text of a turn back into a memory. */
const ECHO_CHARACTERS = 600;

export async function plantLive(all: readonly Planted[], say: (text: string) => void): Promise<LiveLeaks> {
  const model = await startModel();
  const machine = new Machine({
    TIDEMARK_DISTILL_DRIVER: 'api',
    TIDEMARK_DISTILL_CONSENT: 'true',
    TIDEMARK_DISTILL_API_URL: model.url,
    TIDEMARK_DISTILL_MODEL: 'claude-haiku-4-5',
    TIDEMARK_DISTILL_DAILY_TOKENS: NO_LIMIT,
    TIDEMARK_DISTILL_SESSION_TOKENS: NO_LIMIT,
    TIDEMARK_DISTILL_DAILY_USD: '1000',
  });
  try {
    await machine.up();
    const shown: string[] = [];
    const doors: readonly (readonly [string, Door])[] = [
      ['hooks', throughHooks],
      ['socket', throughSocket],
      ['remember', throughRemember],
      ['MCP', throughMcp],
      ['import', throughImport],
      ['hub', throughHub],
    ];
    for (const [n, [name, door]] of doors.entries()) {
      const own = all.filter((_, i) => i % doors.length === n);
      say(`${own.length} through ${name}`);
      shown.push(...(await door(machine, own)));
      if (door === throughImport) continue;
      say(`${own.length} through transcripts`);
      await throughTranscripts(machine, own, name);
    }
    await machine.drained();
    await distilled(machine, say);
    shown.push(...(await contexts(machine)));
    await machine.stopDaemon();
    const turns = new Set(readTurnStore(machine.places).map(({ id }) => id)).size;
    const search = searchFor(all);
    const files = machine.files().map((file) => `${file}\n${contentOf(file)}`);
    return {
      onDisk: search(files),
      inRequests: search(model.requests),
      injected: search(shown),
      requests: model.requests.length,
      turns,
    };
  } finally {
    await machine.close();
    await model.close();
  }
}

async function throughTranscripts(machine: Machine, list: readonly Planted[], name: string): Promise<void> {
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

/** Asks the model about every turn that it has not seen. */
async function distilled(machine: Machine, say: (text: string) => void): Promise<void> {
  for (;;) {
    const { turns } = await machine.call('distill', { since: '2000-01-01', agreed: true });
    say(`${turns} turns sent to the model`);
    if (turns === 0) return;
  }
}

/** The contexts of new sessions and prompts, and the brief. */
async function contexts(machine: Machine): Promise<readonly string[]> {
  const session_id = uuid('next');
  const started = await machine.hook('SessionStart', { session_id, source: 'startup' });
  const brief = await machine.cli(['brief']);
  const said = [started.stdout, brief.stdout];
  for (const name of ['hook 0', 'remember 0', 'mcp 0', 'hub 0', 'import 0']) {
    const { stdout } = await machine.hook('UserPromptSubmit', {
      session_id,
      prompt: inventedDecision(name).text,
    });
    said.push(stdout);
  }
  return said;
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

/** Returns the secrets that occur in texts, as they are or escaped for JSON, in any case. */
function searchFor(all: readonly Planted[]): (texts: readonly string[]) => ReadonlySet<Planted> {
  const byStart = new Map<string, { readonly needle: string; readonly one: Planted }[]>();
  for (const one of all) {
    for (const needle of one.needles.flatMap((text) => formsOf(text, one.text))) {
      const start = needle.slice(0, SHORTEST);
      byStart.set(start, [...(byStart.get(start) ?? []), { needle, one }]);
    }
  }
  return (texts) => {
    const found = new Set<Planted>();
    for (const text of texts.map((own) => own.toLowerCase())) {
      for (let i = 0; i <= text.length - SHORTEST; i++) {
        for (const { needle, one } of byStart.get(text.slice(i, i + SHORTEST)) ?? [])
          if (text.startsWith(needle, i)) found.add(one);
      }
    }
    return found;
  };
}

function formsOf(needle: string, text: string): readonly string[] {
  const at = text.indexOf(needle);
  const own = needle.length < SHORTEST ? text.slice(Math.max(0, at - BEFORE), at + needle.length) : needle;
  const escaped = JSON.stringify(own).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  return [...new Set([own, escaped, twice])].map((form) => form.toLowerCase());
}

function contentOf(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') && bytes.length > 0 ? gunzipSync(bytes) : bytes).toString('latin1');
}

interface RecordingModel {
  readonly url: string;
  readonly requests: string[];
  close(): Promise<void>;
}

/** A chat completions server that keeps every request and answers with a memory in the words of the turn. */
async function startModel(): Promise<RecordingModel> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    requests.push(body);
    const { messages = [] } = JSON.parse(body || '{}') as { messages?: { content: string }[] };
    const echo = messages.at(-1)?.content.slice(-ECHO_CHARACTERS) ?? '';
    const { text: title } = inventedDecision(`model ${requests.length}`);
    const memory = {
      op: 'add',
      id: '',
      ends: [],
      quote: '',
      kind: 'decision',
      title,
      body: echo,
      reason: '',
    };
    // One reply for both questions: the memories of a turn and the summary of a session.
    const summary = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, echo]));
    const operations = [{ ...memory, concepts: [], files: [] }];
    const content = JSON.stringify({ thinking: '', operations, ...summary });
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ model: 'played', choices: [{ message: { role: 'assistant', content } }], usage }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has no other kind of address
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}/v1`, requests, close };
}
