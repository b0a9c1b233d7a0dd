import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UnfinishedReads } from './unfinished-reads.ts';

test('a file that ended the daemon is read later, and skipped after three times', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-doubtful-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'reads.json');
  /** Begins to read in a daemon of its own and never ends, as if it had died. */
  const die = async (lived: number, stamp = '1'): Promise<boolean> => {
    const reads = new UnfinishedReads({ file, lived: () => lived });
    return new Promise((resolve) => {
      const read = reads.read('a.jsonl', stamp, () => (resolve(true), new Promise(() => {})));
      void read.then(resolve);
    });
  };
  assert.equal(await die(0), true);
  assert.equal(await die(0), false, 'a new daemon processes events first');
  assert.deepEqual([await die(60_000), await die(60_000)], [true, true]);
  assert.equal(await die(60_000), false);
  assert.equal(await die(0, '2'), true, 'a file that changed is read again');
});

test('a read that throws does not make a file suspect', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-doubtful-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const told: string[] = [];
  const reads = new UnfinishedReads({
    file: join(folder, 'reads.json'),
    lived: () => 0,
    onRead: (name) => told.push(name),
  });
  for (let i = 0; i < 5; i++)
    await assert.rejects(reads.read('a.jsonl', '1', () => Promise.reject(new Error('unreadable'))));
  assert.equal(told.length, 10);
});
