import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import common, * as fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sampleHead, sampleJournal, sampleMemory } from '../../../test/support/journal-sample.ts';
import { GATHER_MS } from './_watch.ts';
import type { Journal } from './journal.ts';

const DAY = 'acme-api/2026-11-15.md';
const memory = sampleMemory();
const other = sampleMemory({ at: '2026-11-15T15:00:00Z', title: 'two' });

/** Returns a function that waits until a path is reported, and the paths reported so far. */
function watching(t: TestContext, journal: Journal) {
  const told: string[] = [];
  const events = new EventEmitter();
  const stop = new AbortController();
  // The watcher keeps no process alive, and neither does the test runner of Node 22.
  const alive = setInterval(() => {}, 1000);
  t.after(() => {
    clearInterval(alive);
    stop.abort();
  });
  journal.watch((path) => {
    told.push(path);
    events.emit('told', path);
  }, stop.signal);
  const until = async (path: string): Promise<readonly string[]> => {
    while (!told.includes(path)) await once(events, 'told', { signal: AbortSignal.timeout(20_000) });
    return told.splice(0).filter((other) => other !== path);
  };
  return { until };
}

/** Makes a change that is certainly reported, after all earlier ones. */
function mark(journal: Journal, name: string): string {
  const path = `acme-api/${name}.md`;
  fs.writeFileSync(join(journal.root, path), `### ${name}\n`);
  return path;
}

test('edits of others are reported, our own writes are not', async (t) => {
  const journal = sampleJournal(t);
  fs.mkdirSync(join(journal.root, 'acme-api'));
  const { until } = watching(t, journal);
  await journal.put([memory], [sampleHead]);
  assert.deepEqual(await until(mark(journal, '2026-01-01')), []);
  await journal.put([other], [sampleHead]);
  fs.writeFileSync(join(journal.root, 'acme-api/README.md'), 'not a day\n');
  assert.deepEqual(await until(mark(journal, '2026-01-02')), []);
  fs.appendFileSync(join(journal.root, DAY), '\nA line by hand.\n');
  await until(DAY);
  fs.appendFileSync(join(journal.root, DAY), '\nAnother.\n');
  await until(DAY);
});

test('a slow disk does not make our own writes look like those of others', async (t) => {
  const { fsync } = fs;
  const late = t.mock.method(common, 'fsync', (fd: number, done: fs.NoParamCallback) =>
    setTimeout(() => fsync(fd, done), 4 * GATHER_MS),
  );
  syncBuiltinESMExports();
  t.after(() => {
    late.mock.restore();
    syncBuiltinESMExports();
  });
  const journal = sampleJournal(t);
  fs.mkdirSync(join(journal.root, 'acme-api'));
  const { until } = watching(t, journal);
  await journal.put([memory], [sampleHead]);
  await journal.put([other], [sampleHead]);
  assert.deepEqual(await until(mark(journal, '2026-01-01')), []);
  assert.ok(late.mock.callCount() > 0);
});

test('an edit is reported even if we wrote to the file before the report', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [sampleHead]);
  const { until } = watching(t, journal);
  fs.appendFileSync(join(journal.root, DAY), '\nA line by hand.\n');
  await journal.put([other], [sampleHead]);
  await until(DAY);
  assert.match(fs.readFileSync(join(journal.root, DAY), 'utf8'), /A line by hand/);
});

test('files that are created, deleted or moved with their folder are reported', async (t) => {
  const journal = sampleJournal(t);
  await journal.put([memory], [sampleHead]);
  journal.scan();
  const { until } = watching(t, journal);
  fs.renameSync(join(journal.root, 'acme-api'), join(journal.root, 'renamed'));
  await until('renamed/2026-11-15.md');
  fs.rmSync(join(journal.root, 'renamed/2026-11-15.md'));
  await until('renamed/2026-11-15.md');
  assert.deepEqual(journal.read('renamed/2026-11-15.md').entries, []);
});

test('a scan lists every file with the hash of its content', async (t) => {
  const journal = sampleJournal(t);
  const { files } = await journal.put([memory], [sampleHead]);
  const first = journal.scan();
  assert.deepEqual(first, files, 'written files need not be read again');
  fs.writeFileSync(join(journal.root, 'acme-api/.tidemark-write-left'), 'old');
  fs.utimesSync(join(journal.root, 'acme-api/.tidemark-write-left'), 0, 0);
  fs.writeFileSync(join(journal.root, 'acme-api/notes.md'), 'not a day');
  assert.deepEqual(journal.scan(), first);
  assert.ok(
    !fs.existsSync(join(journal.root, 'acme-api/.tidemark-write-left')),
    'what a crash left is taken away',
  );
  fs.appendFileSync(join(journal.root, DAY), 'x');
  assert.notEqual(journal.scan()[0]?.hash, first[0]?.hash);
});
