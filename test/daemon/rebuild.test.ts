/** The index can be deleted at any time: everything is answered again from what is stored. */
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { test } from 'node:test';
import { MemoryIndex, SCHEMA_VERSION } from '../../src/database/index.ts';
import { indexFile, indexFolder } from '../support/damage.ts';
import { Machine } from '../support/machine.ts';
import { replaceByOldIndex } from '../support/old-index.ts';
import { waitFor } from '../support/wait-for.ts';
import { answersOf } from './_answers.ts';
import { makeHistory, takeIn } from './_history.ts';

test('an index deleted while the daemon is down gives the same answers afterwards, also without transcripts', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  assert.ok(
    before.searches.every(([, ids]) => ids.length > 0),
    JSON.stringify(before.searches),
  );

  for (const transcripts of ['kept', 'deleted']) {
    await machine.stopDaemon();
    if (transcripts === 'deleted') rmSync(machine.config, { recursive: true });
    rmSync(indexFolder(machine), { recursive: true });
    await machine.drained();
    assert.deepEqual(await answersOf(machine, history.projects), before, `transcripts ${transcripts}`);
  }
});

test('an index deleted while the daemon runs still answers until it is rebuilt', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  rmSync(indexFolder(machine), { recursive: true });
  assert.deepEqual(await answersOf(machine, history.projects), before, 'answers while it is gone');

  await machine.call('sweep', {});
  assert.ok(existsSync(indexFile(machine)), 'the sweep makes it again');
  assert.deepEqual(await answersOf(machine, history.projects), before, 'answers from the new one');
  assert.equal(statSync(indexFile(machine)).mode & 0o777, 0o600);
  assert.match(
    readFileSync(machine.places.log, 'utf8'),
    /"what":"index rebuilt","why":"the index file was deleted"/,
  );
});

test('an index that is no database is discarded and rebuilt, and the user gets a notice', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  await machine.stopDaemon();
  writeFileSync(indexFile(machine), 'this was never a database');
  await machine.drained();
  await machine.call('sweep', {});
  assert.deepEqual(await answersOf(machine, history.projects), before);
  assert.match(
    readFileSync(machine.places.log, 'utf8'),
    /"what":"index rebuilt","why":"the index cannot be read"/,
  );
  const { stdout } = await machine.ask('doctor', '--json');
  assert.match(stdout, /rebuilt .*: the index cannot be read/);
});

test('an index of an older version is rebuilt', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  for (const version of [13, 7]) {
    await machine.stopDaemon();
    replaceByOldIndex(indexFile(machine), version);
    await machine.up();
    // The questions are asked at once: the reader finds the old file and waits for the writer.
    assert.deepEqual(await answersOf(machine, history.projects), before, `schema ${version}`);
    const why = `the index has schema ${version}, this program needs schema ${SCHEMA_VERSION}`;
    assert.ok(readFileSync(machine.places.log, 'utf8').includes(`"what":"index rebuilt","why":"${why}"`));
    const { stdout } = await machine.ask('doctor', '--json');
    assert.match(stdout, new RegExp(why));
  }
});

test('a rebuild of an old index that is interrupted starts again', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  await machine.stopDaemon();
  replaceByOldIndex(indexFile(machine), 13);
  // An interrupted rebuild leaves the old file and an incomplete new one.
  MemoryIndex.open(`${indexFile(machine)}.new`).close();
  await machine.up();
  assert.deepEqual(await answersOf(machine, history.projects), before);
  assert.equal(existsSync(`${indexFile(machine)}.new`), false);
});

test('an index with damaged pages is rebuilt as soon as a call reads them', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  await machine.stopDaemon();
  damagePages(indexFile(machine));
  await machine.up();
  const mended = () =>
    answersOf(machine, history.projects).then(
      (answers) => JSON.stringify(answers) === JSON.stringify(before),
      () => false,
    );
  await waitFor('the same answers', mended, { explain: () => machine.logs() });
  assert.match(
    readFileSync(machine.places.log, 'utf8'),
    /"what":"index rebuilt","why":"the index cannot be read"/,
  );
});

test('reindex gives the same answers', async (t) => {
  const machine = Machine.open(t);
  const history = makeHistory(machine);
  await takeIn(machine, history);
  const before = await answersOf(machine, history.projects);
  const { code } = await machine.ask('reindex');
  assert.equal(code, 0);
  assert.deepEqual(await answersOf(machine, history.projects), before);
});

/** Every page but the first, which holds the schema: it opens well and fails when it is read. */
function damagePages(path: string): void {
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  for (let at = 4096; at < size; at += 4096) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, at);
  closeSync(file);
}
