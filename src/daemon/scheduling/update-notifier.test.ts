import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CONFIG } from '../../config/index.ts';
import { missingEmbedder } from './update-notifier.ts';

const NO_EMBEDDER = {
  embedder: null,
  why: 'embed.model is not set',
  next: 'tidemark config set embed.model <model>',
};

test('by default nothing is missing', () => {
  assert.equal(missingEmbedder(DEFAULT_CONFIG, NO_EMBEDDER), undefined);
});

test('an embedder that was chosen and is missing or fails is reported', () => {
  const config = { ...DEFAULT_CONFIG, 'embed.driver': 'openai' as const };
  assert.match(
    missingEmbedder(config, NO_EMBEDDER) ?? '',
    /embed\.model is not set.*config set embed\.model/,
  );
  const fails = { embedder: 'openai:x', trouble: 'connection refused' };
  assert.match(missingEmbedder(config, fails) ?? '', /connection refused/);
  assert.equal(missingEmbedder(config, { embedder: 'openai:x' }), undefined);
});
