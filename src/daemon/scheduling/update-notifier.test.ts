import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CONFIG } from '../../config/index.ts';
import { missing } from './update-notifier.ts';

const NO_EMBEDDER = {
  embedder: null,
  why: 'embed.model is not set',
  next: 'tidemark config set embed.model <model>',
};
const NO_DRIVER = { driver: 'local', evidence: 'api: no key', next: 'Put one into api-key', passed: {} };

test('by default nothing is missing', () => {
  assert.deepEqual(missing(DEFAULT_CONFIG, NO_DRIVER, NO_EMBEDDER), {
    distiller: undefined,
    embedder: undefined,
  });
});

test('a distiller with consent that is not available is reported', () => {
  const config = { ...DEFAULT_CONFIG, 'distill.consent': true };
  assert.match(missing(config, NO_DRIVER, NO_EMBEDDER).distiller ?? '', /api: no key.*Put one into api-key/);
  const works = { driver: 'claude', evidence: 'found', passed: {} };
  assert.equal(missing(config, works, NO_EMBEDDER).distiller, undefined);
  assert.match(missing(config, { ...works, passed: { refused: 2 } }, NO_EMBEDDER).distiller ?? '', /Log in/);
  const local = { ...config, 'distill.driver': 'local' as const };
  assert.equal(missing(local, NO_DRIVER, NO_EMBEDDER).distiller, undefined);
});

test('an embedder that was chosen and is missing or fails is reported', () => {
  const config = { ...DEFAULT_CONFIG, 'embed.driver': 'openai' as const };
  assert.match(
    missing(config, undefined, NO_EMBEDDER).embedder ?? '',
    /embed\.model is not set.*config set embed\.model/,
  );
  const fails = { embedder: 'openai:x', trouble: 'connection refused' };
  assert.match(missing(config, undefined, fails).embedder ?? '', /connection refused/);
  assert.equal(missing(config, undefined, { embedder: 'openai:x' }).embedder, undefined);
});
