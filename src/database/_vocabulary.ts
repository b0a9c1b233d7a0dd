/** The words of the full text, in steps that a caller can stop after. Used to correct a misspelt query. Only reads. */
import type { Database } from './connection.ts';
import { number, text } from './columns.ts';

/** A token of the full text, and the number of entries that contain it. */
export interface VocabularyWord {
  readonly token: string;
  readonly count: number;
}

/** The tables whose words are used. */
export type Vocabulary = 'memory' | 'turn';

const SEARCHED: Readonly<Record<Vocabulary, readonly string[]>> = {
  memory: ['title', 'body', 'reason', 'facts', 'concepts'],
  turn: ['prompt', 'answer'],
};

/** Returns tokens after `after` and before `before`, in order. Reads only that part of the full text. */
export function vocabulary(
  db: Database,
  table: Vocabulary,
  { after, before, limit }: { readonly after: string; readonly before: string; readonly limit: number },
): readonly VocabularyWord[] {
  // In the temporary schema, because readers cannot create tables in the file.
  db.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_words USING fts5vocab('main', '${table}_fts', 'row')`,
  );
  return db
    .all(
      `SELECT term, doc FROM temp.${table}_words WHERE term > ? AND term < ? ORDER BY term LIMIT ?`,
      after,
      before,
      limit,
    )
    .map((row) => ({ token: text(row, 'term'), count: number(row, 'doc') }));
}

/** Returns the original texts of a few entries with the token, where it is written out. */
export function textsWith(db: Database, table: Vocabulary, token: string, limit: number): readonly string[] {
  const said = SEARCHED[table].map((column) => `coalesce(${table}.${column}, '')`).join(` || ' ' || `);
  const rows = db.all(
    `SELECT ${said} AS said FROM ${table}_fts JOIN ${table} ON ${table}.row = ${table}_fts.rowid
     WHERE ${table}_fts MATCH ? LIMIT ?`,
    `"${token.replaceAll('"', '""')}"`,
    limit,
  );
  return rows.map((row) => text(row, 'said'));
}
