/**
 * What may say the same as something else: memories found by the words of their titles, and those that were merged into
 * another. Complete, unlike full text: how common a word is never hides a candidate. Called by MemoryIndex only.
 */
import type { Memory } from '../model/index.ts';
import { number, parsed, text } from './_columns.ts';
import type { Database, Row } from './_database.ts';
import { queryWords, tokensOf } from './tokens.ts';

/** A memory that says what another said before it: it stands in no journal, only its count and its turn do. */
export interface MergedMemory {
  readonly memory: Memory;
  /** The entry that stands for it. */
  readonly into: string;
  /** `person`: merged by hand, whatever the words say. */
  readonly by: 'words' | 'person';
}

/** Two titles that are to be compared at all share at least one word in this many of the shorter one. */
const SHARED_OF = 3;

/** The words of a title that carry its meaning, each once: stems, whole identifiers, pairs of CJK characters. */
export function titleWords(title: string): readonly string[] {
  const tokens = queryWords(title).flatMap((word) =>
    word.kind === 'cjk' ? tokensOf(word) : [word.whole[0] ?? word.parts.join('')],
  );
  return [...new Set(tokens)];
}

export function putKin(db: Database, { id, project, title }: Memory): void {
  db.run('DELETE FROM kin WHERE memory = ?', id);
  const words = titleWords(title);
  for (const word of words) db.run('INSERT INTO kin VALUES (?, ?, ?, ?)', project, word, id, words.length);
}

export function removeKin(db: Database, memory: string): void {
  db.run('DELETE FROM kin WHERE memory = ?', memory);
}

/** Ids of entries and merged memories whose titles share enough words with this one, in order. */
export function kinOf(db: Database, project: string, words: readonly string[]): readonly string[] {
  return db
    .all(
      `SELECT memory FROM kin WHERE project = ? AND word IN (SELECT value FROM json_each(?))
       GROUP BY memory HAVING count(*) * ${SHARED_OF} >= min(size, ?) ORDER BY memory`,
      project,
      JSON.stringify(words),
      words.length,
    )
    .map((row) => text(row, 'memory'));
}

export function putMerged(db: Database, { memory, into, by }: MergedMemory): void {
  db.run(
    'INSERT OR REPLACE INTO merged VALUES (?, ?, ?, ?, ?, ?)',
    memory.id,
    into,
    by,
    memory.project,
    memory.provenance.turn,
    JSON.stringify(memory),
  );
  const isEntry = db.get('SELECT 1 FROM memory WHERE id = ?', memory.id) !== undefined;
  if (!isEntry) putKin(db, memory);
}

export function removeMerged(db: Database, ids: readonly string[]): void {
  for (const id of ids) {
    if (db.run('DELETE FROM merged WHERE memory = ?', id) === 0) continue;
    if (db.get('SELECT 1 FROM memory WHERE id = ?', id) === undefined) removeKin(db, id);
  }
}

export function mergedById(db: Database, id: string): MergedMemory | undefined {
  const row = db.get('SELECT * FROM merged WHERE memory = ?', id);
  return row && mergedOf(row);
}

export function mergedInto(db: Database, into: string): readonly MergedMemory[] {
  return db.all('SELECT * FROM merged WHERE into_memory = ? ORDER BY memory', into).map(mergedOf);
}

export function mergedOfTurn(db: Database, turn: string): readonly MergedMemory[] {
  return db.all('SELECT * FROM merged WHERE turn = ? ORDER BY memory', turn).map(mergedOf);
}

export function mergedInSession(db: Database, session: string): number {
  const row = db.get(
    'SELECT count(*) AS n FROM merged JOIN turn ON turn.id = merged.turn WHERE turn.session = ?',
    session,
  );
  return number(row ?? {}, 'n');
}

function mergedOf(row: Row): MergedMemory {
  return {
    memory: parsed(row, 'content') as Memory, // written above
    into: text(row, 'into_memory'),
    by: text(row, 'made_by') === 'person' ? 'person' : 'words',
  };
}
