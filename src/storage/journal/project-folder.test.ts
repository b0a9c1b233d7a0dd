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
import { bringBack, finishMoves, isAway, moveProject, targetOf } from './project-folder.ts';

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

test('a project’s journal is moved, written to where it is, and brought back', async (t) => {
  const { journal, folder } = await moved(t);
  await moveProject(journal.root, PROJECT, folder);
  assert.equal(targetOf(journal.root, PROJECT), folder);
  assert.deepEqual(readdirSync(journal.root), [PROJECT]);
  assert.equal(readFileSync(join(folder, 'notes.txt'), 'utf8'), 'mine');
  await journal.put([two], [sampleHead]);
  assert.match(readFileSync(join(folder, '2026-11-15.md'), 'utf8'), /Two/);
  assert.deepEqual(titles(journal.root), ['One', 'Two']);
  await moveProject(journal.root, PROJECT, folder);

  await bringBack(journal.root, PROJECT);
  assert.equal(targetOf(journal.root, PROJECT), undefined);
  assert.ok(!lstatSync(join(journal.root, PROJECT)).isSymbolicLink());
  assert.deepEqual(titles(journal.root), ['One', 'Two']);
  assert.ok(existsSync(join(folder, '2026-11-15.md')), 'the other folder keeps what it has');
});

test('what stands in the other folder already is joined by entry, and what cannot be is put beside', async (t) => {
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

test('a move that was cut short at any step is ended at the next opening', async (t) => {
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

test('coming back cut short, it is where it was', async (t) => {
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

test('a folder that is not there is said to be away, and nothing is written elsewhere instead', async (t) => {
  const { journal, folder } = await moved(t);
  await moveProject(journal.root, PROJECT, folder);
  rmSync(folder, { recursive: true });
  assert.ok(isAway(journal.root, PROJECT));
  await assert.rejects(journal.put([two], [sampleHead]), { code: 'journal.away' });
  assert.match(journal.check()[0]?.reason ?? '', /is not there/);
  assert.equal(await journal.changeProjectPage(PROJECT, () => 'page'), false);
  await bringBack(journal.root, PROJECT);
  await journal.put([two], [sampleHead]);
  assert.deepEqual(titles(journal.root), ['Two']);
});

test('in a repository the folder is made again: git takes it away with its last file', async (t) => {
  const { journal, folder } = await moved(t);
  const target = join(folder, '.tidemark', 'journal');
  await moveProject(journal.root, PROJECT, target);
  rmSync(join(folder, '.tidemark'), { recursive: true });
  await journal.put([two], [sampleHead]);
  assert.ok(existsSync(join(target, '2026-11-15.md')));
});

test('a repository of its own in the project’s folder is not left behind', async (t) => {
  const { journal, folder } = await moved(t);
  mkdirSync(join(journal.root, PROJECT, '.git'));
  await assert.rejects(moveProject(journal.root, PROJECT, folder), { code: 'usage' });
  assert.deepEqual(titles(journal.root), ['One']);
});
