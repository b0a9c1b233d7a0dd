import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleHead, sampleJournal, sampleMemory } from '../../../test/support/journal-sample.ts';
import { isCopy } from './folders.ts';
import { Journal } from './journal.ts';
import { mergeFiles } from './merge/folder.ts';
import type { SharedTombstone } from './types.ts';

const one = sampleMemory({ title: 'One' });
const two = sampleMemory({ title: 'Two', at: '2026-11-15T15:00:00.000Z' });
const word: SharedTombstone = {
  memory: one.id,
  at: '2026-11-15T16:00:00.000Z',
  turn: 't1',
  hash: 'h',
  state: 'hidden',
};

for (const [name, expected] of [
  ['2026-11-15 (conflicted copy 2026-11-15 101500).md', true],
  ["2026-11-15.desk (Ada's conflicted copy 2026-11-15).md", true],
  ['2026-11-15.sync-conflict-20261115-101500-ABCDEFG.md', true],
  ['2026-11-15.desk.sync-conflict-20261115-101500-ABCDEFG.md', true],
  ['2026-09.sync-conflict-20261115-101500-ABCDEFG.md', true],
  ['2026-11-15 (1).md', true],
  ['2026-11-15 2.md', true],
  ['2026-11-15.md', false],
  ['2026-11-15.desk.md', false],
  ['2026-11-15-notes.md', false],
] as const) {
  test(`${name} ${expected ? 'is' : 'is not'} a copy of a syncing tool`, () => {
    assert.equal(isCopy(`acme-api/${name}`), expected);
  });
}

test('a named machine writes its own files, and older files are shared by all machines', async (t) => {
  const alone = sampleJournal(t);
  await alone.put([one], [sampleHead]);
  const desk = new Journal(alone.root, { machine: 'desk' });
  const laptop = new Journal(alone.root, { machine: 'laptop' });
  t.after(() => Promise.all([desk.close(), laptop.close()]));
  await desk.put([two], [sampleHead]);
  assert.deepEqual(readdirSync(join(alone.root, 'acme-api')), ['2026-11-15.desk.md', '2026-11-15.md']);
  const { updated } = await laptop.put([{ ...one, state: 'superseded', supersededBy: two.id }], []);
  assert.deepEqual(updated, [one.id]);
  const { skipped } = await laptop.put([{ ...two, seen: 2 }], []);
  assert.deepEqual(skipped, [two.id], 'entries in another machine’s file are skipped');
  assert.equal(laptop.userChanges([two.id]).get(two.id)?.elsewhere, true);
  assert.equal(laptop.userChanges([one.id]).get(one.id)?.elsewhere, undefined);
});

test('a copy that cannot be merged is reported and stays', async (t) => {
  const journal = sampleJournal(t, { machine: 'desk' });
  await journal.put([one], [sampleHead]);
  const folder = join(journal.root, 'acme-api');
  const text = readFileSync(join(folder, '2026-11-15.desk.md'), 'utf8');
  writeFileSync(join(folder, '2026-11-15.laptop (conflicted copy).md'), text);
  writeFileSync(join(folder, '2026-11-15.desk (conflicted copy).md'), `${text}\n### use pnpm\n`);
  assert.deepEqual(await journal.mergeCopies(), ['acme-api/2026-11-15.desk (conflicted copy).md']);
  assert.deepEqual(
    journal.read('acme-api/2026-11-15.desk.md').entries.map(({ memory }) => memory.title),
    ['use pnpm', 'One'],
  );
  const [problem, ...more] = journal.check();
  assert.match(problem?.file ?? '', /laptop \(conflicted copy\)/);
  assert.deepEqual(more, []);
});

test('the latest tombstone of any machine counts, in any order of the lines', async (t) => {
  const desk = sampleJournal(t, { machine: 'desk' });
  const laptop = new Journal(desk.root, { machine: 'laptop' });
  t.after(() => laptop.close());
  await desk.shareTombstones('acme-api', [word]);
  await desk.shareTombstones('acme-api', [word]);
  assert.deepEqual(desk.sharedTombstones().get('acme-api'), [word]);
  const lifted = { ...word, at: '2026-11-15T17:00:00.000Z', state: 'lifted' } as const;
  await laptop.shareTombstones('acme-api', [lifted]);
  assert.deepEqual(desk.sharedTombstones().get('acme-api'), [lifted]);
  await desk.shareTombstones('acme-api', [{ ...word, state: 'erased' }]);
  assert.deepEqual(
    laptop.sharedTombstones().get('acme-api'),
    [lifted],
    'an erased tombstone has the time it was forgotten',
  );
  const list = readFileSync(join(desk.root, 'acme-api', 'forgotten.desk.jsonl'), 'utf8');
  assert.equal(list.trimEnd().split('\n').length, 2);
});

test('the readable lines of a damaged list are read', (t) => {
  const journal = sampleJournal(t);
  const line = JSON.stringify(word);
  mkdirSync(join(journal.root, 'acme-api'));
  writeFileSync(
    join(journal.root, 'acme-api', 'forgotten.jsonl'),
    `<<<<<<< HEAD\n${line}\n=======\n{"memory":"../x"}\n>>>>>>> b\n${line.slice(0, 20)}`,
  );
  assert.deepEqual([...journal.sharedTombstones().values()], [[word]]);
  assert.equal(mergeFiles({ base: '', ours: 'a\n', theirs: 'b\na' }, 'x/forgotten.jsonl'), 'a\nb\n');
});

test('a file that is not part of the journal is not merged', () => {
  assert.equal(mergeFiles({ base: '', ours: 'a', theirs: 'b' }, 'docs/README.md'), undefined);
});
