import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { placesIn } from '../../core/index.ts';
import type { DistillHealth } from '../../distill/index.ts';

// The program's folder, which a bundle has and a module does not.
Object.assign(globalThis, { __dirname: import.meta.dirname });
after(() => Reflect.deleteProperty(globalThis, '__dirname'));
const { ceiling } = await import('./models.ts');

test('a reached limit names the setting that raises it', () => {
  const at = (today: object): string => {
    const health = { today, ceiling: true, consent: true } as DistillHealth;
    const env = { TIDEMARK_DISTILL_DAILY_TOKENS: '100000', TIDEMARK_DISTILL_DAILY_USD: '2' };
    return ceiling(health, { places: placesIn('/nowhere'), env }).next ?? '';
  };
  assert.match(at({ inputTokens: 99_000, outputTokens: 900, usd: 0.1 }), /distill\.dailyTokens/);
  assert.match(at({ inputTokens: 9000, outputTokens: 900, usd: 1.99 }), /distill\.dailyUsd/);
});
