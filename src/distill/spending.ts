/** Checks the ceilings before a request to a model, and records its cost and its reply in the ledger. */
import type { Config } from '../config/index.ts';
import type { Stores } from '../memory/index.ts';
import { redact } from '../privacy/index.ts';
import { estimate, overCeiling, type Spending } from './budget.ts';
import type { ModelCall } from './by-model.ts';
import type { Driver, DriverRequest } from './drivers/driver.ts';
import { readPrices, usdOf } from './drivers/prices.ts';
import { noteSummary } from './summary-reply.ts';

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
}

/** The day in UTC. */
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
