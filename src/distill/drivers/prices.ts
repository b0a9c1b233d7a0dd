/**
 * Prices per million tokens in US dollars, for requests whose cost the other side does not report.
 * As of 2026-11: list prices built into Claude Code 2.1.325. Others by the setting `distill.prices`.
 */
import type { Usage } from './driver.ts';

export interface Price {
  readonly input: number;
  readonly output: number;
}

/** By family: each covers its minor versions, such as `claude-opus-4-5`. */
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

/** One entry of `distill.prices`. */
const PRICE_ENTRY = /^(.+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/;
/** The same model under its release: `-20251001`, `-2026-01-05`, `@20251001`, `-latest`. */
const RELEASE = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;
/** Names of the same model at OpenRouter and Bedrock, and with a longer context. */
const VENDOR = /^(?:anthropic\/|(?:[a-z]+\.)?anthropic\.)/;
const VARIANT = /(?:\[1m\]|-v\d+(?::\d+)?)$/;
const MINOR_VERSION = /-\d{1,2}$/;

/** `['my-model=0.25/1.25']` → prices; invalid entries are left out. */
export function readPrices(settings: readonly string[]): PriceList {
  const entries = settings.flatMap((line) => {
    const [, model = '', input, output] = PRICE_ENTRY.exec(line.trim()) ?? [];
    return model === '' ? [] : [[model.trim(), { input: Number(input), output: Number(output) }] as const];
  });
  return Object.fromEntries(entries);
}

/** Undefined for an unknown price. A model never gets the price of another one whose name is similar. */
export function priceOf(model: string, own: PriceList = {}): Price | undefined {
  const named = priceIn(own, model) ?? priceIn(own, model.replace(RELEASE, ''));
  if (named) return named;
  const family = model.replace(VENDOR, '').replace(VARIANT, '').replace(RELEASE, '');
  return priceIn(PRICES, family) ?? priceIn(PRICES, family.replace(MINOR_VERSION, ''));
}

function priceIn(list: PriceList, name: string): Price | undefined {
  return Object.hasOwn(list, name) ? list[name] : undefined;
}

/**
 * `asked`: the requested model. The other side may report another name, so the higher price of the two counts, and a cost
 * that it reports counts unless it is negative.
 */
export function usdOf(usage: Usage, own: PriceList = {}, asked = usage.model): number {
  if (usage.usd !== undefined && usage.usd >= 0) return usage.usd;
  const costs = [usage.model, asked].map((model) => {
    const price = priceOf(model, own);
    return price ? (usage.inputTokens * price.input + usage.outputTokens * price.output) / 1_000_000 : 0;
  });
  return Math.max(...costs);
}
