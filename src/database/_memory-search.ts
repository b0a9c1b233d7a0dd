/**
 * Finds candidates for a query: the best entries by full text and their neighbours in the same session, each with counts
 * of the query's words in it and in its neighbours. Does not rank.
 */
import { number, text } from './columns.ts';
import type { Database } from './connection.ts';
import type { FullText, TextScope } from './text/full-text.ts';
import type { TextFacts } from './text/text-facts.ts';

/** Weights of title, body, facts, concepts, files, reason and date. */
export type MemoryWeights = readonly [number, number, number, number, number, number, number];

/** An entry of the same session, `distance` places before or after. */
export interface NearFacts {
  readonly distance: number;
  readonly counts: ReadonlyMap<string, number>;
}

export interface Candidate extends TextFacts {
  readonly row: number;
  /** 0 if only a neighbour or the meaning matches. */
  readonly bm25: number;
  readonly near: readonly NearFacts[];
  /** The cosine with the query's vector, if both have a vector. */
  readonly cosine?: number;
}

export interface CandidateQuery {
  readonly tokens: readonly string[];
  /** Each scope is searched up to the limit. */
  readonly scopes: readonly TextScope[];
  readonly limit: number;
  /** Weights of the columns. */
  readonly weights: readonly number[];
  /** The number of places to either side that count as neighbours; 0 for none. */
  readonly reach: number;
  /** Rows that are candidates whatever their words are. */
  readonly also: readonly number[];
}

/** The neighbours of this many best entries are candidates too; an entry next to a good match is often the answer. */
export const BESIDE_THE_BEST = 30;

/** The neighbours of entries further down cannot raise them to the top. */
export const WITH_NEIGHBOURS = 40;

const NO_FACTS: TextFacts = { counts: new Map(), length: 0 };

export function findCandidates(
  db: Database,
  fullText: FullText,
  query: CandidateQuery,
): readonly Candidate[] {
  const { tokens, scopes, limit, weights, reach } = query;
  const bm25 = new Map<number, number>();
  for (const scope of scopes)
    for (const hit of fullText.search(tokens, scope, limit, weights)) bm25.set(hit.row, hit.bm25);

  const best = [...bm25].toSorted((a, b) => b[1] - a[1]).map(([row]) => row);
  const around: Around = reach === 0 ? () => [] : neighbourhood(db, best.slice(0, WITH_NEIGHBOURS), reach);
  const beside = best.slice(0, BESIDE_THE_BEST).flatMap((row) =>
    around(row)
      .filter(({ distance }) => distance === 1)
      .map((near) => near.row),
  );
  const rows = [...new Set([...best, ...query.also, ...inScope(db, beside, scopes)])];
  const nearRows = rows.flatMap((row) => around(row).map((near) => near.row));
  const facts = fullText.facts([...new Set([...rows, ...nearRows])], tokens, weights);
  return rows.map((row) => ({
    row,
    bm25: bm25.get(row) ?? 0,
    ...(facts.get(row) ?? NO_FACTS),
    near: around(row).map((near) => ({
      distance: near.distance,
      counts: (facts.get(near.row) ?? NO_FACTS).counts,
    })),
  }));
}

interface Near {
  readonly row: number;
  readonly distance: number;
}

type Around = (row: number) => readonly Near[];

/** Returns a function that gives the neighbours of a row in its session. Entries without a session have none. */
function neighbourhood(db: Database, rows: readonly number[], reach: number): Around {
  const lines = new Map<string, number[]>();
  const places = new Map<number, { readonly line: readonly number[]; readonly at: number }>();
  const found = db.all(
    `SELECT row, session FROM memory WHERE session <> '' AND session IN
       (SELECT session FROM memory WHERE row IN (SELECT value FROM json_each(?)))
     ORDER BY session, at, id`,
    JSON.stringify(rows),
  );
  for (const one of found) {
    const line = lines.get(text(one, 'session')) ?? [];
    lines.set(text(one, 'session'), line);
    places.set(number(one, 'row'), { line, at: line.length });
    line.push(number(one, 'row'));
  }
  return (row) => {
    const place = places.get(row);
    if (!place) return [];
    const { line, at } = place;
    const first = Math.max(0, at - reach);
    return line
      .slice(first, at + reach + 1)
      .map((other, i) => ({ row: other, distance: Math.abs(first + i - at) }))
      .filter(({ distance }) => distance > 0);
  };
}

/** Returns the rows that are in one of the scopes. */
function inScope(db: Database, rows: readonly number[], scopes: readonly TextScope[]): readonly number[] {
  if (rows.length === 0 || scopes.some(({ where, projects }) => !where && !projects)) return rows;
  const ofProject = 'memory.project IN (SELECT value FROM json_each(?))';
  const clauses = scopes.map(({ where, projects }) =>
    [projects && ofProject, where].filter(Boolean).join(' AND '),
  );
  return db
    .all(
      `SELECT row FROM memory WHERE row IN (SELECT value FROM json_each(?))
         AND (${clauses.map((clause) => `(${clause})`).join(' OR ')})`,
      JSON.stringify(rows),
      ...scopes.flatMap(({ projects, values }) => [
        ...(projects ? [JSON.stringify(projects)] : []),
        ...values,
      ]),
    )
    .map((row) => number(row, 'row'));
}
