/**
 * Planted secrets of every class go through transcripts, hooks, socket, CLI, MCP, import and hub into one data folder. The
 * long run plants all of them, the short run a sample.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planted, plantLive, ratesOf, type Planted } from '../../bench/planted-secrets.ts';
import { IS_LONG_RUN } from '../support/parts.ts';

/** Shares that must be kept from disk, model and context. The aims are 0.98 overall and 0.99 of issuer formats. */
const FLOORS = IS_LONG_RUN ? { overall: 0.6, issuers: 0.75 } : { overall: 0.5, issuers: 0.6 };
/** Every so many secrets one more joins the sample, beside the first of each class. */
const SAMPLE_STEP = 250;

test('planted secrets stay out of the data folder, the model requests and the contexts', async (t) => {
  const all = IS_LONG_RUN ? planted() : sampleOf(planted());
  const { onDisk, inRequests, injected, requests, turns } = await plantLive(all, () => {});
  assert.ok(turns >= all.length, `${turns} turns of ${all.length} texts`);
  assert.ok(requests >= turns, `${requests} requests of ${turns} turns`);
  const { overall, issuers, groups } = ratesOf(
    all,
    (one) => onDisk.has(one) || inRequests.has(one) || injected.has(one),
  );
  t.diagnostic(
    `${all.length} planted: ${onDisk.size} on disk, ${inRequests.size} in requests, ${injected.size} injected`,
  );
  for (const [name, { caught, planted: of }] of groups) t.diagnostic(`${name}: ${caught} of ${of}`);
  assert.ok(
    overall.caught / overall.planted >= FLOORS.overall,
    `overall: ${overall.caught} of ${overall.planted}`,
  );
  assert.ok(
    issuers.caught / issuers.planted >= FLOORS.issuers,
    `issuers: ${issuers.caught} of ${issuers.planted}`,
  );
});

function sampleOf(all: readonly Planted[]): readonly Planted[] {
  const seen = new Set<string>();
  return all.filter((one, i) => {
    const isFirst = !seen.has(one.class);
    seen.add(one.class);
    return isFirst || i % SAMPLE_STEP === 0;
  });
}
