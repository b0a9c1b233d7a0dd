/**
 * Prices per million tokens in US dollars, for requests whose cost the other side does not report.
 * As of 2026-11: list prices built into Claude Code 2.1.325. Others by the setting `distill.prices`.
 */
import type { Usage } from './driver.ts';

export interface Price {
  readonly input: number;
  readonly output: number;
}

/** By the longest matching prefix of the model's name. */
const PRICES: Readonly<Record<string, Price>> = {
  'claude-haiku-5': { input: 0.1, output: 0.5 },
  'claude-haiku-4-5': { input: 1, output: 5 },
  'claude-sonnet-5': { input: 2, output: 10 },
  'claude-sonnet-4': { input: 3, output: 15 },
  'claude-opus-5': { input: 4, output: 20 },
  'claude-opus-4': { input: 5, output: 25 },
  'claude-fable-5': { input: 8, output: 40 },
  // The client's short names: the higher price of the models they may mean.
  haiku: { input: 1, output: 5 },
  sonnet: { input: 3, output: 15 },
  opus: { input: 5, output: 25 },
  fable: { input: 8, output: 40 },
};

export type PriceList = Readonly<Record<string, Price>>;

/** `['my-model=0.25/1.25']` → prices; invalid entries are left out. */
export function readPrices(settings: readonly string[]): PriceList {
  const entries = settings.flatMap((line) => {
    const [, model, input, output] = /^(.+)=([\d.]+)\/([\d.]+)$/.exec(line.trim()) ?? [];
    const price = { input: Number(input), output: Number(output) };
    return model && price.input >= 0 && price.output >= 0 ? [[model.trim(), price] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Undefined for an unknown price and for a local model. */
export function priceOf(model: string, own: PriceList = {}): Price | undefined {
  const name = model.replace(/^.*\//, '');
  const known = { ...PRICES, ...own };
  const key = Object.keys(known)
    .filter((prefix) => name.startsWith(prefix) || model.startsWith(prefix))
    .toSorted((a, b) => b.length - a.length)[0];
  return key === undefined ? undefined : known[key];
}

/** `asked`: the requested model, in case the other side reports another name. */
export function usdOf(usage: Usage, own: PriceList = {}, asked = usage.model): number {
  if (usage.usd !== undefined) return usage.usd;
  const price = priceOf(usage.model, own) ?? priceOf(asked, own);
  return price ? (usage.inputTokens * price.input + usage.outputTokens * price.output) / 1_000_000 : 0;
}
