import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleHead, sampleJournal, sampleMemory } from '../../../test/support/journal-sample.ts';
import type { Journal } from './journal.ts';

const MONTH = 'acme-api/archive/2026-09.md';
const first = sampleMemory({ at: '2026-09-03T10:00:00.000Z', title: 'First' });
const second = sampleMemory({ at: '2026-09-17T11:00:00.000Z', title: 'Second' });
const october = sampleMemory({ at: '2026-10-02T11:00:00.000Z', title: 'October' });
const young = sampleMemory({ title: 'Young' });
const head = {
  ...sampleHead,
  startedAt: '2026-09-03T09:59:00.000Z',
  summary: {
    request: 'Rotate',
    investigated: '',
    learned: 'Families',
    completed: '',
    next_steps: '',
    files_read: '',
    files_edited: '',
    notes: '',
  },
};

const day = (memory: { readonly at: string }): string => `acme-api/${memory.at.slice(0, 10)}.md`;
const isThere = (journal: Journal, path: string): boolean => existsSync(join(journal.root, path));
const text = (journal: Journal, path: string): string => readFileSync(join(journal.root, path), 'utf8');

test('old days are archived by month in order and read as before', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([second, first, october, young], [head]);
  const days = [first, second].map((memory) => text(journal, day(memory)).trim());
  const report = await journal.archive('2026-10-15');
  assert.deepEqual(report, {
    days: 3,
    entries: 3,
    months: [MONTH, 'acme-api/archive/2026-10.md'],
    skipped: [],
  });
  assert.equal(text(journal, MONTH), `${days.join('\n\n')}\n`);
  assert.deepEqual(
    journal.read(MONTH).entries.map(({ memory }) => memory),
    [first, second],
  );
  assert.equal(journal.read(MONTH).sessions[0]?.summary?.learned, 'Families');
  assert.deepEqual([isThere(journal, day(first)), isThere(journal, day(young))], [false, true]);
  assert.deepEqual((await journal.archive('2026-10-15')).days, 0);
});

test('an archived entry keeps its id through edits and verbs and is not written again', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([first], [head]);
  await journal.archive('2026-10-15');
  await journal.put([first], [head]);
  assert.equal(journal.find(first.id)?.path, MONTH);
  assert.equal(isThere(journal, day(first)), false);
  await journal.update(first.id, { title: 'Changed' });
  assert.equal(journal.find(first.id)?.memory.title, 'Changed');
  assert.deepEqual(await journal.remove([first.id]), [first.id]);
  assert.equal(journal.find(first.id), undefined);
});

test('a late entry of an archived day is added to that day', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([first, second], [head]);
  await journal.archive('2026-10-15');
  const late = sampleMemory({ at: '2026-09-03T12:00:00.000Z', title: 'Late' });
  await journal.put([late], [head]);
  await journal.archive('2026-10-15');
  assert.deepEqual(
    journal.read(MONTH).entries.map(({ memory }) => memory.title),
    ['First', 'Late', 'Second'],
  );
  assert.deepEqual(journal.check(), []);
});

test('a crash after writing the archive duplicates nothing', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([first], [head]);
  const before = text(journal, day(first));
  await journal.archive('2026-10-15');
  const archive = text(journal, MONTH);
  writeFileSync(join(journal.root, day(first)), before);
  assert.equal((await journal.archive('2026-10-15')).days, 1);
  assert.equal(text(journal, MONTH), archive);
  assert.equal(isThere(journal, day(first)), false);
});

test('notes, entries without an id and days without a heading are archived too', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([first], [head]);
  const path = join(journal.root, day(first));
  writeFileSync(path, text(journal, day(first)).replace(/^# .*\n/, 'A note of mine.\n'));
  appendFileSync(path, '\n### use pnpm\n\nIt is faster.\n\n## Notes\nkept as they are\n');
  const titles = journal.read(day(first)).entries.map(({ memory }) => memory);
  const { skipped } = await journal.archive('2026-10-15');
  assert.deepEqual(skipped, []);
  assert.deepEqual(
    journal.read(MONTH).entries.map(({ memory }) => memory),
    titles,
  );
  assert.match(text(journal, MONTH), /A note of mine\.[^]*## Notes\nkept as they are/);
});

test('a day that would read differently stays and is reported with the reason', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([first, second], [head]);
  appendFileSync(join(journal.root, day(first)), '\n```sh\nnever closed\n');
  const { days, skipped } = await journal.archive('2026-10-15');
  assert.equal(days, 1);
  assert.deepEqual(
    skipped.map(({ file }) => file),
    [day(first)],
  );
  assert.match(skipped[0]?.reason ?? '', /line \d+: a code fence that is not closed/);
  assert.ok(isThere(journal, day(first)));
});

test('a machine archives only its own days of a shared journal', async (t) => {
  const journal = sampleJournal(t, { machine: 'desk' });
  await journal.put([first], [head]);
  writeFileSync(join(journal.root, 'acme-api/2026-09-03.laptop.md'), '# 2026-09-03 · acme-api\n');
  await journal.archive('2026-10-15');
  assert.ok(isThere(journal, 'acme-api/archive/2026-09.desk.md'));
  assert.ok(isThere(journal, 'acme-api/2026-09-03.laptop.md'));
});
