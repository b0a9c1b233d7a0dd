/** Half a year of activity: memories per day, the last week, kinds per week. Pure; the caller counts. */
import { MEMORY_KINDS, type MemoryKind } from '../../core/index.ts';
import { addDays, mondayOf, type ZoneDays } from '../zone-days.ts';

const WEEKS = 26;
const WEEK_DAYS = 7;

/** Counts memories from the first day (or the beginning) until before the second, of one kind or all. */
export type Count = (from: string | undefined, until: string, kind?: MemoryKind) => number;

export function activity(days: ZoneDays, now: Date, count: Count) {
  const today = days.dayOf(now.getTime());
  const firstWeek = firstDayOf(days, now);
  const heatmap = daysBetween(firstWeek, today).map((date) => ({
    date,
    count: count(date, addDays(date, 1)),
  }));
  const week = heatmap.slice(-WEEK_DAYS);
  return {
    zone: days.zone,
    today,
    heatmap,
    week,
    beforeWeek: count(undefined, week[0]?.date ?? today),
    kindsOverTime: Array.from({ length: WEEKS }, (_, i) => {
      const monday = addDays(firstWeek, i * WEEK_DAYS);
      const counts = MEMORY_KINDS.map(
        (kind) => [kind, count(monday, addDays(monday, WEEK_DAYS), kind)] as const,
      );
      return { week: monday, counts: Object.fromEntries(counts.filter(([, n]) => n > 0)) };
    }),
  };
}

/** The Monday on which the calendar begins. */
export function firstDayOf(days: ZoneDays, now: Date): string {
  return addDays(mondayOf(days.dayOf(now.getTime())), -(WEEKS - 1) * WEEK_DAYS);
}

function daysBetween(first: string, last: string): readonly string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}
