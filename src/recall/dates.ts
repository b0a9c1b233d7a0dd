/** Parses dates in a query: "yesterday", "last week", "in March", "2026-02-09". Pure; small on purpose. */

/** A span of time: from `since` on, before `until`; ISO 8601 UTC. */
export interface Span {
  readonly since?: string;
  readonly until?: string;
}

interface FoundSpan extends Span {
  /** The words of the text that name it. */
  readonly words: string;
}

/** The current time and the user's offset from UTC. */
export interface Calendar {
  readonly now: Date;
  readonly offsetMinutes: number;
}

const DAY = 86_400_000;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTH_NAME =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const WEEKDAY_NAME = '(?:sun|mon|tues|wednes|thurs|fri|satur)day';

interface Form {
  readonly pattern: RegExp;
  readonly span: (
    calendar: Calendar,
    groups: Readonly<Record<string, string | undefined>>,
  ) => Span | undefined;
}

const FORMS: readonly Form[] = [
  {
    pattern: /\b(?<from>since |from |after )?(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)\b/i,
    span: (c, { from, y, m, d }) => openEnded(from, dayOf(c, Number(y), Number(m) - 1, Number(d))),
  },
  {
    pattern: /\b(?:in |during )?(?<y>\d{4})-(?<m>\d\d)\b(?!-)/i,
    span: (c, { y, m }) => monthOf(c, Number(y), Number(m) - 1),
  },
  // `13 October, 2023`, `the 3rd of May`; `October 13, 2023`.
  {
    pattern: new RegExp(
      `\\b(?:(?<from>since |after )|(?<until>before |until )|(?<on>on |around ))?(?:the )?(?<d>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<name>${MONTH_NAME})\\b(?:,? (?<y>\\d{4})\\b)?`,
      'i',
    ),
    span: namedDay,
  },
  {
    pattern: new RegExp(
      `\\b(?:(?<from>since |after )|(?<until>before |until )|(?<on>on |around ))?(?<name>${MONTH_NAME}) (?<d>\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (?<y>\\d{4})\\b)?`,
      'i',
    ),
    span: namedDay,
  },
  { pattern: /\b(?:the )?day before yesterday\b|前天|一昨日|おととい/i, span: (c) => days(c, 2, 1) },
  {
    pattern: /\b(?<from>since )?yesterday\b|昨天|昨日/i,
    span: (c, { from }) => openEnded(from, days(c, 1, 1)),
  },
  {
    pattern: /\b(?:earlier )?today\b|\bthis (?:morning|afternoon|evening)\b|今天|今日/i,
    span: (c) => days(c, 0, 1),
  },
  { pattern: /\blast night\b/i, span: (c) => days(c, 1, 2) },
  { pattern: /\bthis week\b|本周|今週/i, span: (c) => weeks(c, 0) },
  {
    pattern: /\b(?<from>since )?last week\b|上周|先週/i,
    span: (c, { from }) => openEnded(from, weeks(c, 1)),
  },
  { pattern: /\bthis month\b|本月|今月/i, span: (c) => months(c, 0) },
  {
    pattern: /\b(?<from>since )?last month\b|上个月|先月/i,
    span: (c, { from }) => openEnded(from, months(c, 1)),
  },
  {
    pattern: /\b(?:in the |over the )?(?:last|past) (?<n>\d{1,3}) (?<unit>day|week|month)s?\b/i,
    span: (c, { n, unit }) => ({ since: iso(c.now.getTime() - Number(n) * unitOf(unit)) }),
  },
  {
    pattern: /\b(?<n>\d{1,3}|an?|two|three|four) (?<unit>day|week|month)s? ago\b/i,
    span: (c, { n, unit }) => ago(c, n, unit),
  },
  {
    pattern: new RegExp(
      `\\b(?<from>since )?(?:on |last )(?<name>${WEEKDAY_NAME})\\b|\\bsince (?<since>${WEEKDAY_NAME})\\b`,
      'i',
    ),
    span: (c, { from, name, since }) =>
      openEnded(from ?? since, weekday(c, (name ?? since ?? '').slice(0, 3).toLowerCase())),
  },
  {
    pattern: new RegExp(
      `\\b(?<from>since )?(?:(?:in|during|last|since) )(?<name>${MONTH_NAME})\\b(?: (?<y>\\d{4}))?`,
      'i',
    ),
    span: (c, { from, name, y }) => openEnded(from, namedMonth(c, (name ?? '').slice(0, 3).toLowerCase(), y)),
  },
  {
    pattern: new RegExp(`\\b(?<name>${MONTH_NAME}) (?<y>(?:19|20)\\d\\d)\\b`, 'i'),
    span: (c, { name, y }) => namedMonth(c, (name ?? '').slice(0, 3).toLowerCase(), y),
  },
  {
    pattern: /\b(?<n>\d{1,2}|an) hours? ago\b/i,
    span: (c, { n }) => hoursAgo(c, n === 'an' ? 1 : Number(n)),
  },
  { pattern: /\blast year\b|去年/i, span: (c) => yearOf(c, 1) },
];

