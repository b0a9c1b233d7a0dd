/** Reports the state of distilling for `doctor` and the setup: driver, queue, failures, cost. */
import type { Config } from '../config/index.ts';
import { given, SMALL_MAKER } from '../core/index.ts';
import type { Spent } from '../database/index.ts';
import { overCeiling, type Estimate } from './budget.ts';
import type { Choice } from './drivers/choose.ts';
import { expectedCost, storedPace, type Pace, type Use } from './pace.ts';
import { spentToday } from './spending.ts';

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
  /** An average day of the last weeks; undefined without stored turns. */
  readonly pace?: Pace;
}

/** Turns that the average request is estimated from, and days that failures are counted for. */
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
    passed: index
      .passedTurns(weekAgo)
      .filter(({ driver, reason }) => driver !== SMALL_MAKER && reason !== 'trivial' && reason !== 'gone'),
    today: spentToday(index, new Date(now)),
    sample: index.improvable({ since: weekAgo, again: true, limit: SAMPLED_TURNS }),
  }));
  const model = choice.kind === 'model' ? choice.driver.model : DEFAULT_MODEL;
  const sampled = await expectedCost(use, found.sample, model, config);
  const pace = await storedPace(use, { model, config, now: new Date(now) });
  const byReason = Map.groupBy(found.passed, ({ reason }) => reason);
  return {
    wanted: config['distill.driver'],
    consent: config['distill.consent'],
    ...driverFacts(choice),
    waiting: choice.kind === 'model' ? found.waiting : 0,
    passed: Object.fromEntries([...byReason].map(([reason, turns]) => [reason, turns.length])),
    today: found.today,
    ceiling: isAtCeiling(found.today, sampled, found.sample.length, config),
    ...given({ pace }),
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
