import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CONFIG } from '../config/index.ts';
import type { Cost, CostFilter } from '../database/index.ts';
import type { Stores } from '../memory/index.ts';
import { estimate } from './budget.ts';
import { apiDriver } from './drivers/api.ts';
import { meteredCall } from './spending.ts';

const REQUEST = { session: 's', system: 'rules', prompt: 'x'.repeat(4000), schema: {}, asText: '' };
const NOW = '2026-11-16T12:00:00.000Z';

test('a response without usage counts as estimated, part by part', async () => {
  const { call, costs } = await metered();
  const expected = estimate(REQUEST, 'claude-haiku-4-5');
  await call.spent(undefined);
  await call.spent({ model: 'claude-haiku-4-5', inputTokens: 0, outputTokens: 0, requests: 1 });
  for (const cost of costs) {
    assert.equal(cost.inputTokens + cost.outputTokens, expected.tokens);
    assert.equal(cost.usd, expected.usd);
  }
  assert.equal(costs.length, 2);
  await call.spent({ model: 'm', inputTokens: 7, outputTokens: 0, requests: 1 });
  assert.equal(costs[2]?.inputTokens, 7);
  assert.ok((costs[2]?.outputTokens ?? 0) > 0);
});

test('what was spent counts at once against the ceiling, retries included', async () => {
  const { call } = await metered({ 'distill.dailyUsd': 0.02 });
  assert.equal(call.overCeiling(), undefined);
  await call.spent(undefined);
  await call.spent(undefined);
  assert.equal(call.overCeiling(), 'day');
});

test('a clock set back by a day does not reset the ceiling; a date of years ahead does not block it', async () => {
  const at = (when: string): Cost => ({
    at: when,
    session: 'other',
    driver: 'api',
    model: 'm',
    inputTokens: 1,
    outputTokens: 1,
    usd: 5,
  });
  const back = await metered({}, [at('2026-11-17T09:00:00.000Z')]);
  assert.equal(back.call.overCeiling(), 'day');
  const ahead = await metered({}, [at('2031-01-01T00:00:00.000Z')]);
  assert.equal(ahead.call.overCeiling(), undefined);
  const yesterday = await metered({}, [at('2026-11-15T23:59:59.999Z')]);
  assert.equal(yesterday.call.overCeiling(), undefined);
});

async function metered(settings: object = {}, costs: Cost[] = []) {
  const index = {
    recordCost: (cost: Cost) => void costs.push(cost),
    spent: ({ since = '', before = '9', session }: CostFilter = {}) =>
      costs
        .filter(({ at }) => at >= since && at < before)
        .filter((cost) => session === undefined || cost.session === session)
        .reduce(
          (sum, cost) => ({
            requests: sum.requests + 1,
            inputTokens: sum.inputTokens + cost.inputTokens,
            outputTokens: sum.outputTokens + cost.outputTokens,
            usd: sum.usd + cost.usd,
          }),
          { requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 },
        ),
  };
  const stores = { index, ledger: { append: () => Promise.resolve() } } as unknown as Stores;
  const call = await meteredCall({
    driver: apiDriver({ url: 'https://models.example', model: 'claude-haiku-4-5', key: 'k' }),
    config: { ...DEFAULT_CONFIG, ...settings },
    request: REQUEST,
    about: { session: 's', turn: 't' },
    use: async (work) => work(stores),
    now: () => new Date(NOW),
    signal: AbortSignal.timeout(10_000),
    turns: ['t'],
  });
  return { call, costs };
}
