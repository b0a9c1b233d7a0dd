import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DEFAULT_CONFIG, type Config } from '../../config/index.ts';
import { placesIn } from '../../core/index.ts';
import { apiKey, chooseDriver, modelFor, type Choice } from './choose.ts';

const AGREED: Config = {
  ...DEFAULT_CONFIG,
  'distill.consent': true,
  'distill.apiUrl': 'http://localhost:11434/v1',
  'distill.model': ['api=llama3.2'],
};

test('without consent the driver is always local', async (t) => {
  for (const driver of ['auto', 'claude', 'agent-sdk', 'api'] as const) {
    const choice = await choose(t, { ...AGREED, 'distill.consent': false, 'distill.driver': driver });
    assert.deepEqual(choice, { kind: 'local', why: 'no-consent' });
  }
});

test('auto takes the first that works', async (t) => {
  const withClient = await choose(t, AGREED, { claude: true });
  assert.equal(withClient.kind === 'model' && withClient.driver.name, 'claude');
  const without = await choose(t, AGREED);
  assert.equal(without.kind === 'model' && without.driver.name, 'api');
  const none = await choose(t, { ...AGREED, 'distill.apiUrl': '' });
  assert.equal(none.kind === 'local' && none.why, 'none-works');
});

test('auto skips a driver that failed recently', async (t) => {
  const choice = await choose(t, AGREED, { claude: true, resting: 'claude' });
  assert.equal(choice.kind === 'model' && choice.driver.name, 'api');
});

test('a named driver is the only one used', async (t) => {
  const choice = await choose(t, { ...AGREED, 'distill.driver': 'claude' });
  assert.equal(choice.kind === 'local' && choice.why, 'none-works');
});

test('another agent is used only if the settings name it, because consent names the receiver', async (t) => {
  const auto = await choose(t, { ...AGREED, 'distill.apiUrl': '' });
  assert.ok(auto.kind === 'local' && auto.why === 'none-works');
  assert.ok(!auto.health.some(({ name }) => name === 'codex'));
  const named = await choose(t, { ...AGREED, 'distill.driver': 'codex' });
  assert.ok(named.kind === 'local' && named.why === 'none-works');
  assert.match(named.health[0]?.evidence ?? '', /Codex was not found/);
  assert.equal(modelFor('codex', ['haiku']), '', 'another agent has other models');
  assert.equal(modelFor('codex', ['haiku', 'codex=gpt-5.5']), 'gpt-5.5');
  assert.equal(modelFor('claude', ['codex=gpt-5.5']), 'haiku');
});

const REMOTE: Config = {
  ...AGREED,
  'distill.driver': 'api',
  'distill.apiUrl': 'https://models.example/v1',
  'distill.model': ['api=mystery-1'],
  'distill.prices': ['other=1/2'],
};

test('a remote model without a known price is refused; the next step is the exact command', async (t) => {
  const choice = await choose(t, REMOTE);
  assert.ok(choice.kind === 'local' && choice.why === 'none-works');
  const [health] = choice.health;
  assert.match(health?.evidence ?? '', /price of mystery-1 at models\.example is not known/);
  assert.equal(
    health?.next,
    "Replace IN and OUT with US dollars per million tokens: tidemark config set distill.prices 'other=1/2,mystery-1=IN/OUT'",
  );
  const priced = await choose(t, { ...REMOTE, 'distill.prices': ['mystery-1=0.5/2'] });
  assert.equal(priced.kind === 'model' && priced.driver.model, 'mystery-1');
});

test('the command for the price is whole for a shell, whatever the name of the model', async (t) => {
  const model = `it's "$HOME" (v1); *`;
  const choice = await choose(t, { ...REMOTE, 'distill.model': [`api=${model}`] });
  assert.ok(choice.kind === 'local' && choice.why === 'none-works');
  const [, command = ''] = choice.health[0]?.next?.split('tidemark ') ?? [];
  const args = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });
  assert.deepEqual(args.trimEnd().split('\n'), [
    'config',
    'set',
    'distill.prices',
    `other=1/2,${model}=IN/OUT`,
  ]);
});

test('a model on this machine needs no price; an address that only looks local does', async (t) => {
  for (const url of [
    'http://localhost:11434/v1',
    'http://127.0.0.1:8080',
    'http://[::1]:1/v1',
    'https://localhost',
  ])
    assert.equal((await choose(t, { ...REMOTE, 'distill.apiUrl': url })).kind, 'model', url);
  for (const url of [
    'http://localhost:1@models.example/v1',
    'http://127.0.0.1.example/v1',
    'https://10.0.0.7/v1',
  ])
    assert.equal((await choose(t, { ...REMOTE, 'distill.apiUrl': url })).kind, 'local', url);
});

test('an unknown model of Claude Code is used on a plan and refused with an API key', async (t) => {
  const config: Config = { ...AGREED, 'distill.driver': 'claude', 'distill.model': ['claude=mystery-2'] };
  const plan = await choose(t, config, { claude: { loggedIn: true, subscriptionType: 'max' } });
  assert.equal(plan.kind, 'model');
  for (const login of [{ loggedIn: true, authMethod: 'api_key' }, { loggedIn: false }]) {
    const paid = await choose(t, config, { claude: login });
    assert.ok(paid.kind === 'local' && paid.why === 'none-works');
    assert.match(paid.health[0]?.evidence ?? '', /price of mystery-2 through Claude Code is not known/);
  }
  const known = { ...config, 'distill.model': ['claude=sonnet'] };
  assert.equal((await choose(t, known, { claude: { loggedIn: true, authMethod: 'api_key' } })).kind, 'model');
});

test('the model of a driver overrides the one for all', () => {
  assert.equal(modelFor('claude', []), 'haiku');
  assert.equal(modelFor('claude', ['sonnet', 'api=llama3.2']), 'sonnet');
  assert.equal(modelFor('api', ['sonnet', 'api=llama3.2']), 'llama3.2');
  assert.equal(modelFor('api', []), '');
});

test('a key comes from the environment, or from a file that only the user can read', (t) => {
  const places = placesIn(folder(t));
  assert.equal(apiKey(places, {}), undefined);
  writeFileSync(places.apiKey, 'from-file\n', { mode: 0o600 });
  assert.equal(apiKey(places, {}), 'from-file');
  assert.equal(apiKey(places, { TIDEMARK_API_KEY: 'from-env' }), 'from-env');
  chmodSync(places.apiKey, 0o644);
  assert.equal(apiKey(places, {}), undefined);
});

async function choose(
  t: TestContext,
  config: Config,
  { claude = false, resting = '' }: { claude?: boolean | object; resting?: string } = {},
): Promise<Choice> {
  const home = folder(t);
  const login = JSON.stringify(typeof claude === 'object' ? claude : {});
  const client = `#!/bin/sh\n[ "$1" = auth ] && echo '${login}' || echo 9.9.9\n`;
  if (claude) writeFileSync(join(home, 'claude'), client, { mode: 0o755 });
  const env = { HOME: home, PATH: home, TIDEMARK_API_KEY: 'k' };
  const around = { places: placesIn(home), env, programFolders: [] };
  return chooseDriver(config, around, AbortSignal.timeout(10_000), (name) => name !== resting);
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ch-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
