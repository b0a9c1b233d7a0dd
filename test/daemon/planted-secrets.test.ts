/**
 * Planted secrets of every class go through transcripts, hooks, socket, CLI, MCP, import and hub into one data folder. The
 * long run plants all of them, the short run a sample.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planted, plantLive, ratesOf, type Planted, type Rate } from '../../bench/planted-secrets.ts';
import { reportLong } from '../support/long-report.ts';
import { IS_LONG_RUN } from '../support/parts.ts';

/** Shares that must be kept from disk and context. A group of the sample is too small for a rate of its own. */
const FLOORS = { overall: 0.98, issuers: 0.99, group: IS_LONG_RUN ? 0.95 : 0.8 };
/** Every so many secrets one more joins the sample, beside the first of each class. */
const SAMPLE_STEP = 250;

test('planted secrets stay out of the data folder and the contexts', async (t) => {
  const all = IS_LONG_RUN ? planted() : sampleOf(planted());
  const { onDisk, injected, turns } = await plantLive(all, () => {});
  assert.ok(turns >= all.length, `${turns} turns of ${all.length} texts`);
  const { overall, issuers, groups } = ratesOf(all, (one) => onDisk.has(one) || injected.has(one));
  t.diagnostic(`${all.length} planted: ${onDisk.size} on disk, ${injected.size} injected`);
  for (const [part, { caught, planted: of }] of groups) {
    t.diagnostic(`${part}: ${caught} of ${of}`);
    reportLong({ subject: 'planted secrets', part, count: of, good: caught });
  }
  const isAtLeast = (name: string, { caught, planted: of }: Rate, floor: number): void =>
    assert.ok(caught / of >= floor, `${name}: ${caught} of ${of}`);
  isAtLeast('overall', overall, FLOORS.overall);
  isAtLeast('issuer formats', issuers, FLOORS.issuers);
  for (const [name, rate] of groups) isAtLeast(name, rate, FLOORS.group);
});

function sampleOf(all: readonly Planted[]): readonly Planted[] {
  const seen = new Set<string>();
  return all.filter((one, i) => {
    const isFirst = !seen.has(one.class);
    seen.add(one.class);
    return isFirst || i % SAMPLE_STEP === 0;
  });
}
