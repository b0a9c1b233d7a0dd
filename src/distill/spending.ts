/** One request to a model as the ledger sees it: ceilings before it, cost and reply after it, durable before anything else. */
import type { Config } from '../config/index.ts';
import type { Stores } from '../memory/index.ts';
import { redact } from '../privacy/index.ts';
import { estimate, overCeiling, type Ceiling, type Spending } from './budget.ts';
import type { Asking } from './by-model.ts';
import type { Driver, DriverRequest } from './drivers/driver.ts';
import { readPrices, usdOf } from './drivers/prices.ts';
import { noteSummary } from './summary-reply.ts';

/** What it is for: a turn, or without one the session's summary. */
export interface About {
  readonly session: string;
  readonly turn?: string;
}

export interface SpendingOptions {
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** The turns the request tells of: should one be forgotten meanwhile, the reply is not kept. */
  readonly turns: readonly string[];
}

export interface Watched {
  readonly asking: Asking;
  /** The ceiling that stopped it, if one did. */
  readonly ceiling: () => Ceiling | undefined;
}

export async function watchSpending(
  driver: Driver,
  config: Config,
  request: DriverRequest,
  about: About,
  { use, now, signal, turns }: SpendingOptions,
): Promise<Watched> {
  const prices = readPrices(config['distill.prices']);
  const next = estimate(request, driver.model, prices);
  const ceilings = {
    dailyTokens: config['distill.dailyTokens'],
    dailyUsd: config['distill.dailyUsd'],
    sessionTokens: config['distill.sessionTokens'],
  };
  let spending = await use((stores) => spendingOf(stores, about.session, now()));
  let reached: Ceiling | undefined;
  const asking: Asking = {
    driver,
    signal,
    mayAsk: () => (reached = overCeiling(spending, next, ceilings)) === undefined,
    spent: async (usage) => {
      const { requests: _, usd: __, ...tokens } = usage;
      const usd = usdOf(usage, prices, driver.model);
      const record = {
        kind: 'cost',
        at: now().toISOString(),
        driver: driver.name,
        ...about,
        ...tokens,
        usd,
      } as const;
      spending = await use(async (stores) => {
        await stores.ledger.append(record);
        stores.index.recordCost(record);
        return spendingOf(stores, about.session, now());
      });
    },
    replied: (text) =>
      use(async (stores) => {
        if (turns.some((turn) => stores.index.isForgottenTurn(turn))) return;
        const of = about.turn === undefined ? { session: about.session } : { turn: about.turn };
        const record = {
          kind: 'reply',
          at: now().toISOString(),
          driver: driver.name,
          text: redact(text).text,
          ...of,
        } as const;
        await stores.ledger.append(record);
        noteSummary(stores.index, record);
      }),
  };
  return { asking, ceiling: () => reached };
}

/** Days are those of UTC, like every time here. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function spendingOf({ index }: Stores, session: string, now: Date): Spending {
  const day = index.spent({ since: dayOf(now) });
  const own = index.spent({ session });
  return {
    dayTokens: day.inputTokens + day.outputTokens,
    dayUsd: day.usd,
    sessionTokens: own.inputTokens + own.outputTokens,
  };
}
