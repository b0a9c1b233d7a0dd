/** What stands before and after entries in their sessions, as far as the caller may read it. */
import { number, text } from './_values.ts';
import type { Row, Work } from './work.ts';

interface Near {
  readonly row: number;
  readonly distance: number;
}

export interface Neighbours {
  at(row: number): readonly Near[];
  /** Rows beside it; with a distance, only those that far away. */
  of(row: number, distance?: number): readonly number[];
}

/** `andOf`: the same for further rows, if they are of the same sessions. */
export interface TopNeighbours extends Neighbours {
  andOf(rows: readonly number[]): Promise<Neighbours>;
}

export async function neighboursOf(
  work: Work,
  rows: readonly number[],
  reach: number,
): Promise<TopNeighbours> {
  const found = reach === 0 || rows.length === 0 ? [] : await around(work, rows, reach);
  const sessions = [...new Set(found.map((row) => text(row, 'session')))];
  const known = new Set(rows);
  return {
    ...lookup(found),
    andOf: async (more) => {
      const fresh = more.filter((row) => !known.has(row));
      if (sessions.length === 0 || fresh.length === 0) return lookup(found);
      return lookup([...found, ...(await around(work, fresh, reach, sessions))]);
    },
  };
}

async function around(
  work: Work,
  rows: readonly number[],
  reach: number,
  sessions?: readonly string[],
): Promise<readonly Row[]> {
  const side = (beyond: '<' | '>', direction: 'ASC' | 'DESC'): string => `
    (SELECT n.number, row_number() OVER (ORDER BY n.at ${direction}, n.id ${direction}) AS distance
     FROM tidemark.memory n
     WHERE n.team_id = a.team_id AND n.session = a.session AND (n.at, n.id) ${beyond} (a.at, a.id)
     ORDER BY n.at ${direction}, n.id ${direction} LIMIT $3)`;
  return work.rows(
    `SELECT a.number AS row, a.session, near.number, near.distance FROM tidemark.memory a
     LEFT JOIN LATERAL (${side('<', 'DESC')} UNION ALL ${side('>', 'ASC')}) AS near ON true
     WHERE a.team_id = $1 AND a.number = ANY ($2::bigint[]) AND a.session <> ''
       AND ($4::text[] IS NULL OR a.session = ANY ($4)) ORDER BY near.distance, near.number`,
    [work.team, rows, reach, sessions ?? null],
  );
}

function lookup(found: readonly Row[]): Neighbours {
  const near = new Map<number, Near[]>();
  for (const row of found) {
    if (row['number'] === null) continue;
    const held = near.get(number(row, 'row')) ?? [];
    near.set(number(row, 'row'), held);
    held.push({ row: number(row, 'number'), distance: number(row, 'distance') });
  }
  const at = (row: number): readonly Near[] => near.get(row) ?? [];
  return {
    at,
    of: (row, distance) =>
      at(row)
        .filter((one) => distance === undefined || one.distance === distance)
        .map((one) => one.row),
  };
}
