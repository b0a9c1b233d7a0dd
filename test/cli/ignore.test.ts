/** `tidemark ignore`: keeps Tidemark out of a project, with nothing written into it. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

test('ignore keeps a project out of capture, recall and import until it is removed', async (t) => {
  const machine = Machine.open(t);
  const below = join(machine.project, 'src');
  mkdirSync(join(machine.project, '.git', 'objects'), { recursive: true });
  mkdirSync(join(machine.project, '.git', 'refs'));
  writeFileSync(join(machine.project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  mkdirSync(below);
  const before = readdirSync(machine.project);
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('ignored'),
  });
  transcript.append({ prompt: 'From now on we never use floats for money.', answer: 'All right.' });
  transcript.finish();
  const turns = async (): Promise<number> =>
    (JSON.parse((await machine.cli(['import', 'history', '--json'])).stdout) as { turns: number }).turns;

  const done = await machine.cli(['ignore'], { cwd: below });
  assert.equal(done.code, 0, done.stderr);
  assert.equal(done.stdout, `Ignored: ${machine.project}\n`, 'the whole project');
  assert.match(done.stderr, /Nothing is captured or recalled there, and import history skips its sessions\./);
  assert.match(done.stderr, /Existing memories stay\. To forget them, run there: tidemark clear-facts /);
  assert.ok(done.stderr.includes(`tidemark ignore --remove ${machine.project}\n`), done.stderr);
  assert.deepEqual(readdirSync(machine.project), before, 'nothing is written into the project');
  assert.equal((await machine.cli(['ignore', '--list'])).stdout, `${machine.project}\n`);
  assert.equal(await turns(), 0);

  const ended = await machine.cli(['exclude', '--remove', machine.project]);
  assert.equal(ended.stdout, `No longer ignored: ${machine.project}\n`);
  assert.match(ended.stderr, /tidemark import history/);
  assert.equal(await turns(), 1);
  const again = await machine.cli(['ignore', '--remove']);
  assert.equal(again.code, 3);
  assert.match(again.stderr, /is not in the list of ignored folders/);
});

test('ignore names the file that still excludes a folder, and other help names ignore', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['ignore']);
  writeFileSync(join(machine.project, '.tidemark-ignore'), '');
  const { stdout } = await machine.cli(['ignore', '--remove']);
  assert.match(stdout, /is still ignored: delete .*\.tidemark-ignore/);
  for (const args of [
    ['--help', '--all'],
    ['pause', '--help'],
  ])
    assert.match((await machine.cli(args)).stdout, /\bignore\b/);
});
