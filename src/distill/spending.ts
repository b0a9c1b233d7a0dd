/** Checks the ceilings before a request to a model, and records its cost and its reply in the ledger. */
import type { Config } from '../config/index.ts';
import type { Stores } from '../memory/index.ts';
import { redact } from '../privacy/index.ts';
import type { Spent } from '../database/index.ts';
import { estimate, estimateTokens, overCeiling, type Spending } from './budget.ts';
import type { ModelCall } from './by-model.ts';
import type { Driver, DriverRequest, Usage } from './drivers/driver.ts';
import { readPrices, usdOf } from './drivers/prices.ts';
import { noteSummary } from './summary-reply.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The purpose of a request: a turn, or without one the session's summary. */
export interface RequestPurpose {
  readonly session: string;
  readonly turn?: string;
}

export interface MeteredOptions {
  readonly driver: Driver;
  readonly config: Config;
  readonly request: DriverRequest;
  readonly about: RequestPurpose;
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** The turns in the request: if one is forgotten meanwhile, the reply is not stored. */
  readonly turns: readonly string[];
}

export async function meteredCall(options: MeteredOptions): Promise<ModelCall> {
  const { driver, config, request, about, use, now, signal, turns } = options;
  const prices = readPrices(config['distill.prices']);
  const next = estimate(request, driver.model, prices);
  const ceilings = {
    dailyTokens: config['distill.dailyTokens'],
    dailyUsd: config['distill.dailyUsd'],
    sessionTokens: config['distill.sessionTokens'],
  };
  let spending = await use((stores) => spendingOf(stores, about.session, now()));
  return {
    driver,
    signal,
    overCeiling: () => overCeiling(spending, next, ceilings),
    spent: async (reported) => {
      const usage = completed(reported, request, driver.model);
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
}

/** Fills in with an estimate what a response did not report: an unknown number of tokens is not zero. */
function completed(usage: Usage | undefined, request: DriverRequest, model: string): Usage {
  const { inputTokens, outputTokens } = estimateTokens(request);
  if (!usage) return { model, inputTokens, outputTokens, requests: 1 };
  return {
    ...usage,
    inputTokens: usage.inputTokens || inputTokens,
    outputTokens: usage.outputTokens || outputTokens,
  };
}

/** The day in UTC. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/**
 * Counts the next day too, so that a clock that was set back does not reset the ceiling; a date further ahead is a wrong
 * clock and must not block every day until then.
 */
export function spentToday(index: Pick<Stores['index'], 'spent'>, now: Date): Spent {
  return index.spent({ since: dayOf(now), before: dayOf(new Date(now.getTime() + 2 * DAY_MS)) });
}

function spendingOf({ index }: Stores, session: string, now: Date): Spending {
  const day = spentToday(index, now);
  const own = index.spent({ session });
  return {
    dayTokens: day.inputTokens + day.outputTokens,
    dayUsd: day.usd,
    sessionTokens: own.inputTokens + own.outputTokens,
  };
}
