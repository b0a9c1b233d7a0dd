/**
 * Reads what ranking needs about candidate rows, in one statement: their token counts weighted by column, their length,
 * and the same of their neighbours in the session.
 */
import {
  BESIDE_THE_BEST,
  WITH_NEIGHBOURS,
  type Candidate,
  type MemoryQuestion,
} from '../../../database/index.ts';
import { number, optionalText, text } from '../values.ts';
import type { Row, Work } from '../work.ts';
import { COLUMN_OF, DATE_COLUMN, dateTokens, quoted, wordLexeme, type Label } from './lexemes.ts';

export interface Surroundings {
  /** Returns undefined for a row the caller may not read. */
  of(row: number): Surrounded | undefined;
  /** The direct neighbours of the best rows in their sessions. */
  readonly beside: readonly number[];
}

interface Surrounded extends Pick<Candidate, 'counts' | 'length' | 'near'> {
  readonly project: string;
}

type Facts = Omit<Surrounded, 'near'>;

interface Near {
  readonly row: number;
  readonly distance: number;
}

/** The order of PostgreSQL's weight array. */
const LABELS: readonly Label[] = ['D', 'C', 'B', 'A'];
/** PostgreSQL sums in single precision; this rounds its errors away. */
const PRECISION = 10_000;

/** `best`: ordered, the best first; `also`: further rows. */
export async function surroundingsOf(
  work: Work,
  { best, also }: { readonly best: readonly number[]; readonly also: readonly number[] },
  { tokens, weights, reach }: Pick<MemoryQuestion, 'tokens' | 'weights' | 'reach'>,
): Promise<Surroundings> {
  const labelled = LABELS.map((label) => weights[COLUMN_OF[label]] ?? 1);
  // PostgreSQL accepts weights up to 1.
  const most = Math.max(1, ...labelled);
  const rows = await work.rows(
    `SELECT number, before, after, project_id, at, token_count, held FROM tidemark.surroundings(
       $1::bigint[], $2::bigint[], $3::text[], $4::real[], $5::integer, $6::integer, $7::integer)`,
    [
      best,
      also,
      tokens.map((token) => quoted(wordLexeme(work.team, token))),
      labelled.map((weight) => weight / most),
      reach,
      WITH_NEIGHBOURS,
      BESIDE_THE_BEST,
    ],
  );
  const near = new Map<number, readonly Near[]>();
  const facts = new Map<number, Facts>();
  const asked = new Set(tokens);
  for (const row of rows) {
    const held = optionalText(row, 'held');
    if (held === undefined) near.set(number(row, 'number'), nearOf(row));
    else facts.set(number(row, 'number'), factsOf(row, held));
  }
  function factsOf(row: Row, held: string): Facts {
    const counts = dateCounts(text(row, 'at'), asked, weights);
    held.split(',').forEach((sum, i) => {
      const token = tokens[i];
      if (sum === '0' || sum === '' || token === undefined) return;
      const count = Math.round(Number(sum) * most * PRECISION) / PRECISION;
      counts.set(token, (counts.get(token) ?? 0) + count);
    });
    return { counts, length: number(row, 'token_count'), project: text(row, 'project_id') };
  }
  return {
    of: (row) => {
      const own = facts.get(row);
      return (
        own && {
          ...own,
          near: (near.get(row) ?? []).flatMap(({ row: other, distance }) => {
            const held = facts.get(other);
            return held ? [{ distance, counts: held.counts }] : [];
          }),
        }
      );
    },
    beside: best
      .slice(0, BESIDE_THE_BEST)
      .flatMap((row) =>
        (near.get(row) ?? []).filter(({ distance }) => distance === 1).map((other) => other.row),
      ),
  };
}

function nearOf(row: Row): readonly Near[] {
  return ['before', 'after'].flatMap((side) =>
    text(row, side)
      .split(' ')
      .filter(Boolean)
      .map((other, i) => ({ row: Number(other), distance: i + 1 })),
  );
}

function dateCounts(at: string, asked: ReadonlySet<string>, weights: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of dateTokens(at))
    if (asked.has(token)) counts.set(token, (counts.get(token) ?? 0) + (weights[DATE_COLUMN] ?? 1));
  return counts;
}
