import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleHead, sampleJournal, sampleMemory } from '../../../test/support/journal-sample.ts';
import { isCopy } from './folders.ts';
import { Journal } from './journal.ts';
import { mergeFiles } from './merge/files.ts';
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
  ['MEMORY.md', false],
] as const) {
  test(`${name} ${expected ? 'is' : 'is not'} a copy of a syncing tool`, () => {
    assert.equal(isCopy(`acme-api/${name}`), expected);
  });
}

test('with a name a machine writes to files of its own, and what was there before is everybody’s', async (t) => {
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
  assert.deepEqual(skipped, [two.id], 'what stands in another machine’s file is left to it');
  assert.equal(laptop.hands([two.id]).get(two.id)?.elsewhere, true);
  assert.equal(laptop.hands([one.id]).get(one.id)?.elsewhere, undefined);
});

test('a copy that cannot be taken in is named, and stays', async (t) => {
  const journal = sampleJournal(t, { machine: 'desk' });
  await journal.put([one], [sampleHead]);
  const folder = join(journal.root, 'acme-api');
  const text = readFileSync(join(folder, '2026-11-15.desk.md'), 'utf8');
  writeFileSync(join(folder, '2026-11-15.laptop (conflicted copy).md'), text);
  writeFileSync(join(folder, '2026-11-15.desk (conflicted copy).md'), `${text}\n### use pnpm\n`);
  assert.deepEqual(await journal.takeCopies(), ['acme-api/2026-11-15.desk (conflicted copy).md']);
  assert.deepEqual(
    journal.read('acme-api/2026-11-15.desk.md').entries.map(({ memory }) => memory.title),
    ['use pnpm', 'One'],
  );
  const [problem, ...more] = journal.check();
  assert.match(problem?.file ?? '', /laptop \(conflicted copy\)/);
  assert.deepEqual(more, []);
});

test('the last word of any machine on what was forgotten counts, in whichever order the lines stand', async (t) => {
  const desk = sampleJournal(t, { machine: 'desk' });
  const laptop = new Journal(desk.root, { machine: 'laptop' });
  t.after(() => laptop.close());
  await desk.bury('acme-api', [word]);
  await desk.bury('acme-api', [word]);
  assert.deepEqual(desk.buried().get('acme-api'), [word]);
  const lifted = { ...word, at: '2026-11-15T17:00:00.000Z', state: 'lifted' } as const;
  await laptop.bury('acme-api', [lifted]);
  assert.deepEqual(desk.buried().get('acme-api'), [lifted]);
  await desk.bury('acme-api', [{ ...word, state: 'erased' }]);
  assert.deepEqual(laptop.buried().get('acme-api'), [lifted], 'erased tells when it was forgotten');
  const list = readFileSync(join(desk.root, 'acme-api', 'forgotten.desk.jsonl'), 'utf8');
  assert.equal(list.trimEnd().split('\n').length, 2);
});

test('a list that a merge has torn, or that somebody wrote into, is read as far as it can be', (t) => {
  const journal = sampleJournal(t);
  const line = JSON.stringify(word);
  mkdirSync(join(journal.root, 'acme-api'));
  writeFileSync(
    join(journal.root, 'acme-api', 'forgotten.jsonl'),
    `<<<<<<< HEAD\n${line}\n=======\n{"memory":"../x"}\n>>>>>>> b\n${line.slice(0, 20)}`,
  );
  assert.deepEqual([...journal.buried().values()], [[word]]);
  assert.equal(mergeFiles({ base: '', ours: 'a\n', theirs: 'b\na' }, 'x/forgotten.jsonl'), 'a\nb\n');
});

test('a file that is none of the journal’s is not merged', () => {
  assert.equal(mergeFiles({ base: '', ours: 'a', theirs: 'b' }, 'docs/README.md'), undefined);
});
