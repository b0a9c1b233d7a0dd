/** Vectors of memories: which texts still need one, and keeping them. Whoever has a model calls this; searching works without. */
import { embeddedText, encode } from '../../index/index.ts';
import { ENTRY_COLUMNS, memoryOfRow } from './_entries.ts';
import { DIMENSIONS, type VectorMode } from './_pgvector.ts';
import { number, text } from './_values.ts';
import type { Work } from './work.ts';

export interface WaitingText {
  readonly number: number;
  readonly project: string;
  /** Of the text: tells whether it is still the same when its vector comes. */
  readonly hash: string;
  readonly text: string;
}

/** Bytes are kept around nothing: unlike on one machine, no mean of all vectors is known here. */
const NO_MEAN = new Float32Array();

/** Texts the caller may write that have no vector of this model, newest first. */
export async function waitingTexts(
  work: Work,
  { model, limit, mode }: { readonly model: string; readonly limit: number; readonly mode: VectorMode },
): Promise<readonly WaitingText[]> {
  const whole = mode === 'pgvector' ? 'AND v.embedding IS NOT NULL' : '';
  const rows = await work.rows(
    `SELECT number, content_hash, ${ENTRY_COLUMNS} FROM tidemark.memory m
     WHERE team_id = $1 AND project_id = ANY ((SELECT tidemark.writable())::uuid[]) AND NOT EXISTS (
       SELECT FROM tidemark.memory_vector v WHERE v.team_id = $1 AND v.number = m.number AND v.model = $2 ${whole})
     ORDER BY number DESC LIMIT $3`,
    [work.team, model, limit],
  );
  return rows.map((row) => ({
    number: number(row, 'number'),
    project: text(row, 'project_id'),
    hash: text(row, 'content_hash'),
    text: embeddedText(memoryOfRow(row)),
  }));
}

/** Those whose text has changed meanwhile are left out: they wait still. */
export async function putVectors(
  work: Work,
  { model, mode }: { readonly model: string; readonly mode: VectorMode },
  made: readonly (Pick<WaitingText, 'number' | 'hash'> & { readonly vector: Float32Array })[],
): Promise<number> {
  const withIndex = mode === 'pgvector';
  const coded = made.map(({ vector, ...one }) => ({ ...one, ...encode(vector, NO_MEAN), vector }));
  const [column, value, update] = withIndex
    ? [', embedding', `, made.embedding::halfvec(${DIMENSIONS})`, ', embedding = excluded.embedding']
    : ['', '', ''];
  return work.run(
    `INSERT INTO tidemark.memory_vector (team_id, number, project_id, model, content_hash, scale, codes${column})
     SELECT m.team_id, m.number, m.project_id, $2, m.content_hash, made.scale, made.codes${value}
     FROM unnest($3::bigint[], $4::text[], $5::real[], $6::bytea[], $7::text[])
       AS made (number, hash, scale, codes, embedding)
     JOIN tidemark.memory m ON m.team_id = $1 AND m.number = made.number AND m.content_hash = made.hash
     ON CONFLICT (team_id, number) DO UPDATE SET model = excluded.model, content_hash = excluded.content_hash,
       scale = excluded.scale, codes = excluded.codes${update}`,
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
}
