/** Formats times for people: ages and short dates. Pure. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const MONTH = 30.44 * DAY;
const YEAR = 365.25 * DAY;

/** `just now`, `12m ago`, `2h ago`, `3 days ago`, `2 weeks ago`, `5 months ago`, `1 year ago` */
export function age(at: string, now: Date): string {
  const past = now.getTime() - Date.parse(at);
  if (Number.isNaN(past)) return 'at an unknown time';
  if (past < MINUTE) return 'just now';
  const { count, unit } = largest(past);
  if (unit === 'min' || unit === 'h') return `${count}${unit.charAt(0)} ago`;
  return `${count} ${LONG[unit]}${count === 1 ? '' : 's'} ago`;
}

/** The same in few tokens: `now`, `12 min`, `2 h`, `3 d`, `2 wk`, `5 mo`, `1 y` */
export function shortAge(at: string, now: Date): string {
  const past = now.getTime() - Date.parse(at);
  if (Number.isNaN(past)) return 'no date';
  if (past < MINUTE) return 'now';
  const { count, unit } = largest(past);
  return `${count} ${unit}`;
}

const LONG = { d: 'day', wk: 'week', mo: 'month', y: 'year' } as const;

function largest(past: number): { readonly count: number; readonly unit: 'min' | 'h' | keyof typeof LONG } {
  const rounded = (length: number): number => Math.max(1, Math.round(past / length));
  if (past < HOUR) return { count: Math.floor(past / MINUTE), unit: 'min' };
  if (past < DAY) return { count: Math.floor(past / HOUR), unit: 'h' };
  if (past < WEEK) return { count: rounded(DAY), unit: 'd' };
  if (past < MONTH) return { count: rounded(WEEK), unit: 'wk' };
  if (past < YEAR) return { count: rounded(MONTH), unit: 'mo' };
  return { count: rounded(YEAR), unit: 'y' };
}

/** Age in days, never negative. */
export function ageInDays(at: string, now: Date): number {
  return Math.max(0, (now.getTime() - Date.parse(at)) / DAY);
}

/** `13 Nov`, with the year if it is not the current one. */
export function shortDate(at: string, now: Date): string {
  const date = new Date(at);
  const month = date.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  const year = date.getUTCFullYear() === now.getUTCFullYear() ? '' : ` ${date.getUTCFullYear()}`;
  return `${date.getUTCDate()} ${month}${year}`;
}