/** Returns the first date in a text. */
export function findSpan(text: string, calendar: Calendar): FoundSpan | undefined {
  for (const { pattern, span } of FORMS) {
    const match = pattern.exec(text);
    const found = match && span(calendar, match.groups ?? {});
    if (!found) continue;
    const open = /^since /i.test(match[0]);
    return { ...(open && found.since ? { since: found.since } : found), words: match[0] };
  }
  return undefined;
}

function openEnded(from: string | undefined, span: Span | undefined): Span | undefined {
  return from && span?.since ? { since: span.since } : span;
}

/** Midnight of the user's day, `back` days ago. */
function midnight(calendar: Calendar, back: number): number {
  const shift = calendar.offsetMinutes * 60_000;
  return Math.floor((calendar.now.getTime() + shift) / DAY) * DAY - shift - back * DAY;
}

function days(calendar: Calendar, back: number, length: number): Span {
  const start = midnight(calendar, back);
  return { since: iso(start), until: iso(start + length * DAY) };
}

/** Weeks begin on Monday. */
function weeks(calendar: Calendar, back: number): Span {
  const today = midnight(calendar, 0);
  const sinceMonday = (local(calendar, today).getUTCDay() + 6) % 7;
  const start = today - (sinceMonday + back * 7) * DAY;
  return { since: iso(start), until: iso(start + 7 * DAY) };
}

function months(calendar: Calendar, back: number): Span | undefined {
  const today = local(calendar, calendar.now.getTime());
  return monthOf(calendar, today.getUTCFullYear(), today.getUTCMonth() - back);
}

function monthOf(calendar: Calendar, year: number, month: number): Span {
  return between(calendar, Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1));
}

function dayOf(calendar: Calendar, year: number, month: number, day: number): Span | undefined {
  if (month > 11 || day > 31 || day < 1) return undefined;
  return between(calendar, Date.UTC(year, month, day), Date.UTC(year, month, day) + DAY);
}

/** A span between two local times, given as if they were UTC. */
function between({ offsetMinutes }: Calendar, from: number, to: number): Span {
  const shift = offsetMinutes * 60_000;
  return { since: iso(from - shift), until: iso(to - shift) };
}

/** "In March" means the last March that has begun. */
function namedMonth(calendar: Calendar, name: string, year: string | undefined): Span | undefined {
  const month = MONTHS.indexOf(name);
  if (month < 0) return undefined;
  const today = local(calendar, calendar.now.getTime());
  const past = month <= today.getUTCMonth() ? today.getUTCFullYear() : today.getUTCFullYear() - 1;
  return monthOf(calendar, year ? Number(year) : past, month);
}

/** Without a year, the last such day that has begun. */
function namedDay(
  calendar: Calendar,
  { from, until, on, name, d, y }: Readonly<Record<string, string | undefined>>,
): Span | undefined {
  // Not a date in "Test 15 may be wrong".
  if (name === 'may' && !(from ?? until ?? on ?? y)) return undefined;
  const month = MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase());
  const year = local(calendar, calendar.now.getTime()).getUTCFullYear();
  const inYear = (one: number): Span | undefined => dayOf(calendar, one, month, Number(d));
  const thisYear = inYear(y ? Number(y) : year);
  const isFuture = (thisYear?.since ?? '') > calendar.now.toISOString();
  const day = y === undefined && isFuture ? inYear(year - 1) : thisYear;
  return until && day?.since ? { until: day.since } : openEnded(from, day);
}

/** "On Monday" means the last Monday before today. */
function weekday(calendar: Calendar, name: string): Span | undefined {
  const day = WEEKDAYS.indexOf(name);
  if (day < 0) return undefined;
  const today = local(calendar, midnight(calendar, 0)).getUTCDay();
  return days(calendar, (today - day + 7) % 7 || 7, 1);
}

function ago(calendar: Calendar, amount: string | undefined, unit: string | undefined): Span {
  const words: Readonly<Record<string, number>> = { a: 1, an: 1, two: 2, three: 3, four: 4 };
  const count = words[(amount ?? '').toLowerCase()] ?? Number(amount);
  const size = unitOf(unit) / DAY;
  // The larger the unit, the vaguer the statement: half a unit on either side.
  const slack = Math.floor(size / 2);
  return days(calendar, count * size + slack, 1 + 2 * slack);
}

/** Hours are rarely exact: one hour on either side. */
function hoursAgo({ now }: Calendar, hours: number): Span {
  const at = (back: number): string => iso(now.getTime() - back * 3_600_000);
  return { since: at(hours + 1), until: at(hours - 1) };
}

function yearOf(calendar: Calendar, back: number): Span {
  const year = local(calendar, calendar.now.getTime()).getUTCFullYear() - back;
  return between(calendar, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
}

function unitOf(unit: string | undefined): number {
  const name = (unit ?? '').toLowerCase();
  return name === 'month' ? 30 * DAY : name === 'week' ? 7 * DAY : DAY;
}

const local = (calendar: Calendar, millis: number): Date =>
  new Date(millis + calendar.offsetMinutes * 60_000);
const iso = (millis: number): string => new Date(millis).toISOString();
