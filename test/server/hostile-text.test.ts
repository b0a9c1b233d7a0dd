/** Names of teams, members and keys cannot command the operator's terminal. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forbiddenIn, HOSTILE, HOSTILE_NAME as BAD } from '../support/hostile-text.ts';
import { Machine } from '../support/machine.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { operator } from './_operator.ts';

const { skip } = postgresql;
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});
after(async () => {
  await postgres?.remove();
});

test('the operator commands print hostile names without their sequences', { skip }, async (t) => {
  const machine = Machine.open(t);
  const run = operator(machine, await postgres.newOwnedDatabase());
  for (const args of [
    ['init', '--team', BAD, '--owner', `Ada ${BAD}`],
    ['init', '--team', BAD, '--owner', BAD],
    ['team', 'list'],
    ['member', 'add', `Ben ${BAD}`],
    ['member', 'list'],
    ['member', 'role', `Ben ${BAD}`, 'reader'],
    ['member', 'remove', HOSTILE, '--yes'],
    ['key', 'create', '--member', `Ben ${BAD}`, '--name', BAD],
    ['key', 'list'],
    ['key', 'revoke', HOSTILE],
    ['member', 'remove', `Ben ${BAD}`, '--dry-run'],
    ['settings', 'set', HOSTILE, HOSTILE],
    ['status'],
    ['doctor'],
    ['team', 'list', '--team', HOSTILE],
  ])
    for (const form of [args, [...args, '--json']]) {
      const { stdout, stderr } = await run(...form);
      const shown = `${stdout}${stderr}`;
      assert.deepEqual(forbiddenIn(shown), [], `${JSON.stringify(form)}: ${JSON.stringify(shown)}`);
    }
  const listed = await run('member', 'list', '--json');
  const names = (JSON.parse(listed.stdout) as { name: string }[]).map(({ name }) => name);
  assert.ok(names.includes(`Ben ${BAD}`), JSON.stringify(names));
  assert.equal((await run('member', 'list')).stdout.trim().split('\n').length, names.length);
});
