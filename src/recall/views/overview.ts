/** Counts of memories by day and kind, and the cost of distilling. Only reads. */
import type { Config } from '../../config/index.ts';
import { given } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { dayOf as utcDayOf, refusedModel } from '../../distill/index.ts';
import { addDays, type ZoneDays } from '../zone-days.ts';
import { activity } from './activity.ts';

const SPENT_DAYS = 30;

export function overview(index: MemoryIndex, days: ZoneDays, now: Date) {
  const memories = index.memoryCount();
  const activeDays = countActiveDays(index, days);
  const projects = index.projects().length;
  return {
    memories,
    turns: index.turnsSince(''),
    sessions: index.sessionCounts().reduce((sum, { count }) => sum + count, 0),
    projects,
    activeDays,
    averagePerDay: memories / Math.max(1, activeDays),
    averagePerProject: memories / Math.max(1, projects),
    ...activity(days, now, (from, until, kind) =>
      index.memoryCount({
        ...(from === undefined ? {} : { since: days.startOf(from) }),
        until: days.startOf(until),
        ...(kind ? { kind } : {}),
      }),
    ),
  };
}

export function spendingIn(index: MemoryIndex, config: Config, now: Date) {
  const today = utcDayOf(now);
  return {
    today: index.spent({ since: today }),
    month: index.spent({ since: today.slice(0, 'YYYY-MM'.length) }),
    total: index.spent(),
    ceilings: {
      dailyTokens: config['distill.dailyTokens'],
      dailyUsd: config['distill.dailyUsd'],
      sessionTokens: config['distill.sessionTokens'],
    },
    days: index.spentBy('day', {}, SPENT_DAYS).map(({ key, ...spent }) => ({ date: key, ...spent })),
    consent: config['distill.consent'],
    ...given({ refused: refusedModel(config) }),
  };
}

/** Jumps from one memory to the first one of a later day: one query per day, not per memory. */
function countActiveDays(index: MemoryIndex, days: ZoneDays): number {
  let found = 0;
  for (let at = index.nextMemoryAt(''); at !== undefined; found++) {
    at = index.nextMemoryAt(days.startOf(addDays(days.dayOf(at), 1)));
  }
  return found;
}
