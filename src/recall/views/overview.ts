/** Counts of memories by day and kind. Only reads. */
import type { MemoryIndex } from '../../database/index.ts';
import { addDays, type ZoneDays } from '../zone-days.ts';
import { activity } from './activity.ts';

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

/** Jumps from one memory to the first one of a later day: one query per day, not per memory. */
function countActiveDays(index: MemoryIndex, days: ZoneDays): number {
  let found = 0;
  for (let at = index.nextMemoryAt(''); at !== undefined; found++) {
    at = index.nextMemoryAt(days.startOf(addDays(days.dayOf(at), 1)));
  }
  return found;
}
