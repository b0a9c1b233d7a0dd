/** Stores the vectors of memories and lists the texts that still need one. */
import { embeddedText, encode } from '../../../database/index.ts';
import { memoryOfRow, READ_COLUMNS } from '../entries.ts';
import { number, text } from '../values.ts';
import type { Work } from '../work.ts';
import { DIMENSIONS, type VectorMode } from './pgvector.ts';

export interface WaitingText {
  readonly number: number;
  /** Hash of the text, to detect a change before its vector is stored. */
  readonly hash: string;
  readonly text: string;
}

/** Unlike the local index, the server knows no mean of all vectors. */
const NO_MEAN = new Float32Array();
/** The current version of `embeddedText`; version 1 had no concepts. */
const MADE_OF = 2;

/**
 * Queues the texts whose vectors have to be computed again: made by another model, made before the database had an index
 * for them, or made without concepts. The last kind is used until then.
 */
export async function adoptModel(work: Work, model: string, mode: VectorMode): Promise<void> {
  const vectors =
    'SELECT v.number FROM tidemark.memory_vector v WHERE v.team_id = $1 AND v.project_id = p.id';
  const missing = mode === 'pgvector' ? `UNION ALL ${vectors} AND v.embedding IS NULL` : '';
  // Each part is a range of an index, empty if nothing is to be done.
  await work.run(
    `INSERT INTO tidemark.unembedded (team_id, number, project_id)
     SELECT $1, v.number, p.id FROM unnest(tidemark.writable()) AS p (id) CROSS JOIN LATERAL (
       ${vectors} AND v.model < $2 UNION ALL ${vectors} AND v.model > $2 ${missing}
       UNION ALL ${vectors} AND v.model = $2 AND v.made_of < $3 AND EXISTS (SELECT FROM tidemark.memory m
         WHERE m.team_id = $1 AND m.number = v.number AND m.concepts <> '{}')) AS v
     ON CONFLICT DO NOTHING`,
    [work.team, model, MADE_OF],
  );
}

/** Returns queued texts of projects the caller may write to, newest first. */
export async function waitingTexts(work: Work, limit: number): Promise<readonly WaitingText[]> {
  const rows = await work.rows(
    `SELECT number, content_hash, ${READ_COLUMNS} FROM tidemark.memory
     WHERE team_id = $1 AND number = ANY (ARRAY(
       SELECT number FROM tidemark.unembedded
       WHERE team_id = $1 AND project_id = ANY ((SELECT tidemark.writable())::uuid[]) ORDER BY number DESC LIMIT $2))`,
    [work.team, limit],
  );
  return rows.map((row) => ({
    number: number(row, 'number'),
    hash: text(row, 'content_hash'),
    text: embeddedText(memoryOfRow(row)),
  }));
}

/** Skips texts that have changed since; they stay queued. */
export async function putVectors(
  work: Work,
  { model, mode }: { readonly model: string; readonly mode: VectorMode },
  made: readonly (Pick<WaitingText, 'number' | 'hash'> & { readonly vector: Float32Array })[],
): Promise<void> {
  const withIndex = mode === 'pgvector';
  const coded = made.map(({ vector, ...one }) => ({ ...one, ...encode(vector, NO_MEAN), vector }));
  const [column, value, update] = withIndex
    ? [', embedding', `, made.embedding::halfvec(${DIMENSIONS})`, ', embedding = excluded.embedding']
    : ['', '', ''];
  const rows = await work.rows(
    `INSERT INTO tidemark.memory_vector (team_id, number, project_id, model, content_hash, made_of, scale, codes${column})
     SELECT m.team_id, m.number, m.project_id, $2, m.content_hash, ${MADE_OF}, made.scale, made.codes${value}
     FROM unnest($3::bigint[], $4::text[], $5::real[], $6::bytea[], $7::text[])
       AS made (number, hash, scale, codes, embedding)
     JOIN tidemark.memory m ON m.team_id = $1 AND m.number = made.number AND m.content_hash = made.hash
     ON CONFLICT (team_id, number) DO UPDATE SET model = excluded.model, content_hash = excluded.content_hash,
       made_of = excluded.made_of, scale = excluded.scale, codes = excluded.codes${update} RETURNING number`,
    [
      work.team,
      model,
      coded.map((one) => one.number),
      coded.map(({ hash }) => hash),
      coded.map(({ scale }) => scale),
      coded.map(({ codes }) => Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength)),
      coded.map(({ vector }) => (withIndex && vector.length === DIMENSIONS ? `[${vector.join(',')}]` : null)),
    ],
  );
  await work.run('DELETE FROM tidemark.unembedded WHERE team_id = $1 AND number = ANY ($2::bigint[])', [
    work.team,
    rows.map((row) => number(row, 'number')),
  ]);
}
