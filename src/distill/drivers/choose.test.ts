import assert from 'node:assert/strict';
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
  { claude = false, resting = '' }: { claude?: boolean; resting?: string } = {},
): Promise<Choice> {
  const home = folder(t);
  if (claude) writeFileSync(join(home, 'claude'), '#!/bin/sh\necho 9.9.9\n', { mode: 0o755 });
  const env = { HOME: home, PATH: home };
  const around = { places: placesIn(home), env, programFolders: [] };
  return chooseDriver(config, around, AbortSignal.timeout(10_000), (name) => name !== resting);
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ch-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
