/** How much is remembered, day by day and kind by kind, and what distilling took. Reads the index, writes nothing. */
import type { Config } from '../config/index.ts';
import type { MemoryIndex } from '../index/index.ts';
import { MEMORY_KINDS, type MemoryKind } from '../model/index.ts';
import { dayOf as utcDayOf } from './spending.ts';
import { addDays, mondayOf, type ZoneDays } from './zone-days.ts';

const WEEKS = 26;
const WEEK_DAYS = 7;
const SPENT_DAYS = 30;

export function overview(index: MemoryIndex, days: ZoneDays, now: Date) {
  const today = days.dayOf(now.getTime());
  const firstWeek = addDays(mondayOf(today), -(WEEKS - 1) * WEEK_DAYS);
  const count = (from: string, until: string, kind?: MemoryKind): number =>
    index.memoryCount({
      since: days.startOf(from),
      until: days.startOf(until),
      ...(kind ? { kind } : {}),
    });
  const heatmap = daysBetween(firstWeek, today).map((date) => ({
    date,
    count: count(date, addDays(date, 1)),
  }));
  const week = heatmap.slice(-WEEK_DAYS);
  const memories = index.memoryCount();
  const activeDays = countActiveDays(index, days);
  const withMemories = new Set(index.facets().map(({ project }) => project)).size;
  return {
    memories,
    turns: index.turnsSince(''),
    sessions: [...index.sessionCounts().values()].reduce((sum, n) => sum + n, 0),
    projects: index.projects().length,
    activeDays,
    averagePerDay: memories / Math.max(1, activeDays),
    averagePerProject: memories / Math.max(1, withMemories),
    zone: days.zone,
    today,
    heatmap,
    week,
    beforeWeek: index.memoryCount({ until: days.startOf(week[0]?.date ?? today) }),
    kindsOverTime: Array.from({ length: WEEKS }, (_, i) => {
      const monday = addDays(firstWeek, i * WEEK_DAYS);
      const counts = MEMORY_KINDS.map(
        (kind) => [kind, count(monday, addDays(monday, WEEK_DAYS), kind)] as const,
      );
      return { week: monday, counts: Object.fromEntries(counts.filter(([, n]) => n > 0)) };
    }),
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
  };
}

/** From one memory to the first one of a later day: as many steps as there are days, however many memories. */
function countActiveDays(index: MemoryIndex, days: ZoneDays): number {
  let found = 0;
  for (let at = index.nextMemoryAt(''); at !== undefined; found++) {
    at = index.nextMemoryAt(days.startOf(addDays(days.dayOf(at), 1)));
  }
  return found;
}

function daysBetween(first: string, last: string): readonly string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}
