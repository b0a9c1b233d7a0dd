/**
 * A place for a real agent other than Claude Code: a HOME, a project, a data folder and a temp folder of its own, the
 * mock as its model, a copy of the plugin as a marketplace, and an environment made from nothing.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { placesIn, type Places } from '../../src/core/index.ts';
import { giveTime, PATIENT, ROOT } from './claude.ts';
import { stopDaemon } from './daemon.ts';
import { endAll, processesWith } from './left-behind.ts';
import { startOpenAiMock, type OpenAiMock } from './openai-mock.ts';
import { runProgram } from './run-program.ts';
import { waitFor } from './wait-for.ts';
import { WITHOUT_MODEL } from './without-model.ts';

export type AgentName = 'codex' | 'qwen-code';

export interface Agent {
  readonly name: AgentName;
  readonly home: string;
  readonly market: string;
  readonly places: Places;
  readonly mock: OpenAiMock;
  /** A file that the test's prompts try to create. */
  readonly trap: string;
  /** Installs the plugin from `market` with the agent's own command. */
  install(): Promise<void>;
  /** Runs one session without a terminal. */
  run(prompt: string): Promise<void>;
  /** The copy of hooks.json that the agent made. */
  readonly manifest: string;
  env(): Record<string, string>;
}

/** `program`: the agent's script for Node. Ends with the test. */
export async function openAgent(t: TestContext, name: AgentName, program: string): Promise<Agent> {
  const mock = await startOpenAiMock();
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agent-')));
  const folder = (part: string): string => {
    mkdirSync(join(root, part), { mode: 0o700 });
    return join(root, part);
  };
  const [home, project, temp, market] = [folder('home'), folder('project'), folder('tmp'), folder('market')];
  const places = placesIn(folder('tidemark'));
  for (const part of ['.claude-plugin', 'plugin'])
    cpSync(join(ROOT, part), join(market, part), { recursive: true });
  giveTime(join(market, 'plugin'));
  const mark = process.env['TIDEMARK_TEST_RUN'];
  const base = {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMPDIR: temp,
    TIDEMARK_HOME: places.home,
    ...WITHOUT_MODEL,
    ...PATIENT,
    ...(mark ? { TIDEMARK_TEST_RUN: mark } : {}),
  };
  const ways = { codex, 'qwen-code': qwenCode }[name](home, market, mock);
  const env = (): Record<string, string> => ({ ...base, ...ways.env });
  const call = async (args: readonly string[]): Promise<void> => {
    const ran = await runProgram(process.execPath, [program, ...args], { cwd: project, env: env() });
    assert.equal(ran.code, 0, `${name} ${args.join(' ')}\n${ran.stdout}${ran.stderr}`);
  };
  t.after(async () => {
    await stopDaemon(places);
    await waitFor('nothing of the agent to be left', () => {
      const left = processesWith('TIDEMARK_HOME', places.home);
      endAll(left);
      return left.length === 0;
    });
    await mock.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    name,
    home,
    market,
    places,
    mock,
    env,
    trap: join(root, 'executed'),
    manifest: ways.manifest,
    install: async () => {
      for (const args of ways.install) await call(args);
      assert.ok(existsSync(ways.manifest), 'the agent has a copy of the plugin');
    },
    run: (prompt) => call([...ways.run, prompt]),
  };
}

/** Returns the events of this agent that the daemon received. */
export function receivedEvents({ places }: Agent): readonly string[] {
  try {
    return Object.keys(JSON.parse(readFileSync(join(places.run, 'heard.json'), 'utf8')) as object);
  } catch {
    return [];
  }
}

interface Ways {
  readonly env: Readonly<Record<string, string>>;
  readonly install: readonly (readonly string[])[];
  readonly run: readonly string[];
  readonly manifest: string;
}

function codex(home: string, market: string, { url }: OpenAiMock): Ways {
  const folder = join(home, '.codex');
  mkdirSync(folder);
  const config = [
    'model = "gpt-5.5"',
    'model_provider = "mock"',
    '[model_providers.mock]',
    'name = "mock"',
    `base_url = "${url}"`,
    'wire_api = "responses"',
    'env_key = "MOCK_KEY"',
  ];
  writeFileSync(join(folder, 'config.toml'), `${config.join('\n')}\n`);
  const cache = join(folder, 'plugins', 'cache', 'tidemark', 'tidemark', versionOf(market));
  return {
    env: { CODEX_HOME: folder, MOCK_KEY: 'dummy' },
    install: [
      ['plugin', 'marketplace', 'add', market],
      ['plugin', 'add', 'tidemark@tidemark'],
    ],
    // Without the flag Codex skips every hook that no person has reviewed.
    run: ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust'],
    manifest: join(cache, 'hooks', 'hooks.json'),
  };
}

function qwenCode(home: string, market: string, { url }: OpenAiMock): Ways {
  const folder = join(home, '.qwen');
  mkdirSync(folder);
  const settings = {
    security: { auth: { selectedType: 'openai' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
  return {
    env: { OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: url, OPENAI_MODEL: 'mock' },
    install: [['extensions', 'install', `${market}:tidemark`, '--consent']],
    run: ['-y', '-o', 'json'],
    manifest: join(folder, 'extensions', 'tidemark', 'hooks', 'hooks.json'),
  };
}

function versionOf(market: string): string {
  const file = join(market, 'plugin', '.claude-plugin', 'plugin.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
