/** Reads a time: `3d`, `2w`, `1m`, `2026-11-01`, `2026-11` or an exact time. No words, in any language. Pure. */
import { addDays, type ZoneDays } from './zone-days.ts';

/** From `since` on, before `until`; ISO 8601 UTC. `3d` has no end. */
interface Span {
  readonly since: string;
  readonly until?: string;
}

/** The hint for a time that was not understood. */
export const TIME_HINT = 'Try 3d or 2026-11-01.';

const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30 };
/** Enough to reach the next month from its first day. */
const LONGEST_MONTH = 31;

/** Returns undefined if the text is not a time. Days begin at midnight in the given zone. */
export function spanOf(text: string, now: Date, days: ZoneDays): Span | undefined {
  const said = text.trim();
  const [, count, unit = ''] = /^(\d{1,3})([dwm])$/.exec(said) ?? [];
  if (count !== undefined) {
    const back = Number(count) * (UNIT_DAYS[unit] ?? 1);
    return { since: days.startOf(addDays(days.dayOf(now.getTime()), -back)) };
  }
  if (!/^\d{4}-\d\d(?:-\d\d(?:T.+)?)?$/.test(said)) return undefined;
  const time = Date.parse(said);
  if (Number.isNaN(time)) return undefined;
  if (said.includes('T')) {
    const at = new Date(time).toISOString();
    return { since: at, until: at };
  }
  if (said.length > 'YYYY-MM'.length)
    return { since: days.startOf(addDays(said, 0)), until: days.startOf(addDays(said, 1)) };
  const first = `${said}-01`;
  const next = `${addDays(first, LONGEST_MONTH).slice(0, 'YYYY-MM'.length)}-01`;
  return { since: days.startOf(first), until: days.startOf(next) };
}
