/** What rows hold of the tokens asked for: how often, weighted by column, and how long they are. */
import type { Candidate } from '../../index/index.ts';
import { COLUMN_OF, DATE_COLUMN, dateTokens, tokenOf, wordLexeme, type Label } from './_lexemes.ts';
import { number, optionalText, text } from './_values.ts';
import type { Work } from './work.ts';

type Facts = Pick<Candidate, 'counts' | 'length'>;

const NO_FACTS: Facts = { counts: new Map(), length: 0 };

export async function textFacts(
  work: Work,
  rows: readonly number[],
  { tokens, weights }: { readonly tokens: readonly string[]; readonly weights: readonly number[] },
): Promise<(row: number) => Facts> {
  const found = await work.rows(
    `SELECT m.number, m.token_count, m.at, held.lexeme, array_to_string(held.weights, '') AS labels
     FROM tidemark.memory m
     LEFT JOIN LATERAL (SELECT lexeme, weights FROM unnest(m.tokens) WHERE lexeme = ANY ($3)) AS held ON true
     WHERE m.team_id = $1 AND m.number = ANY ($2::bigint[])`,
    [work.team, rows, tokens.map((token) => wordLexeme(work.team, token))],
  );
  const asked = new Set(tokens);
  const facts = new Map<number, { counts: Map<string, number>; length: number }>();
  for (const row of found) {
    const at = number(row, 'number');
    const known = facts.get(at) ?? {
      counts: dateCounts(text(row, 'at'), asked, weights),
      length: number(row, 'token_count'),
    };
    facts.set(at, known);
    const lexeme = optionalText(row, 'lexeme');
    if (lexeme === undefined) continue;
    const token = tokenOf(lexeme);
    const count = [...(optionalText(row, 'labels') ?? '')].reduce(
      // The labels are those PostgreSQL knows, no others.
      (sum, label) => sum + (weights[COLUMN_OF[label as Label]] ?? 1),
      known.counts.get(token) ?? 0,
    );
    if (count > 0) known.counts.set(token, count);
  }
  return (row) => facts.get(row) ?? NO_FACTS;
}

function dateCounts(at: string, asked: ReadonlySet<string>, weights: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of dateTokens(at))
    if (asked.has(token)) counts.set(token, (counts.get(token) ?? 0) + (weights[DATE_COLUMN] ?? 1));
  return counts;
}
