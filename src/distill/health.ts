/** Reports the state of distilling for `doctor` and the setup: driver, queue, failures, cost. */
import type { Config } from '../config/index.ts';
import type { Spent } from '../database/index.ts';
import type { Stores } from '../memory/index.ts';
import { estimate, overCeiling, type Estimate } from './budget.ts';
import type { Choice } from './drivers/choose.ts';
import { readPrices } from './drivers/prices.ts';
import { prepareTurn } from './improve.ts';
import { dayOf } from './spending.ts';

export interface DistillHealth {
  readonly wanted: string;
  readonly consent: boolean;
  /** The driver in use. */
  readonly driver: string;
  readonly model: string;
  readonly evidence: string;
  readonly next?: string;
  readonly waiting: number;
  /** Turns of the last week that were left to `local`, by reason. */
  readonly passed: Readonly<Record<string, number>>;
  readonly today: Spent;
  readonly ceiling: boolean;
  /** Estimated cost of an average day of the last week. */
  readonly expected: {
    readonly turnsPerDay: number;
    readonly tokensPerDay: number;
    readonly usdPerDay: number;
  };
}

type Use = <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;

/** Turns and days that the estimate is based on. */
const SAMPLED_TURNS = 20;
const SAMPLED_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_COUNTED = 10_000;
/** The model of the estimate while no driver is usable. */
export const DEFAULT_MODEL = 'haiku';

export async function distillHealth(
  use: Use,
  config: Config,
  choice: Choice,
  windowMs: number,
): Promise<DistillHealth> {
  const now = Date.now();
  const weekAgo = new Date(now - SAMPLED_DAYS * DAY_MS).toISOString();
  const found = await use(({ index }) => ({
    waiting: index.improvable({ since: new Date(now - windowMs).toISOString(), limit: MAX_COUNTED }).length,
    passed: index.passedTurns(weekAgo).filter(({ reason }) => reason !== 'trivial' && reason !== 'gone'),
    today: index.spent({ since: dayOf(new Date(now)) }),
    sample: index.improvable({ since: weekAgo, again: true, limit: SAMPLED_TURNS }),
    turnsPerDay: index.turnsSince(weekAgo) / SAMPLED_DAYS,
  }));
  const model = choice.kind === 'model' ? choice.driver.model : DEFAULT_MODEL;
  const sampled = await expectedCost(use, found.sample, model, config);
  const days = found.turnsPerDay / Math.max(1, found.sample.length);
  const byReason = Map.groupBy(found.passed, ({ reason }) => reason);
  return {
    wanted: config['distill.driver'],
    consent: config['distill.consent'],
    ...driverFacts(choice),
    waiting: choice.kind === 'model' ? found.waiting : 0,
    passed: Object.fromEntries([...byReason].map(([reason, turns]) => [reason, turns.length])),
    today: found.today,
    ceiling: isAtCeiling(found.today, sampled, found.sample.length, config),
    expected: {
      turnsPerDay: found.turnsPerDay,
      tokensPerDay: sampled.tokens * days,
      usdPerDay: sampled.usd * days,
    },
  };
}

/** Whether an average request would exceed the day's ceiling. */
function isAtCeiling(today: Spent, sampled: Estimate, samples: number, config: Config): boolean {
  const each = Math.max(1, samples);
  const spending = { dayTokens: today.inputTokens + today.outputTokens, dayUsd: today.usd, sessionTokens: 0 };
  const ceilings = {
    dailyTokens: config['distill.dailyTokens'],
    dailyUsd: config['distill.dailyUsd'],
    sessionTokens: Number.MAX_SAFE_INTEGER,
  };
  return (
    overCeiling(spending, { tokens: sampled.tokens / each, usd: sampled.usd / each }, ceilings) !== undefined
  );
}

/** The highest cost of improving these turns; trivial ones cost nothing. */
export async function expectedCost(
  use: Use,
  turns: readonly string[],
  model: string,
  config: Config,
): Promise<Estimate> {
  const prices = readPrices(config['distill.prices']);
  let tokens = 0;
  let usd = 0;
  for (const id of turns) {
    const prepared = await use((stores) => prepareTurn(stores, id));
    if (prepared.kind === 'pass') continue;
    const one = estimate(prepared.request, model, prices);
    tokens += one.tokens;
    usd += one.usd;
  }
  return { tokens, usd };
}

function driverFacts(choice: Choice): Pick<DistillHealth, 'driver' | 'model' | 'evidence' | 'next'> {
  if (choice.kind === 'model')
    return { driver: choice.driver.name, model: choice.driver.model, evidence: choice.health.evidence };
  if (choice.why !== 'none-works') return { driver: 'local', model: '', evidence: choice.why };
  const next = choice.health.find((health) => health.next !== undefined)?.next;
  return {
    driver: 'local',
    model: '',
    evidence: choice.health.map(({ name, evidence }) => `${name}: ${evidence}`).join('; '),
    ...(next ? { next } : {}),
  };
}
