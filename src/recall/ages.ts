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
  if (past < HOUR) return `${Math.floor(past / MINUTE)}m ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)}h ago`;
  if (past < WEEK) return counted(past / DAY, 'day');
  if (past < MONTH) return counted(past / WEEK, 'week');
  if (past < YEAR) return counted(past / MONTH, 'month');
  return counted(past / YEAR, 'year');
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

function counted(amount: number, unit: string): string {
  const count = Math.max(1, Math.round(amount));
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}
