/** Times as the page says them, in the reader's own time zone. Pure: now is an argument. */

const DAY_MS = 24 * 60 * 60_000;

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const ZONELESS = new Intl.DateTimeFormat('sv-SE', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** `2026-11-13`: the reader's calendar day, for grouping. */
export function dayOf(at: string): string {
  return ZONELESS.format(new Date(at));
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

/** Neighbours with the same day, in the order they came. */
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
