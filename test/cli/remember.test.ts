/** The receipt of `remember`, and memories that follow the user into every project and every agent. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortId, type Memory } from '../../src/core/index.ts';
import type { Receipt } from '../../src/recall/index.ts';
import { Machine, type Ran } from '../support/machine.ts';

test('remember prints a receipt, with the same fields as JSON', async (t) => {
  const machine = Machine.open(t);
  const decision = ['remember', 'Refresh tokens rotate on every use', '--kind', 'decision'];
  const printed = await machine.cli([...decision, '--file', 'src/token.ts']);
  assert.equal(printed.code, 0, printed.stderr);
  const [id = ''] = printed.stdout.split(/\s/);
  assert.match(printed.stdout, /^\S+ {2}decision · Refresh tokens rotate on every use\n$/);
  assert.match(
    printed.stderr,
    /^Appears in this project's brief; with prompts about refresh, tokens, rotate; when src\/token\.ts is read or changed\.$/m,
  );
  assert.ok(printed.stderr.includes(`Undo: tidemark forget ${id}\n`), printed.stderr);

  const asJson = await machine.cli(['remember', 'Mail goes out at noon', '--json']);
  const receipt = JSON.parse(asJson.stdout) as Memory & Receipt;
  assert.equal(receipt.title, 'Mail goes out at noon');
  assert.equal(receipt.undo, `tidemark forget ${shortId(receipt.id)}`);
  assert.deepEqual(receipt.appears, [
    "in this project's brief, by its title",
    'with prompts about mail, noon',
  ]);
  const undone = await machine.cli(['forget', id, receipt.id]);
  assert.equal(undone.code, 0, undone.stderr);
  assert.deepEqual(await machine.call('read.memories', { limit: 10 }), []);
});

test('a preference for every project reaches new projects, other agents and sessions after a compaction', async (t) => {
  const machine = Machine.open(t);
  const made = await machine.cli(['remember', 'Answer in German', '--kind', 'preference', '--everywhere']);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, /Appears in the brief of every project, with every agent/);
  const project = join(machine.root, 'another');
  mkdirSync(project);
  const start = (source: string, agent?: string): Promise<Ran> =>
    machine.hook(
      'SessionStart',
      { session_id: `s-${source}-${agent ?? ''}`, source },
      { project, ...(agent ? { agent } : {}) },
    );
  for (const source of ['startup', 'compact', 'resume'])
    assert.match((await start(source)).stdout, /Answer in German/, source);
  for (const source of ['startup', 'compact'])
    for (const agent of ['codex', 'qwen'])
      assert.match((await start(source, agent)).stdout, /Answer in German/, `${agent} ${source}`);
});

test('edit changes whether a memory applies here or everywhere', async (t) => {
  const machine = Machine.open(t);
  const made = await machine.cli(['remember', 'Small commits', '--kind', 'preference', '--json']);
  const { id, project } = JSON.parse(made.stdout) as Memory;
  const everywhere = await machine.cli(['edit', id, '--everywhere']);
  assert.equal(everywhere.code, 0, everywhere.stderr);
  assert.match(everywhere.stderr, /Appears in the brief of every project/);
  assert.equal((await machine.call('read.show', { ids: [id] }))[0]?.memory.project, 'personal');

  const again = await machine.cli(['edit', id, '--everywhere']);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /already applies everywhere/);
  const both = await machine.cli(['edit', id, '--everywhere', '--here']);
  assert.equal(both.code, 2);

  const here = await machine.cli([
    'edit',
    id,
    '--here',
    '--title',
    'Small commits, one change each',
    '--json',
  ]);
  assert.equal(here.code, 0, here.stderr);
  const moved = JSON.parse(here.stdout) as Memory;
  assert.deepEqual([moved.project, moved.title], [project, 'Small commits, one change each']);
});

test('the receipt says that no session gets the memory where Tidemark is paused or the folder ignored', async (t) => {
  const machine = Machine.open(t);
  const add = async (...args: string[]) => (await machine.cli(['remember', ...args])).stderr;
  await machine.cli(['pause']);
  const paused = await add('Mail goes out at noon');
  assert.match(paused, /^Appears in search only for now\.\nPaused in .* Resume with: tidemark resume$/m);
  assert.match(await add('Answer in German', '--everywhere'), /^Appears in the brief of every project/m);
  await machine.cli(['resume']);
  await machine.cli(['ignore']);
  const ignored = await add('Uploads go to the object store');
  assert.match(ignored, /^Appears in search only for now\.\nThis folder is ignored /m);
  await machine.cli(['ignore', '--remove']);
  assert.match(await add('The report runs at four'), /^Appears in this project's brief/m);
});

test('show takes four characters of a short id, and names the command that restores a forgotten memory', async (t) => {
  const machine = Machine.open(t);
  const [id = ''] = (await machine.cli(['remember', 'Mail goes out at noon'])).stdout.split(/\s/);
  assert.match((await machine.cli(['show', id.slice(0, 4)])).stdout, /Mail goes out at noon/);
  await machine.cli(['forget', id]);
  const gone = await machine.cli(['show', id]);
  assert.equal(gone.code, 3);
  assert.ok(gone.stderr.includes(`hint: Restore it with: tidemark forget --undo ${id}\n`), gone.stderr);
});
