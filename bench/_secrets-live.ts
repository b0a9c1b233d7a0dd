/**
 * Sends planted secrets through a real daemon into one data folder, with a recording server as the model. Searches every
 * byte of the data folder, the requests to the model and the contexts that hooks inject.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SUMMARY_FIELDS } from '../src/core/index.ts';
import { contentOf } from '../test/support/leaks.ts';
import { Machine } from '../test/support/machine.ts';
import { stored } from '../test/support/stored.ts';
import { inventedDecision, uuid } from '../test/support/synthetic-transcript.ts';
import { DOORS, projectOf, throughTranscripts } from './_secrets-doors.ts';
import type { Planted } from './_secrets-plant.ts';

export interface LiveLeaks {
  readonly onDisk: ReadonlySet<Planted>;
  readonly inRequests: ReadonlySet<Planted>;
  readonly injected: ReadonlySet<Planted>;
  readonly requests: number;
  /** Turns in the store: a text that never arrived cannot leak. */
  readonly turns: number;
}

/** Shorter values occur by chance, so they are searched with the characters before them. */
const SHORTEST = 8;
const BEFORE = 5;
const NO_LIMIT = '1000000000';
/** Length of the model's reply: enough to bring the text of a turn back into a memory. */
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
    const onDisk = new Set<Planted>();
    const search = searchFor(all);
    // The spool is emptied when its events are processed, so the folder is searched on the way too.
    const searchDisk = (): void => {
      for (const one of search(machine.files().map(contentOf))) onDisk.add(one);
    };
    for (const [n, door] of DOORS.entries()) {
      const own = all.filter((_, i) => i % DOORS.length === n);
      const project = projectOf(machine, door);
      say(`${own.length} through ${door.name}`);
      shown.push(...(await door.send(machine, project, own)));
      if (door.name !== 'import') await throughTranscripts(machine, project, own);
      searchDisk();
    }
    await machine.drained();
    await distilled(machine, say);
    shown.push(...(await contexts(machine)));
    const { turns } = await stored(machine);
    await machine.stopDaemon();
    searchDisk();
    return {
      onDisk,
      inRequests: search(model.requests),
      injected: search(shown),
      requests: model.requests.length,
      turns: turns.length,
    };
  } finally {
    await machine.close();
    await model.close();
  }
}

/** Asks the model about every turn that it has not seen. */
async function distilled(machine: Machine, say: (text: string) => void): Promise<void> {
  for (;;) {
    const { turns } = await machine.call('distill', { since: '2000-01-01', agreed: true });
    say(`${turns} turns sent to the model`);
    if (turns === 0) return;
  }
}

/** The brief of a new session in each project, and what its prompts bring back. */
async function contexts(machine: Machine): Promise<readonly string[]> {
  const said: string[] = [];
  for (const door of DOORS) {
    const project = projectOf(machine, door);
    const session_id = uuid('next', door.name);
    const started = await machine.hook('SessionStart', { session_id, source: 'startup' }, { project });
    said.push(started.stdout);
    for (const name of [`${door.name} 0`, `${project} 0`]) {
      const prompt = inventedDecision(name).text;
      said.push((await machine.hook('UserPromptSubmit', { session_id, prompt }, { project })).stdout);
    }
  }
  return said;
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
