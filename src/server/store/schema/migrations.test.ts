import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TidemarkError } from '../../../core/index.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS, newestMigration } from './migrations.ts';

/** Statements that remove or narrow something a server of the previous release still uses. */
const CONTRACTS =
  /\bDROP (?:TABLE|COLUMN|FUNCTION|SCHEMA|POLICY)\b|\bRENAME\b|\bALTER COLUMN \w+ (?:SET DATA )?TYPE\b|\bSET NOT NULL\b/i;

test('migrations are numbered without gaps', () => {
  assert.deepEqual(
    MIGRATIONS.map(({ number }) => number),
    MIGRATIONS.map((_, i) => i + 1),
  );
  assert.equal(newestMigration(), MIGRATIONS.length);
});

test('a migration only adds, unless its name begins with contract', () => {
  for (const { number, name, sql } of MIGRATIONS)
    if (!name.startsWith('contract: ')) assert.doesNotMatch(sql, CONTRACTS, `${number} ${name}`);
});

test('a version that is too old is named', async () => {
  const ask = async () => ({ rows: [{ number: 140_012, version: '14.12', recovery: false }] });
  await assert.rejects(migrate(ask), (error: TidemarkError) => {
    assert.equal(error.code, 'database-too-old');
    assert.match(`${error.message} ${error.hint}`, /PostgreSQL 14\.12.*15 or newer/);
    return true;
  });
});
