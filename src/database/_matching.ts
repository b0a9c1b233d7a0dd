/** Rows of turns that match a query by words or by meaning, with the facts that ranking needs. */
import { given } from '../core/index.ts';
import type { Tables } from './_tables.ts';
import { number } from './columns.ts';
import type { Row } from './connection.ts';
import type { FullText, TextScope } from './text/full-text.ts';
import type { TextFacts } from './text/text-facts.ts';
import type { Cosines, QueryVector, Vectors } from './vectors/vectors.ts';

export interface Match extends TextFacts {
  /** 0 if only the meaning matches. */
  readonly bm25: number;
  readonly cosine?: number;
}

interface Searched {
  readonly table: 'turn';
  readonly text: FullText;
  readonly vectors: Vectors;
}

interface Question {
  readonly tokens: readonly string[];
  readonly scope: TextScope;
  readonly limit: number;
  readonly weights: readonly number[];
  readonly vector?: QueryVector;
}

export function matching(
  tables: Tables,
  within: Searched,
  { tokens, scope, limit, weights, vector }: Question,
): readonly (Match & { readonly row: Row })[] {
  const hits = within.text.search(tokens, scope, limit, weights);
  const bm25 = new Map(hits.map((hit) => [hit.row, hit.bm25]));
  const near = vector ? nearest(tables, within, vector, scope) : [];
  const also = near.flatMap((found) => [...found.keys()].slice(0, limit));
  const rows = [...new Set([...bm25.keys(), ...also])];
  const facts = within.text.facts(rows, tokens, weights);
  const cosines = vector && near.length > 0 ? within.vectors.completed(vector, near, rows) : undefined;
  return rows.flatMap((at) => {
    const row = tables.get(`SELECT * FROM ${within.table} WHERE row = ?`, at);
    const stored = facts.get(at);
    if (!row || !stored) return [];
    return [{ row, ...stored, bm25: bm25.get(at) ?? 0, ...given({ cosine: cosines?.get(at) }) }];
  });
}

function nearest(
  tables: Tables,
  { table, vectors }: Searched,
  { vector, model }: QueryVector,
  { where, values, projects }: TextScope,
): readonly Cosines[] {
  const rows = where && tables.all(`SELECT row FROM ${table} WHERE ${where}`, ...values);
  const scope = { projects, rows: rows ? rows.map((row) => number(row, 'row')) : undefined };
  return vectors.nearest(vector, model, [scope]);
}
