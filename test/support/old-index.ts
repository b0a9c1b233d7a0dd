/** Makes an index file as earlier versions of Tidemark made it, up to schema 13. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const SCHEMA_13 = readFileSync(new URL('../fixtures/index/schema-13.sql', import.meta.url), 'utf8');
const MEMORY = `row, id, kind, state, title, body, facts, concepts, files, project, at, agent, session, turn, messages,
  made_by, content_hash`;

/** Writes the memories and vectors of a current index into a new file with the tables of an older version. */
export function copyToOldIndex(current: string, old: string, version: number): void {
  const db = new DatabaseSync(old);
  db.exec(SCHEMA_13);
  db.exec(`DELETE FROM schema_version WHERE version > ${version}`);
  db.prepare('ATTACH DATABASE ? AS current').run(current);
  db.exec(`INSERT INTO memory (${MEMORY}) SELECT ${MEMORY} FROM current.memory`);
  for (const table of ['meta', 'memory_vector', 'memory_code'])
    db.exec(`INSERT INTO ${table} SELECT * FROM current.${table}`);
  db.close();
}

/** Replaces an index that no process has open by one of an older version. */
export function replaceByOldIndex(index: string, version: number): void {
  const old = `${index}.old`;
  copyToOldIndex(index, old, version);
  for (const suffix of ['', '-wal', '-shm']) rmSync(index + suffix, { force: true });
  renameSync(old, index);
}
