/** Days in a time zone, with its daylight saving time. Pure except for a cache. */
import { TidemarkError } from '../core/index.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A user has one time zone, rarely a few. */
const CACHED_ZONES = 8;
const DAY = /^\d{4}-\d\d-\d\d$/;

const cache = new Map<string, ZoneDays>();

/** Default: the zone of this machine. Throws TidemarkError `invalid` for an unknown zone. */
export function zoneDays(zone: string = Intl.DateTimeFormat().resolvedOptions().timeZone): ZoneDays {
  const known = cache.get(zone);
  if (known) return known;
  const made = new ZoneDays(zone);
  if (cache.size >= CACHED_ZONES) cache.clear();
  cache.set(zone, made);
  return made;
}

export class ZoneDays {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #starts = new Map<string, string>();

  constructor(zone: string) {
    this.zone = zone;
    this.#format = formatFor(zone);
  }

  dayOf(at: string | number): string {
    return new Date(this.#localTime(new Date(at).getTime())).toISOString().slice(0, 'YYYY-MM-DD'.length);
  }

  /** Start of the day, ISO 8601 UTC. Not midnight if the clocks change at midnight. */
  startOf(day: string): string {
    const known = this.#starts.get(day);
    if (known !== undefined) return known;
    const midnight = Date.parse(`${day}T00:00:00.000Z`);
    const candidates = [midnight - DAY_MS, midnight + DAY_MS]
      .map((near) => midnight - (this.#localTime(near) - near))
      .toSorted((a, b) => a - b);
    const start = candidates.find((at) => this.dayOf(at) === day && this.dayOf(at - 1) !== day);
    const iso = new Date(start ?? candidates[0] ?? midnight).toISOString();
    this.#starts.set(day, iso);
    return iso;
  }

  /** Start of a `since`: an instant, or the beginning of a day. */
  from(dayOrInstant: string): string {
    return DAY.test(dayOrInstant) ? this.startOf(dayOrInstant) : instantOf(dayOrInstant);
  }

  /** End of an `until`: an instant, or the end of a day. */
  to(dayOrInstant: string): string {
    return DAY.test(dayOrInstant) ? this.startOf(addDays(dayOrInstant, 1)) : instantOf(dayOrInstant);
  }

  /** Local time at an instant, as if it were UTC. */
  #localTime(at: number): number {
    const parts = Object.fromEntries(this.#format.formatToParts(at).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, second } = parts;
    return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  }
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS)
    .toISOString()
    .slice(0, 'YYYY-MM-DD'.length);
}

/** The Monday of its week. */
export function mondayOf(day: string): string {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return addDays(day, -weekday);
}

function instantOf(text: string): string {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new TidemarkError('invalid', `"${text}" is neither a day nor a time`, {
    hint: 'Write it like 2026-02-09 or 2026-02-09T10:00:00Z.',
  });
}

function formatFor(zone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  try {
    return new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
    });
  } catch (cause) {
    throw new TidemarkError('invalid', `"${zone}" is not a time zone`, {
      cause,
      hint: 'Write it like Europe/Vienna.',
    });
  }
}
