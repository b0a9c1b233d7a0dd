/** Folders of Markdown notes: found in place, quoted, never injected, and gone when they are removed. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import type { NotesReport } from '../../src/exchange/import/index.ts';
import { leaksIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';

const KEY = `AKIA${'QXRZ7WNM3KVT5PLH'}`;

function open(t: TestContext) {
  const machine = Machine.open(t);
  const folder = join(machine.root, 'notes');
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write(
    'ops/deploy.md',
    '# Deploying\n\n## Rollback\nAlways run `wharf undo` first.\n```sh\n# not a heading\n```\n',
  );
  write('keys.markdown', `The staging key is ${KEY} for now.\n`);
  write('.hidden.md', 'zebrafish');
  write('node_modules/x/readme.md', 'zebrafish');
  write('data.txt', 'zebrafish');
  symlinkSync(join(machine.root, 'outside.md'), join(folder, 'link.md'));
  writeFileSync(join(machine.root, 'outside.md'), 'zebrafish');
  const add = async (...args: readonly string[]): Promise<NotesReport> => {
    const { stdout, stderr } = await machine.cli(['import', 'markdown', folder, '--json', ...args]);
    assert.ok(stdout.startsWith('{'), stderr);
    return JSON.parse(stdout) as NotesReport;
  };
  const found = async (words: string, cwd = machine.project): Promise<readonly Memory[]> => {
    const { stdout } = await machine.cli(['search', words, '--json'], { cwd });
    return (JSON.parse(stdout) as { hits: { memory: Memory }[] }).hits.map(({ memory }) => memory);
  };
  return { machine, folder, write, add, found };
}

test('notes are found by heading and file, as quoted text, redacted, and nothing is copied', async (t) => {
  const { machine, folder, add, found } = open(t);
  const { files, parts, added } = await add();
  assert.deepEqual([files, parts, added], [2, 2, 2]);
  const [note] = await found('wharf undo rollback');
  assert.equal(note?.title, join('ops', 'deploy.md') + ': Deploying › Rollback');
  assert.match(note?.body ?? '', /# not a heading/);
  assert.deepEqual([note?.kind, note?.evidence], ['discovery', 'quoted']);
  assert.equal(note?.provenance.agent, 'notes');
  assert.deepEqual(await found('zebrafish'), []);
  assert.deepEqual(leaksIn(machine.places.home, [{ name: 'key', text: KEY }]), []);
  assert.deepEqual(await memoriesOf(machine), []);
  const shown = await machine.cli(['show', note?.id ?? '']);
  assert.ok(shown.stdout.includes(join(folder, 'ops', 'deploy.md')), shown.stdout);
});

test('a second run adds nothing; changes and deletions are read; an index that is rebuilt has the same', async (t) => {
  const { machine, folder, write, add, found } = open(t);
  await add();
  assert.equal((await add()).added, 0);
  write('ops/deploy.md', '# Deploying\n\n## Rollback\nRun `pontoon back` instead.\n');
  write('new.md', 'The quayside is new.\n');
  rmSync(join(folder, 'keys.markdown'));
  assert.equal((await add()).added, 1);
  assert.match((await found('rollback'))[0]?.body ?? '', /pontoon/);
  assert.equal((await found('quayside')).length, 1);
  assert.deepEqual(await found('staging key'), []);
  await machine.call('reindex', {});
  assert.equal((await found('quayside')).length, 1);
});

test('notes are never injected: not in the brief, and not with a prompt', async (t) => {
  const { machine, add } = open(t);
  await add();
  const brief = await machine.cli(['brief']);
  assert.equal(brief.stdout, '');
  const { body } = await machine
    .hook('UserPromptSubmit', {
      session_id: 'a1b2c3d4-0000-4000-8000-000000000001',
      transcript_path: join(machine.root, 'none.jsonl'),
      prompt: 'How do we do a rollback with wharf undo when deploying?',
      prompt_id: 'p1',
    })
    .then(({ stdout }) => ({ body: stdout }));
  assert.doesNotMatch(body, /wharf undo/);
});

test('a folder is found in its project or everywhere, is listed, and is gone when it is removed', async (t) => {
  const { machine, folder, add, found } = open(t);
  const other = join(machine.root, 'other');
  mkdirSync(other);
  await machine.cli(['remember', 'Another project'], { cwd: other });
  await add();
  assert.deepEqual(await found('rollback', other), []);
  await add('--everywhere');
  assert.equal((await found('rollback', other)).length, 1);
  assert.equal((await found('rollback')).length, 1);
  const listed = await machine.cli(['import', 'markdown']);
  assert.match(listed.stdout, /notes {2}2 files · found in every project\n$/);
  assert.equal((await machine.cli(['import', 'markdown', folder, '--remove'])).code, 0);
  assert.deepEqual(await found('rollback'), []);
  await machine.call('reindex', {});
  assert.deepEqual(await found('rollback'), []);
  const again = await machine.cli(['import', 'markdown', folder, '--remove']);
  assert.equal(again.code, 3);
});

test('a dry run changes nothing, and a file or our own data folder is refused', async (t) => {
  const { machine, folder, add, found } = open(t);
  assert.deepEqual([(await add('--dry-run')).parts, await found('rollback')], [2, []]);
  for (const path of [join(folder, 'data.txt'), join(folder, 'nowhere')])
    assert.equal((await machine.cli(['import', 'markdown', path])).code, 3);
  assert.equal((await machine.cli(['import', 'markdown', machine.places.home])).code, 2);
});
