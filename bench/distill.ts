/**
 * Measures distilling one session of 60 tool calls with each driver: requests, tokens in and out, memories. A mock API
 * replaces the model and answers with the memories of the local distiller. A token counts as four characters.
 *
 *   node bench/distill.ts [--claude <program>] [--sdk <folder>] [--peer peer.json] [--json]
 *
 * `--sdk` names a folder with a node_modules that contains the Agent SDK. Drivers that are not installed are skipped.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addedDrafts, type Memory, type MemoryDraft, type StoredTurn } from '../src/core/index.ts';
import { memoriesOf } from '../src/memory/index.ts';
import {
  admit,
  agentSdkDriver,
  apiDriver,
  claudeDriver,
  localDistiller,
  parseOperations,
  turnRequest,
  type Driver,
} from '../src/distill/index.ts';
import { startMockApi, type MockApi } from '../test/support/mock-api.ts';
import { runPeer } from './_distill-peer.ts';
import { SESSION, sixtyCalls, type SixtyCalls } from './_sixty-calls.ts';

interface Row {
  readonly name: string;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly largest: number;
  readonly memories: number | null;
}

const CHARS_PER_TOKEN = 4;
const ASK_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    claude: { type: 'string' },
    sdk: { type: 'string' },
    peer: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const root = resolve(import.meta.dirname, '..');

await main();

async function main(): Promise<void> {
  const session = await sixtyCalls();
  const home = mkdtempSync(join(tmpdir(), 'db-'));
  try {
    const rows = [await local(session), ...(await drivers(session, home)), growing(session)];
    if (options.peer) rows.push(await peer(session, options.peer));
    console.log(
      options.json ? JSON.stringify({ ...facts(session), rows }, null, 2) : markdown(session, rows),
    );
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function drivers(session: SixtyCalls, home: string): Promise<readonly Row[]> {
  const environment = (mock: MockApi): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: mock.url,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_TELEMETRY: '1',
  });
  const { claude, sdk } = options;
  const own = claude ? { program: claude } : {};
  const makers: readonly (readonly [string, (mock: MockApi) => Driver])[] = [
    ['claude', (mock) => claudeDriver({ model: 'haiku', env: environment(mock), cwd: home, ...own })],
    ...(sdk
      ? [
          [
            'agent-sdk',
            (mock: MockApi) =>
              agentSdkDriver({ model: 'haiku', env: environment(mock), cwd: home, folders: [sdk], ...own }),
          ] as const,
        ]
      : []),
    ['api', (mock) => apiDriver({ url: `${mock.url}/v1/messages`, model: 'claude-haiku-5-5', key: 'k' })],
  ];
  const rows: Row[] = [];
  for (const [name, make] of makers) {
    const mock = await startMockApi();
    const driver = make(mock);
    try {
      const health = await driver.health(AbortSignal.timeout(ASK_MS));
      if (health.works) rows.push(await withDriver(name, driver, mock, session.stored));
      else console.error(`${name} skipped: ${health.evidence}`);
    } finally {
      await driver.close();
      await mock.close();
    }
  }
  return rows;
}

async function withDriver(
  name: string,
  driver: Driver,
  mock: MockApi,
  turns: readonly StoredTurn[],
): Promise<Row> {
  let output = 0;
  let memories = 0;
  const related: Memory[] = [];
  for (const [i, turn] of turns.entries()) {
    if (!admit(turn).admitted) continue;
    const drafts = await draftsOf(turn);
    const previous = turns[i - 1];
    mock.queue.push({
      tools: [{ name: 'StructuredOutput', input: { thinking: '', operations: drafts.map(whole) } }],
    });
    const answer = await driver.ask(
      turnRequest({ turn, related, ...(previous && { previous }) }),
      AbortSignal.timeout(ASK_MS),
    );
    if (answer.kind === 'failed') throw new Error(`${name}: ${answer.message}`);
    const parsed = parseOperations(answer.text);
    if (!parsed.valid) throw new Error(`${name}: ${parsed.reason}`);
    memories += parsed.value.length;
    related.push(...memoriesOf(drafts, turn, name));
    output += answer.usage.outputTokens;
  }
  return { name, ...counted(mock), output, memories };
}

async function local({ stored }: SixtyCalls): Promise<Row> {
  const drafts = (await Promise.all(stored.map(draftsOf))).flat();
  return { name: 'local', requests: 0, input: 0, output: 0, largest: 0, memories: drafts.length };
}

/** Computes the cost of sending every tool call, with input and output, into one growing conversation. */
function growing({ turns }: SixtyCalls): Row {
  const answer = tokens('<observation><type>discovery</type><text>…</text></observation>');
  let conversation = 500; // instructions: about as long as ours
  let input = 0;
  let requests = 0;
  for (const tool of turns.flatMap((turn) => turn.tools ?? [])) {
    conversation += tokens(JSON.stringify(tool.input)) + tokens(tool.output);
    input += conversation;
    conversation += answer;
    requests++;
  }
  const name = 'every tool call into one growing conversation (computed)';
  return { name, requests, input, output: requests * answer, largest: conversation, memories: null };
}

async function peer(session: SixtyCalls, file: string): Promise<Row> {
  const mock = await startMockApi();
  try {
    const { name, failed } = await runPeer(file, session, SESSION, mock);
    if (failed > 0) console.error(`${name}: ${failed} hooks failed`);
    const reply = mock.rules[0]?.reply.text ?? '';
    return { name, ...counted(mock), output: mock.requests.length * tokens(reply), memories: null };
  } finally {
    await mock.close();
  }
}

/** Counts what reached the model: every part of the requests that a model reads. */
function counted(mock: MockApi): Pick<Row, 'requests' | 'input' | 'largest'> {
  const sizes = mock.requests.map(({ system, messages, tools }) =>
    tokens(JSON.stringify({ system, messages, tools })),
  );
  return {
    requests: sizes.length,
    input: sizes.reduce((sum, size) => sum + size, 0),
    largest: Math.max(0, ...sizes),
  };
}

async function draftsOf(turn: StoredTurn): Promise<readonly MemoryDraft[]> {
  const { operations } = await localDistiller.distill({ turn, related: [] }, AbortSignal.timeout(ASK_MS));
  return addedDrafts(operations);
}

/** Exactly the fields of the schema: Claude Code refuses a reply with any other. */
function whole({ kind, title, body, reason = '', concepts, files }: MemoryDraft): object {
  return { op: 'add', id: '', ends: [], kind, title, body, reason, quote: '', concepts, files };
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

function facts({ hash }: SixtyCalls): { readonly commit: string; readonly data: string } {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', 'src', 'bench') === '' ? '' : ' (changed since)';
  return { commit: git('rev-parse', '--short', 'HEAD') + dirty, data: hash };
}

function markdown(session: SixtyCalls, rows: readonly Row[]): string {
  const { commit, data } = facts(session);
  const calls = session.turns.flatMap((turn) => turn.tools ?? []).length;
  const n = (value: number | null): string => (value === null ? '' : value.toLocaleString('en'));
  return [
    `Commit ${commit}, data ${data}. ${session.turns.length} turns, ${calls} tool calls.`,
    '',
    '| driver | requests | tokens in | tokens out | largest request | memories |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.name} | ${n(row.requests)} | ${n(row.input)} | ${n(row.output)} | ${n(row.largest)} | ${n(row.memories)} |`,
    ),
  ].join('\n');
}
