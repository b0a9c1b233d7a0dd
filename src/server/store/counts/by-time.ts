/** Counts of memories by kind and day, for any time zone, from the counters. Read-only. */
import { MEMORY_KINDS, type MemoryKind } from '../../../core/index.ts';
import { BEFORE_QUARTER, QUARTER_MS, QUARTERS_PER_DAY } from './counted.ts';
import { number, oneOf, text } from '../values.ts';
import type { Row, Work } from '../work.ts';

const DAY = 'YYYY-MM-DD'.length;

interface CountOfPlace {
  readonly place: number;
  readonly kind: MemoryKind;
  readonly count: number;
}

/**
 * Counts the memories of each kind between consecutive times, to the quarter of an hour, at which every time zone begins
 * its days; place 0 is before the first time. The database cuts each day in UTC where the days of the zone begin, which is
 * at one or two times of the day in all of a year.
 */
export async function countsByTime(work: Work, times: readonly string[]): Promise<readonly CountOfPlace[]> {
  const cuts = times.map((time) => Math.floor(Date.parse(time) / QUARTER_MS));
  const quarters = [...new Set(cuts.map((cut) => cut % QUARTERS_PER_DAY))];
  const sums = quarters.map((_, i) => `, sum(${BEFORE_QUARTER(`$${i + 2}::integer`)}) AS before_${i}`);
  const rows = await work.rows(
    `SELECT d.day, d.kind, sum(d.memories) AS memories${sums.join('')}
     FROM unnest(tidemark.readable()) AS p (id) CROSS JOIN LATERAL (
       SELECT d.day, d.kind, d.memories, d.quarters, d.upto FROM tidemark.project_day d
       WHERE d.team_id = $1 AND d.project_id = p.id OFFSET 0) AS d
     GROUP BY d.day, d.kind`,
    [work.team, ...quarters],
  );
  const pieces = Map.groupBy(piecesOf(cuts), ({ day }) => day);
  const [firstDay] = pieces.keys();
  const counts = new Map<string, CountOfPlace>();
  for (const row of rows) {
    const [day, kind] = [text(row, 'day'), oneOf(row, 'kind', MEMORY_KINDS)];
    const outside = { place: day < (firstDay ?? '') ? 0 : cuts.length, since: 0, until: QUARTERS_PER_DAY };
    for (const { place, since, until } of pieces.get(day) ?? [outside]) {
      const count = beforeIn(row, quarters, until) - beforeIn(row, quarters, since);
      const key = `${place} ${kind}`;
      if (count > 0) counts.set(key, { place, kind, count: count + (counts.get(key)?.count ?? 0) });
    }
  }
  return [...counts.values()];
}

/** Returns how many memories of a row are before a quarter of its day. */
function beforeIn(row: Row, quarters: readonly number[], quarter: number): number {
  if (quarter === 0) return 0;
  return number(row, quarter === QUARTERS_PER_DAY ? 'memories' : `before_${quarters.indexOf(quarter)}`);
}

interface Piece {
  readonly day: string;
  readonly place: number;
  /** Quarters of an hour, the second one excluded. */
  readonly since: number;
  readonly until: number;
}

/** Cuts the days in UTC at the given quarters since 1970. */
function piecesOf(cuts: readonly number[]): readonly Piece[] {
  const [first, last] = [cuts[0], cuts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const pieces: Piece[] = [];
  let place = 0;
  const start = Math.floor(first / QUARTERS_PER_DAY) * QUARTERS_PER_DAY;
  for (let from = start; from <= last; from += QUARTERS_PER_DAY) {
    const day = new Date(from * QUARTER_MS).toISOString().slice(0, DAY);
    let since = 0;
    for (let cut = cuts[place]; cut !== undefined && cut < from + QUARTERS_PER_DAY; cut = cuts[place]) {
      if (cut - from > since) pieces.push({ day, place, since, until: cut - from });
      since = cut - from;
      place++;
    }
    pieces.push({ day, place, since, until: QUARTERS_PER_DAY });
  }
  return pieces;
}
