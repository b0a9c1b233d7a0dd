/** Old days fold into months by themselves, and nothing about what is remembered changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesOf } from '../support/damage.ts';
import { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { answersOf } from './_answers.ts';
import { makeHistory, takeIn } from './_history.ts';

test('old days are archived by month without changing any answer, also after a reindex', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  assert.ok(filesOf(machine, 'memories').every((name) => !name.includes('archive')));

  const dry = await machine.cli(['archive', '--days', '30', '--dry-run']);
  assert.match(dry.stdout, /Would move 3 days \(\d+ memories\) into 2 monthly files/, dry.stderr);

  await machine.stopDaemon();
  machine.setEnv({ TIDEMARK_JOURNAL_ARCHIVE_DAYS: '30' });
  await machine.drained();
  const folded = () =>
    filesOf(machine, 'memories').filter((name) => name.endsWith('2026-03.md')).length === 2 &&
    filesOf(machine, 'memories').every((name) => !/2026-03-\d\d\.md$/.test(name));
  await waitFor('an archive for each project, and no days', folded);
  assert.deepEqual(await answersOf(machine, history.projects), before);

  assert.equal((await machine.cli(['reindex'])).code, 0);
  assert.deepEqual(await answersOf(machine, history.projects), before);
  const again = await machine.cli(['archive', '--json']);
  assert.deepEqual(JSON.parse(again.stdout), { days: 0, entries: 0, months: [], skipped: [] });
});
