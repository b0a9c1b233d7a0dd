/**
 * A memory's tokens as PostgreSQL keeps them. Every lexeme begins with a short sign of the team, so that the one index of
 * words has a list of its own for each team's words: a small team never reads what a big one wrote. Pure.
 */
import { shortHash, type Memory } from '../../../core/index.ts';
import { dateWords, indexText, searchable } from '../../../database/index.ts';

export interface Lexemes {
  /** The text of a tsvector. */
  readonly vector: string;
  /** Tokens in all, counted as the embedded index counts them. */
  readonly count: number;
  /** Each token once, for how common it is. */
  readonly terms: readonly string[];
}

/** Two teams in a million share a sign, and nothing by it: the team itself is asked for as well. */
const SIGN_LENGTH = 4;
const MOST_SIGNS = 10_000;
/** A tsvector holds a megabyte; a pasted log of more different words is searched by the first of them. */
const MOST_LEXEMES = 8000;
/** PostgreSQL counts no further. */
const MOST_POSITIONS = 255;

/** Columns in the order of MEMORY_COLUMNS. PostgreSQL knows four labels: body, facts and reason share one; the date has none. */
const LABELS = ['A', 'C', 'C', 'B', 'D', 'C', undefined] as const;
export type Label = 'A' | 'B' | 'C' | 'D';
/** Which column's weight a label stands for. */
export const COLUMN_OF: Readonly<Record<Label, number>> = { A: 0, B: 3, C: 1, D: 4 };
export const DATE_COLUMN = 6;

export function lexemesOf(team: string, memory: Memory): Lexemes {
  const sign = signOf(team);
  const labels = new Map<string, string[]>();
  let count = 0;
  searchable(memory).forEach((column, i) => {
    const tokens = indexText(column).split(' ');
    count += tokens.length;
    for (const token of tokens) {
      if (token === '' || (labels.size >= MOST_LEXEMES && !labels.has(token))) continue;
      const held = labels.get(token) ?? [];
      labels.set(token, held);
      const label = LABELS[i];
      if (label && held.length < MOST_POSITIONS) held.push(label);
    }
  });
  const titled = [...labels].filter(([, held]) => held.includes('A')).map(([token]) => `${sign}^${token}`);
  const files = new Set(memory.files.map((path) => fileLexeme(team, path)));
  const vector = [
    ...[...labels].map(([token, held]) => quoted(`${sign} ${token}`) + positions(held)),
    ...[...titled, ...files].map(quoted),
  ].join(' ');
  return { vector, count, terms: [...labels.keys()] };
}

/** Stands anywhere in it. */
export function wordLexeme(team: string, token: string): string {
  return `${signOf(team)} ${token}`;
}

/** Stands in its title. */
export function titleLexeme(team: string, token: string): string {
  return `${signOf(team)}^${token}`;
}

/** Speaks of a file of this name. */
export function fileLexeme(team: string, path: string): string {
  return `${signOf(team)}/${path.slice(path.lastIndexOf('/') + 1)}`;
}

/** The token of a lexeme made by `wordLexeme`, in SQL, and which lexemes have one. */
export const SQL_TOKEN = `substr(lexeme, ${SIGN_LENGTH + 2})`;
export const SQL_IS_WORD = `substr(lexeme, ${SIGN_LENGTH + 1}, 1) = ' '`;

/** One lexeme as the text of a tsquery or tsvector. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** How often each token stands in the date of a memory: PostgreSQL has no label left for it. */
export function dateTokens(at: string): readonly string[] {
  const day = at.slice(0, DAY_LENGTH);
  const known = days.get(day) ?? indexText(dateWords(at)).split(' ');
  if (days.size >= MOST_DAYS) days.clear();
  days.set(day, known);
  return known;
}

const DAY_LENGTH = '2026-01-01'.length;
/** Some ten years. */
const MOST_DAYS = 4000;
/** Asked for with every row of every question. */
const days = new Map<string, readonly string[]>();

const signs = new Map<string, string>();

/** Asked for with every word; a server knows few teams at a time. */
function signOf(team: string): string {
  const known = signs.get(team) ?? shortHash(team, SIGN_LENGTH);
  if (signs.size >= MOST_SIGNS) signs.clear();
  signs.set(team, known);
  return known;
}

function positions(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `:${labels.map((label, i) => `${i + 1}${label}`).join(',')}`;
}
