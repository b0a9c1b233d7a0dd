/**
 * Candidates for a question: the best entries by full text, and those beside them in their sessions, each with what it
 * and its neighbours hold of the words. Ranks nothing: weights are the caller's. Called by MemoryIndex only.
 */
import { number, text } from './columns.ts';
import type { Database } from './connection.ts';
import type { FullText, TextScope } from './text/full-text.ts';
import type { TextFacts } from './text/text-facts.ts';

/** An entry of the same session, so many places before or after. */
export interface NearFacts {
  readonly distance: number;
  readonly counts: ReadonlyMap<string, number>;
}

export interface Candidate extends TextFacts {
  readonly row: number;
  /** 0 where a neighbour or the meaning brought it here. */
  readonly bm25: number;
  readonly near: readonly NearFacts[];
  /** With the question's vector, where there is one and the entry has one too. */
  readonly cosine?: number;
}

export interface Wanted {
  readonly tokens: readonly string[];
  /** Each is searched as deep as the limit says. */
  readonly scopes: readonly TextScope[];
  readonly limit: number;
  /** Of the columns. */
  readonly weights: readonly number[];
  /** How many places to either side count as near; 0 for none. */
  readonly reach: number;
  /** Rows that are candidates whatever their words say. */
  readonly also: readonly number[];
}

/** What stands beside one of the best may be the answer to it; beside the others it is not worth the time. */
export const BESIDE_THE_BEST = 30;

/** Further down the neighbours of an entry cannot bring it to the top any more. */
export const WITH_NEIGHBOURS = 40;

const NO_FACTS: TextFacts = { counts: new Map(), length: 0 };

export function findCandidates(db: Database, fullText: FullText, wanted: Wanted): readonly Candidate[] {
  const { tokens, scopes, limit, weights, reach } = wanted;
  const bm25 = new Map<number, number>();
  for (const scope of scopes)
    for (const hit of fullText.search(tokens, scope, limit, weights)) bm25.set(hit.row, hit.bm25);

  const best = [...bm25].toSorted((a, b) => b[1] - a[1]).map(([row]) => row);
  const around = reach === 0 ? NOBODY : neighbourhood(db, best.slice(0, WITH_NEIGHBOURS), reach);
  const beside = best.slice(0, BESIDE_THE_BEST).flatMap((row) =>
    around(row)
      .filter(({ distance }) => distance === 1)
      .map((near) => near.row),
  );
  const rows = [...new Set([...best, ...wanted.also, ...inScope(db, beside, scopes)])];
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

const NOBODY: Around = () => [];

/** Who stands beside whom in the sessions of these rows. Entries without a session stand alone. */
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

/** Those of the rows that one of the scopes holds. */
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
