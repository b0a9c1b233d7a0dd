/** Reads the start of a time as people say it: `monday`, `yesterday`, `last week`, `3 days ago`, `2026-11-10`. Pure. */
import { findSpan } from './dates.ts';
import { addDays, type ZoneDays } from './zone-days.ts';

const HOUR_MS = 3_600_000;
const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30 };
const NUMBERS: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5 };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** `3 days ago`, `a week ago`, `2 hours ago`, `3d` */
const AGO =
  /^(?<n>\d{1,3}|an?|one|two|three|four|five) ?(?:(?<unit>hour|day|week|month)s? ago|(?<short>[dwm]))$/;

/** Returns the time as ISO 8601 UTC, or undefined if the text is no time. Days begin at midnight in the given zone. */
export function startOf(text: string, now: Date, days: ZoneDays): string | undefined {
  const said = text.trim().replace(/^since\s+/i, '');
  if (/^\d{4}-\d\d-\d\dT/.test(said)) return isoOf(said);
  // `last-week`, `last_week`; the hyphens of 2026-02-09 stay.
  const words = said
    .toLowerCase()
    .replace(/[_+]|(?<!\d)-|-(?!\d)/g, ' ')
    .replace(/\s+/g, ' ');
  const before = AGO.exec(words)?.groups;
  if (before) return ago(before, now, days);
  const weekday = WEEKDAYS.find((name) => words.length >= 3 && name.startsWith(words));
  const day = dayIn(weekday ?? words, now, days);
  return day === undefined ? undefined : days.startOf(day);
}

/** The last day from Monday to Friday before today. */
export function lastWorkday(now: Date, days: ZoneDays): string {
  const today = days.dayOf(now.getTime());
  const back = { 0: 2, 1: 3 }[weekdayOf(today)] ?? 1;
  return addDays(today, -back);
}

/** `today`, `today, 08:00`, `yesterday, Monday 16 November`, `Friday 13 November`, `Friday 13 November 2025` */
export function dayWords(at: string, now: Date, days: ZoneDays): string {
  const day = days.dayOf(at);
  const time = at === days.startOf(day) ? '' : `, ${days.clockOf(at)}`;
  return `${dayName(day, days.dayOf(now.getTime()))}${time}`;
}

function dayName(day: string, today: string): string {
  if (day === today) return 'today';
  const year = day.slice(0, 4) === today.slice(0, 4) ? '' : ` ${day.slice(0, 4)}`;
  const date = new Date(`${day}T00:00:00Z`);
  const name = date.toLocaleString('en', { weekday: 'long', timeZone: 'UTC' });
  const month = date.toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  const before = day === addDays(today, -1) ? 'yesterday, ' : '';
  return `${before}${name} ${date.getUTCDate()} ${month}${year}`;
}

/** The day on which a time begins. The whole text must be that time. */
function dayIn(words: string, now: Date, days: ZoneDays): string | undefined {
  const offsetMinutes = days.offsetAt(now.getTime());
  for (const said of [words, `in ${words}`, `on ${words}`]) {
    const span = findSpan(said, { now, offsetMinutes });
    // `dates.ts` counts with the offset of today; a day in winter begins an hour off, seen from summer.
    if (span?.since !== undefined && span.words.trim() === said)
      return new Date(Date.parse(span.since) + offsetMinutes * 60_000).toISOString().slice(0, 10);
  }
  return undefined;
}

function ago(
  { n = '', unit, short }: Readonly<Record<string, string | undefined>>,
  now: Date,
  days: ZoneDays,
): string {
  const count = NUMBERS[n] ?? Number(n);
  if (unit === 'hour') return new Date(now.getTime() - count * HOUR_MS).toISOString();
  const size = UNIT_DAYS[short ?? unit?.charAt(0) ?? ''] ?? 1;
  return days.startOf(addDays(days.dayOf(now.getTime()), -count * size));
}

function isoOf(text: string): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}
