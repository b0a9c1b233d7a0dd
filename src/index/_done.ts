/** What was done already and must not be done again: turns distilled, memories forgotten. Called by MemoryIndex only. */
import { number, text } from './_columns.ts';
import type { Database } from './_database.ts';

export type TombstoneState = 'hidden' | 'erased' | 'lifted';

export function markDistilled(db: Database, turn: string, by: string): void {
  db.run('INSERT OR REPLACE INTO distilled VALUES (?, ?)', turn, by);
}

export function distilledBy(db: Database, turn: string): string | undefined {
  const row = db.get('SELECT made_by FROM distilled WHERE turn = ?', turn);
  return row && text(row, 'made_by');
}

export function putTombstone(db: Database, memory: string, state: TombstoneState): void {
  db.run('INSERT OR REPLACE INTO tombstone VALUES (?, ?)', memory, state);
}

export function isForgotten(db: Database, memory: string): boolean {
  const row = db.get('SELECT state FROM tombstone WHERE memory = ?', memory);
  return row !== undefined && text(row, 'state') !== 'lifted';
}

export function addRedactions(db: Database, counts: Readonly<Record<string, number>>): void {
  for (const [type, n] of Object.entries(counts)) {
    db.run('INSERT INTO redaction VALUES (?, ?) ON CONFLICT (type) DO UPDATE SET count = count + excluded.count', type, n);
  }
}

export function redactions(db: Database): Readonly<Record<string, number>> {
  const rows = db.all('SELECT type, count FROM redaction ORDER BY count DESC');
  return Object.fromEntries(rows.map((row) => [text(row, 'type'), number(row, 'count')]));
}
