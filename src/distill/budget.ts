/** Decides before a request, from an estimate, whether it would exceed a ceiling. Pure. */
import type { DriverRequest } from './drivers/driver.ts';
import { priceOf, type PriceList } from './drivers/prices.ts';

export interface Ceilings {
  readonly dailyTokens: number;
  readonly dailyUsd: number;
  readonly sessionTokens: number;
}

export interface Spending {
  readonly dayTokens: number;
  readonly dayUsd: number;
  readonly sessionTokens: number;
}

export interface Estimate {
  readonly tokens: number;
  readonly usd: number;
}

/** The tokens of one request, before it is sent. */
export interface TokenEstimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type Ceiling = 'day' | 'session';

/** Tokens that the client, the schema and the protocol add to our text. */
const OVERHEAD_TOKENS = 900;
/** A reply of six long memories; most are far shorter. */
const REPLY_TOKENS = 1200;
/** English and code; a CJK character is about one token. */
const CHARS_PER_TOKEN = 4;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

export function estimate(
  request: Pick<DriverRequest, 'system' | 'prompt'>,
  model: string,
  prices: PriceList = {},
): Estimate {
  const { inputTokens, outputTokens } = estimateTokens(request);
  const price = priceOf(model, prices);
  const usd = price ? (inputTokens * price.input + outputTokens * price.output) / 1_000_000 : 0;
  return { tokens: inputTokens + outputTokens, usd };
}

export function estimateTokens({ system, prompt }: Pick<DriverRequest, 'system' | 'prompt'>): TokenEstimate {
  return { inputTokens: tokensIn(system) + tokensIn(prompt) + OVERHEAD_TOKENS, outputTokens: REPLY_TOKENS };
}

/** The ceiling that the next request would exceed, if any. */
export function overCeiling(spending: Spending, next: Estimate, ceilings: Ceilings): Ceiling | undefined {
  if (spending.dayTokens + next.tokens > ceilings.dailyTokens) return 'day';
  if (next.usd > 0 && spending.dayUsd + next.usd > ceilings.dailyUsd) return 'day';
  return spending.sessionTokens + next.tokens > ceilings.sessionTokens ? 'session' : undefined;
}

function tokensIn(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / CHARS_PER_TOKEN);
}
