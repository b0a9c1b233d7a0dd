/** Formats times for the page, in the user's time zone. Pure: the current time is an argument. */

const DAY_MS = 24 * 60 * 60_000;

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** `2026-11-13`: the user's calendar day, for grouping. Without a formatter, which is ten times slower in long lists. */
export function dayOf(at: string): string {
  const date = new Date(at);
  const padded = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}

export function dayTitle(at: string, now: Date): string {
  const date = new Date(at);
  return (date.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(date);
}

export function clock(at: string): string {
  return CLOCK.format(new Date(at));
}

export function dateAndTime(at: string): string {
  const date = new Date(at);
  return `${DAY_AND_YEAR.format(date)}, ${CLOCK.format(date)}`;
}

/** `today`, `yesterday`, `5 days ago`, `3 months ago` */
export function ago(at: string, now: Date): string {
  const days = Math.round((Date.parse(dayOf(now.toISOString())) - Date.parse(dayOf(at))) / DAY_MS);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  if (days < 14) return `${days} days ago`;
  if (days < 60) return `${Math.round(days / 7)} weeks ago`;
  if (days < 730) return `${Math.round(days / 30.44)} months ago`;
  return `${Math.round(days / 365.25)} years ago`;
}

/** The time of day today, else `yesterday`, `5 days ago`: for lists that are not grouped by day. */
export function when(at: string, now: Date): string {
  return dayOf(at) === dayOf(now.toISOString()) ? clock(at) : ago(at, now);
}

/** Groups neighbours with the same day, in their order. */
export function byDay<T>(
  items: readonly T[],
  timeOf: (item: T) => string,
): readonly { at: string; items: T[] }[] {
  const days: { at: string; items: T[] }[] = [];
  for (const item of items) {
    const last = days.at(-1);
    if (last && dayOf(last.at) === dayOf(timeOf(item))) last.items.push(item);
    else days.push({ at: timeOf(item), items: [item] });
  }
  return days;
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const PLAIN_DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' });

/** `Thu, 12 November 2026` for `2026-11-12`, in every time zone. */
export function plainDay(date: string): string {
  return PLAIN_DAY.format(new Date(date));
}

export function shortDay(date: string): string {
  return SHORT_DAY.format(new Date(date));
}

export function weekday(date: string): string {
  return WEEKDAY.format(new Date(date));
}

export function monthOf(date: string): string {
  return MONTH.format(new Date(date));
}

export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the time until then, in the same form as `since`. */
export function timeLeft(until: string, now: Date): string {
  return since(now.toISOString(), new Date(until));
}

/** Returns the time since then: `40 s`, `5 min`, `3 h`, `2 days`. */
export function since(at: string, now: Date): string {
  const minutes = Math.max(0, now.getTime() - Date.parse(at)) / 60_000;
  if (minutes < 1) return `${Math.round(minutes * 60)} s`;
  if (minutes < 60) return `${Math.round(minutes)} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 60 / 24)} days`;
}
