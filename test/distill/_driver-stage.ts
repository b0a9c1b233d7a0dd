/** A stage for one driver: a home of its own, the stand-in as its model, and a real request. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { StoredTurn } from '../../src/core/index.ts';
import { turnRequest, type DriverRequest } from '../../src/distill/index.ts';
import { endAll, processesWith, type Found } from '../support/left-behind.ts';
import { startMockApi, type MockApi } from '../support/mock-api.ts';
import { waitFor } from '../support/wait-for.ts';

const MARK = 'TIDEMARK_TEST_DRIVER';

export const MEMORY = {
  kind: 'decision',
  title: 'Refresh tokens rotate on every use',
  body: 'A stolen token dies at its first reuse.',
  reason: 'theft is noticed at once',
  concepts: ['auth'],
  files: ['src/auth.ts'],
};

export interface DriverStage {
  readonly mock: MockApi;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly config: string;
  /** Grows each time a hook of the user's settings fires. */
  readonly hooksFired: () => boolean;
  /** Transcripts and session files the client left. */
  readonly sessions: () => readonly string[];
  readonly processes: () => readonly Found[];
}

export async function openDriverStage(t: TestContext): Promise<DriverStage> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'dr-')));
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { mode: 0o700 });
    return join(root, name);
  };
  const [home, config, cwd, temp] = ['home', 'config', 'run', 'tmp'].map(folder) as [
    string,
    string,
    string,
    string,
  ];
  const mock = await startMockApi();
  const fired = join(root, 'fired');
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ hooks: loudHooks(fired) }));
  const run = process.env['TIDEMARK_TEST_RUN'];
  const env = {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    TMPDIR: temp,
    CLAUDE_CODE_TMPDIR: temp,
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: mock.url,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_TELEMETRY: '1',
    // As a daemon started by a hook has them.
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    ...(run ? { TIDEMARK_TEST_RUN: run } : {}),
    [MARK]: root,
  };
  const processes = (): readonly Found[] => processesWith(MARK, root);
  t.after(async () => {
    endAll(processes());
    await waitFor('all processes to be gone', () => processes().length === 0);
    await mock.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    mock,
    env,
    cwd,
    config,
    processes,
    hooksFired: () => existsSync(fired),
    sessions: () =>
      readdirSync(config, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl')),
  };
}

export function requestOf(session = 'session-1', parts: Partial<StoredTurn> = {}): DriverRequest {
  const turn: StoredTurn = {
    id: 'turn-1',
    agent: 'claude-code',
    session,
    origin: 'person',
    startedAt: '2026-03-01T10:00:00Z',
    endedAt: '2026-03-01T10:05:00Z',
    outcome: 'answered',
    prompt: 'Rotate refresh tokens on every use, because theft must be noticed.',
    answer: 'Done in src/auth.ts.',
    tools: [],
    messages: ['turn-1'],
    project: 'engine-abc123',
    ...parts,
  };
  return turnRequest({ turn, related: [] });
}

/** The stand-in hands in these memories as the client's structured output. */
export function answersWith(mock: MockApi, memories: readonly object[]): void {
  mock.rules.push({ reply: { tools: [{ name: 'StructuredOutput', input: replyOf(memories) }] } });
}

/** A reply that adds these memories. */
export function replyOf(memories: readonly object[]): object {
  const operations = memories.map((memory) => ({ op: 'add', id: '', ends: [], quote: '', ...memory }));
  return { thinking: 'It is new.', operations };
}

function loudHooks(file: string): object {
  const hook = [{ hooks: [{ type: 'command', command: `echo fired >> '${file}'` }] }];
  return { SessionStart: hook, UserPromptSubmit: hook, Stop: hook, SessionEnd: hook };
}
