import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../config/index.ts';
import { placesIn } from '../core/index.ts';
import { chooseEmbedder, chooseSmallModel, type EmbedderSurroundings } from './choose.ts';

const home = mkdtempSync(join(tmpdir(), 'tidemark-choose-'));
after(() => rmSync(home, { recursive: true }));

const places = placesIn(home);
const around: EmbedderSurroundings = {
  places,
  env: {},
  program: join(import.meta.dirname, '_fake-program.mjs'),
  runtime: '/nowhere',
};
const config = (env: Readonly<Record<string, string>> = {}) => loadConfig({ places, env }).values;

function embedderOf(env: Readonly<Record<string, string>>, more: Partial<EmbedderSurroundings> = {}) {
  const choice = chooseEmbedder(config(env), { ...around, ...more });
  return choice.kind === 'embedder' ? choice.embedder.name : choice;
}

test('without settings the built-in model makes the vectors and answers the questions', () => {
  assert.equal(embedderOf({}), 'local:small');
  const choice = chooseSmallModel(config(), around);
  assert.ok(choice.kind === 'model' && choice.model.version === 'small-5');
});

test('a server makes the vectors, and the built-in model answers the questions', () => {
  const server = { TIDEMARK_EMBED_DRIVER: 'openai', TIDEMARK_EMBED_MODEL: 'nomic' };
  assert.equal(embedderOf(server), 'openai:nomic');
  assert.equal(chooseSmallModel(config(server), around).kind, 'model');
});

test('a server without a model is not replaced by the built-in one', () => {
  assert.deepEqual(embedderOf({ TIDEMARK_EMBED_DRIVER: 'openai' }), {
    kind: 'none',
    why: 'embed.model is not set',
    next: 'tidemark config set embed.model <model>',
  });
});

test('none disables both', () => {
  const none = { TIDEMARK_EMBED_DRIVER: 'none' };
  const disabled = {
    kind: 'none',
    why: 'embed.driver is none',
    next: 'tidemark config set embed.driver local',
  };
  assert.deepEqual([embedderOf(none), chooseSmallModel(config(none), around)], [disabled, disabled]);
});

test('without its files the built-in model is missed with a next step, by both', () => {
  const small = join(home, 'model');
  const missing = embedderOf({}, { small });
  assert.deepEqual(chooseSmallModel(config(), { ...around, small }), missing);
  assert.ok(typeof missing === 'object' && missing.why === 'small-5 is missing');
  assert.match(missing.next, /^Reinstall the plugin/);
});
