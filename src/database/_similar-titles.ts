/**
 * Finds memories that may say the same by the words of their titles. Complete, unlike full text: a common word never
 * hides a candidate.
 */
import type { Memory } from '../core/index.ts';
import { list, number, text } from './columns.ts';
import type { Database } from './connection.ts';
import { titleWords } from './text/tokens.ts';

/** Similar titles share at least one word of this many words of the shorter title. */
const SHARED_OF = 3;

export function putTitle(db: Database, { id, project, title }: Memory): void {
  removeTitle(db, id);
  const keys = keysOf(project, titleWords(title));
  const row = db.insert('INSERT INTO kin (memory, words) VALUES (?, ?)', id, JSON.stringify(keys));
  for (const key of keys) db.run('INSERT INTO kin_word VALUES (?, ?)', key, row);
}

export function removeTitle(db: Database, memory: string): void {
  const known = db.get('SELECT row, words FROM kin WHERE memory = ?', memory);
  if (!known) return;
  const keys = list(known, 'words').map(Number);
  for (const key of keys)
    db.run('DELETE FROM kin_word WHERE word = ? AND kin = ?', key, number(known, 'row'));
  db.run('DELETE FROM kin WHERE row = ?', number(known, 'row'));
}

/** Returns the ids of entries and merged memories of a project whose titles share enough of these words, in order. */
export function similarTitles(db: Database, project: string, words: readonly string[]): readonly string[] {
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
 * Hashes each word of a project to a 32-bit number (FNV-1a), because numbers take a quarter of the space. A collision
 * only adds a candidate, which is then compared by its words.
 */
function keysOf(project: string, words: readonly string[]): readonly number[] {
  const keys = words.map((word) => {
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(`${project}\n${word}`)) hash = Math.imul(hash ^ byte, 0x01000193);
    return hash;
  });
  return [...new Set(keys)];
}
