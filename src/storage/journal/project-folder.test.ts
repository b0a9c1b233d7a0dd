import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sampleHead, sampleJournal, sampleMemory } from '../../../test/support/journal-sample.ts';
import { Journal } from './journal.ts';
import { finishMoves, isUnavailable, moveBack, moveProject, targetOf } from './project-folder.ts';

const PROJECT = 'acme-api';
const one = sampleMemory({ title: 'One' });
const two = sampleMemory({ title: 'Two', at: '2026-11-15T15:00:00.000Z' });

async function moved(t: TestContext) {
  const journal = sampleJournal(t);
  await journal.put([one], [sampleHead]);
  writeFileSync(join(journal.root, PROJECT, 'notes.txt'), 'mine');
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-elsewhere-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { journal, folder: join(folder, 'acme') };
}

const titles = (root: string): readonly string[] => {
  const journal = new Journal(root);
  return journal.files().flatMap(({ path }) => journal.read(path).entries.map(({ memory }) => memory.title));
};

test('a project’s journal is moved, written to in its new folder, and moved back', async (t) => {
  const { journal, folder } = await moved(t);
  await moveProject(journal.root, PROJECT, folder);
  assert.equal(targetOf(journal.root, PROJECT), folder);
  assert.deepEqual(readdirSync(journal.root), [PROJECT]);
  assert.equal(readFileSync(join(folder, 'notes.txt'), 'utf8'), 'mine');
  await journal.put([two], [sampleHead]);
  assert.match(readFileSync(join(folder, '2026-11-15.md'), 'utf8'), /Two/);
  assert.deepEqual(titles(journal.root), ['One', 'Two']);
  await moveProject(journal.root, PROJECT, folder);

  await moveBack(journal.root, PROJECT);
  assert.equal(targetOf(journal.root, PROJECT), undefined);
  assert.ok(!lstatSync(join(journal.root, PROJECT)).isSymbolicLink());
  assert.deepEqual(titles(journal.root), ['One', 'Two']);
  assert.ok(existsSync(join(folder, '2026-11-15.md')), 'the other folder keeps what it has');
});

test('files in the other folder are merged by entry, or copied under a new name', async (t) => {
  const { journal, folder } = await moved(t);
  const other = sampleJournal(t);
  await other.put([two], [sampleHead]);
  renameSync(join(other.root, PROJECT), folder);
  writeFileSync(join(folder, 'notes.txt'), 'theirs');
  await moveProject(journal.root, PROJECT, folder);
  assert.deepEqual(titles(journal.root), ['One', 'Two']);
  assert.equal(readFileSync(join(folder, 'notes.txt'), 'utf8'), 'theirs');
  assert.equal(readFileSync(join(folder, 'notes 2.txt'), 'utf8'), 'mine');
});

test('a move interrupted at any step is finished at the next start', async (t) => {
  for (const cut of ['copied', 'linked', 'moved away', 'in place']) {
    const { journal, folder } = await moved(t);
    const at = (name: string): string => join(journal.root, name);
    mkdirSync(folder, { recursive: true });
    if (cut !== 'copied') symlinkSync(folder, at(`.link-${PROJECT}`), 'dir');
    if (cut === 'moved away' || cut === 'in place') renameSync(at(PROJECT), at(`.moved-${PROJECT}`));
    if (cut === 'in place') renameSync(at(`.link-${PROJECT}`), at(PROJECT));
    await finishMoves(journal.root);
    assert.deepEqual(titles(journal.root), ['One'], cut);
    assert.deepEqual(readdirSync(journal.root), [PROJECT], cut);
    const isMoved = cut === 'moved away' || cut === 'in place';
    assert.equal(targetOf(journal.root, PROJECT) !== undefined, isMoved, cut);
  }
});

test('an interrupted move back leaves the journal where it was', async (t) => {
  for (const cut of ['copied', 'link away', 'in place']) {
    const { journal, folder } = await moved(t);
    await moveProject(journal.root, PROJECT, folder);
    const at = (name: string): string => join(journal.root, name);
    mkdirSync(at(`.coming-${PROJECT}`));
    writeFileSync(at(`.coming-${PROJECT}/2026-11-15.md`), readFileSync(join(folder, '2026-11-15.md')));
    if (cut !== 'copied') renameSync(at(PROJECT), at(`.link-${PROJECT}`));
    if (cut === 'in place') renameSync(at(`.coming-${PROJECT}`), at(PROJECT));
    await finishMoves(journal.root);
    assert.deepEqual(titles(journal.root), ['One'], cut);
    assert.deepEqual(readdirSync(journal.root), [PROJECT], cut);
  }
});

test('a missing folder is reported, and nothing is written to another place', async (t) => {
  const { journal, folder } = await moved(t);
  await moveProject(journal.root, PROJECT, folder);
  rmSync(folder, { recursive: true });
  assert.ok(isUnavailable(journal.root, PROJECT));
  await assert.rejects(journal.put([two], [sampleHead]), { code: 'journal.away' });
  assert.match(journal.check()[0]?.reason ?? '', /is missing/);
  await moveBack(journal.root, PROJECT);
  await journal.put([two], [sampleHead]);
  assert.deepEqual(titles(journal.root), ['Two']);
});

test('in a repository the folder is created again, because git deletes it with its last file', async (t) => {
  const { journal, folder } = await moved(t);
  const target = join(folder, '.tidemark', 'journal');
  await moveProject(journal.root, PROJECT, target);
  rmSync(join(folder, '.tidemark'), { recursive: true });
  await journal.put([two], [sampleHead]);
  assert.ok(existsSync(join(target, '2026-11-15.md')));
});

test('a repository inside the project’s folder is not left behind', async (t) => {
  const { journal, folder } = await moved(t);
  mkdirSync(join(journal.root, PROJECT, '.git'));
  await assert.rejects(moveProject(journal.root, PROJECT, folder), { code: 'usage' });
  assert.deepEqual(titles(journal.root), ['One']);
});
