/**
 * The tokens of a memory as PostgreSQL lexemes. Each begins with a short prefix of the team, so that the shared GIN index
 * has separate posting lists per team and a small team never reads the rows of a large one. Pure.
 */
import { shortHash, type Memory } from '../../../core/index.ts';
import { dateWords, indexText, searchable } from '../../../database/index.ts';

export interface Lexemes {
  /** The text of a tsvector. */
  readonly vector: string;
  /** Number of tokens, counted like in the local index. */
  readonly count: number;
  /** The distinct tokens, for the word counts. */
  readonly terms: readonly string[];
}

/** Teams may share a prefix; queries also filter by team. */
const PREFIX_LENGTH = 4;
const MAX_PREFIXES = 10_000;
/** A tsvector is limited to a megabyte, so of a long log only the first distinct words are searchable. */
const MAX_LEXEMES = 8000;
/** The limit of PostgreSQL per lexeme. */
const MAX_POSITIONS = 255;

/** In the order of MEMORY_COLUMNS. PostgreSQL has four labels: body, facts and reason share one, the date has none. */
const LABELS = ['A', 'C', 'C', 'B', 'D', 'C', undefined] as const;
export type Label = 'A' | 'B' | 'C' | 'D';
/** The column whose weight applies to a label. */
export const COLUMN_OF: Readonly<Record<Label, number>> = { A: 0, B: 3, C: 1, D: 4 };
export const DATE_COLUMN = 6;

export function lexemesOf(team: string, memory: Memory): Lexemes {
  const labels = new Map<string, string[]>();
  let count = 0;
  searchable(memory).forEach((column, i) => {
    const tokens = indexText(column).split(' ');
    count += tokens.length;
    for (const token of tokens) {
      if (token === '' || (labels.size >= MAX_LEXEMES && !labels.has(token))) continue;
      const positions = labels.get(token) ?? [];
      labels.set(token, positions);
      const label = LABELS[i];
      if (label && positions.length < MAX_POSITIONS) positions.push(label);
    }
  });
  const titled = [...labels]
    .filter(([, found]) => found.includes('A'))
    .map(([token]) => titleLexeme(team, token));
  const files = new Set(memory.files.map((path) => fileLexeme(team, path)));
  const vector = [
    ...[...labels].map(([token, found]) => quoted(wordLexeme(team, token)) + positionText(found)),
    ...[...titled, ...files].map(quoted),
  ].join(' ');
  return { vector, count, terms: [...labels.keys()] };
}

/** Matches a token anywhere in the memory. */
export function wordLexeme(team: string, token: string): string {
  return `${prefixOf(team)} ${token}`;
}

/** Matches a token in the title. */
export function titleLexeme(team: string, token: string): string {
  return `${prefixOf(team)}^${token}`;
}

/** Matches a memory with a file of this name. */
export function fileLexeme(team: string, path: string): string {
  return `${prefixOf(team)}/${path.slice(path.lastIndexOf('/') + 1)}`;
}

/** SQL for the token of a `wordLexeme`, and for whether a lexeme is one. */
export const SQL_TOKEN = `substr(lexeme, ${PREFIX_LENGTH + 2})`;
export const SQL_IS_WORD = `substr(lexeme, ${PREFIX_LENGTH + 1}, 1) = ' '`;

/** Returns a lexeme as text of a tsquery or tsvector. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** Returns the tokens of a memory's date, which has no label in PostgreSQL. */
export function dateTokens(at: string): readonly string[] {
  const day = at.slice(0, DAY_LENGTH);
  const known = days.get(day) ?? indexText(dateWords(at)).split(' ');
  if (days.size >= MAX_DAYS) days.clear();
  days.set(day, known);
  return known;
}

const DAY_LENGTH = '2026-01-01'.length;
/** About ten years. */
const MAX_DAYS = 4000;
/** A cache, because every row of every search needs it. */
const days = new Map<string, readonly string[]>();

const prefixes = new Map<string, string>();

/** Cached, because every word needs it. */
function prefixOf(team: string): string {
  const known = prefixes.get(team);
  if (known !== undefined) return known;
  if (prefixes.size >= MAX_PREFIXES) prefixes.clear();
  const prefix = shortHash(team, PREFIX_LENGTH);
  prefixes.set(team, prefix);
  return prefix;
}

function positionText(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `:${labels.map((label, i) => `${i + 1}${label}`).join(',')}`;
}
