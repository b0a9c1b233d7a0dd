/**
 * What may say the same as something else: memories found by the words of their titles, and those that were merged into
 * another. Complete, unlike full text: how common a word is never hides a candidate. Called by MemoryIndex only.
 */
import type { Memory } from '../core/index.ts';
import { list, number, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';
import { queryWords, tokensOf } from './text/tokens.ts';

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
  removeKin(db, id);
  const keys = keysOf(project, titleWords(title));
  const row = db.insert('INSERT INTO kin (memory, words) VALUES (?, ?)', id, JSON.stringify(keys));
  for (const key of keys) db.run('INSERT INTO kin_word VALUES (?, ?)', key, row);
}

export function removeKin(db: Database, memory: string): void {
  const known = db.get('SELECT row, words FROM kin WHERE memory = ?', memory);
  if (!known) return;
  const keys = list(known, 'words').map(Number);
  for (const key of keys)
    db.run('DELETE FROM kin_word WHERE word = ? AND kin = ?', key, number(known, 'row'));
  db.run('DELETE FROM kin WHERE row = ?', number(known, 'row'));
}

/** Ids of entries and merged memories whose titles share enough words with this one, in order. */
export function kinOf(db: Database, project: string, words: readonly string[]): readonly string[] {
  return db
    .all(
      `SELECT memory FROM
         (SELECT kin, count(*) AS shared FROM kin_word WHERE word IN (SELECT value FROM json_each(?)) GROUP BY kin)
       JOIN kin ON kin.row = kin WHERE shared * ${SHARED_OF} >= min(json_array_length(words), ?) ORDER BY memory`,
      JSON.stringify(keysOf(project, words)),
      words.length,
    )
    .map((row) => text(row, 'memory'));
}

/**
 * A word of a project as a number of 32 bits (FNV-1a): words land all over the table, and numbers make it a quarter of the
 * size. Two that fall on the same number only make one more candidate, which is then compared by its words.
 */
function keysOf(project: string, words: readonly string[]): readonly number[] {
  const keys = words.map((word) => {
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(`${project}\n${word}`)) hash = Math.imul(hash ^ byte, 0x01000193);
    return hash;
  });
  return [...new Set(keys)];
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
