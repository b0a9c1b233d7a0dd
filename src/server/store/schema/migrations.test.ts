import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS, newestMigration } from './migrations.ts';

/** What takes away or narrows something that a server of the release before still uses. */
const CONTRACTS =
  /\bDROP (?:TABLE|COLUMN|FUNCTION|SCHEMA|POLICY)\b|\bRENAME\b|\bALTER COLUMN \w+ (?:SET DATA )?TYPE\b|\bSET NOT NULL\b/i;

test('migrations are numbered without a gap', () => {
  assert.deepEqual(
    MIGRATIONS.map(({ number }) => number),
    MIGRATIONS.map((_, i) => i + 1),
  );
  assert.equal(newestMigration(), MIGRATIONS.length);
});

test('a migration only adds, so that the release before goes on with it; one that takes away says so', () => {
  for (const { number, name, sql } of MIGRATIONS)
    if (!name.startsWith('contract: ')) assert.doesNotMatch(sql, CONTRACTS, `${number} ${name}`);
});
