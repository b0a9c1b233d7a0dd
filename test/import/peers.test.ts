/** Imports of memsearch, Memory Keeper with crabshell, and EverMem with its cloud: each item once, with its date. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Session } from '../../src/core/index.ts';
import type { PeerReport } from '../../src/exchange/import/index.ts';
import { leaksIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf, stored } from '../support/stored.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { hashOf } from './_folder.ts';
import { EVERMEM_SESSION, makeCrabshell, makeEverMem, makeKeeper, makeMemsearch, TURN } from './_peers.ts';

test('memsearch: a note becomes one memory with its best bullet as title and its anchor as provenance', async (t) => {
  const machine = Machine.open(t);
  const folder = makeMemsearch(machine.project);
  const before = hashOf(folder);
  const report = await bring(machine, 'memsearch', 1);
  assert.equal(report.imported.memories, 2);
  const [decision, fix] = await memoriesOf(machine);
  assert.equal(decision?.kind, 'decision');
  assert.equal(decision?.title, 'Decided to use selectinload because joins doubled the rows');
  assert.deepEqual(decision?.facts, [
    'User asked about the N+1 query in order-service',
    'Added an index on order.user_id',
  ]);
  assert.deepEqual(decision?.provenance, {
    agent: 'claude-code',
    session: 'abc123def',
    turn: TURN,
    messages: ['2026-02-09.md:4'],
    by: 'memsearch',
  });
  assert.equal(fix?.kind, 'bugfix');
  assert.equal(fix?.title, 'Agent fixed the cache invalidation that expired too early');
  assert.deepEqual(
    report.skipped.map(({ line, reason }) => [line, reason]),
    [[19, 'no content']],
  );
  assert.equal((await bring(machine, 'memsearch', 1)).imported.memories, 0);
  assert.equal(hashOf(folder), before);
});

test('Memory Keeper: facts, sessions, archives and the rolling memory are imported without duplicates', async (t) => {
  const machine = Machine.open(t);
  const folder = makeKeeper(machine.project);
  const before = hashOf(folder);
  const report = await bring(machine, 'memory-keeper');
  const found = (await memoriesOf(machine)).map(
    ({ at, kind, title }) => `${at.slice(0, 10)} ${kind} ${title}`,
  );
  assert.deepEqual(found.toSorted(), [
    '2025-10-02 pattern Tests come first',
    '2025-10-05 decision Drop Python 2',
    '2025-12-21 decision Keep one file per day',
    '2025-12-21 decision Use structured markdown',
    '2025-12-21 feature Built the parser from scratch.',
    '2025-12-21 issue JSON editing fails on Windows',
    '2025-12-21 issue Slow on large files',
    '2025-12-21 pattern Always quote heredocs in bash',
    '2025-12-22 feature Implemented the exporter and its tests.',
    '2025-12-23 refactor Refactored the scanner into two files',
  ]);
  const decision = (await memoriesOf(machine)).find(({ title }) => title === 'Use structured markdown');
  assert.deepEqual(
    [decision?.reason, decision?.files, decision?.provenance.messages],
    ['Easier to parse', ['src/parse.ts'], ['d001']],
  );
  assert.equal(
    (await memoriesOf(machine)).find(({ kind, title }) => kind === 'issue' && title.startsWith('JSON'))
      ?.state,
    'resolved',
  );
  assert.equal(report.imported.memories, 10);
  assert.equal((await bring(machine, 'memory-keeper')).imported.memories, 0);
  assert.equal(hashOf(folder), before);
});

test('Memory Keeper: a copied transcript is read like any other', async (t) => {
  const machine = Machine.open(t);
  const folder = makeKeeper(machine.project);
  const elsewhere = join(machine.root, 'elsewhere');
  const transcript = new SyntheticTranscript({
    config: elsewhere,
    cwd: machine.project,
    session: uuid('raw'),
  });
  transcript.append({
    prompt: 'We decided to keep prices in cents because floats lose them.',
    answer: 'Done.',
  });
  transcript.finish();
  copyFileSync(transcript.path, join(folder, 'sessions', '2026-03-02_0900.raw.jsonl'));
  const report = await bring(machine, 'memory-keeper');
  assert.equal(report.imported.transcripts, 1);
  assert.deepEqual(
    (await stored(machine)).turns.map(({ id }) => id),
    [transcript.turnId(0)],
  );
});

test("crabshell's logbook and its rotated parts are imported", async (t) => {
  const machine = Machine.open(t);
  makeCrabshell(machine.project);
  await bring(machine, 'memory-keeper');
  assert.deepEqual(
    (await memoriesOf(machine)).map(({ at, kind }) => `${at} ${kind}`),
    ['2026-02-01T08:00:00.000Z feature', '2026-04-01T12:00:00.000Z decision'],
  );
});

test('the same statement of two projects on the same day is stored for each', async (t) => {
  const machine = Machine.open(t);
  const other = join(machine.root, 'other');
  mkdirSync(other);
  makeKeeper(machine.project);
  makeKeeper(other);
  await bring(machine, 'memory-keeper', 0, ['--path', machine.project]);
  const report = await bring(machine, 'memory-keeper', 0, ['--path', other]);
  assert.equal(report.imported.memories, 10);
});

test('EverMem: sessions are imported under their own ids, into the project of their group', async (t) => {
  const machine = Machine.open(t);
  const folder = makeEverMem(machine.config, machine.project);
  const before = hashOf(folder);
  const report = await bring(machine, 'evermem');
  assert.equal(report.imported.sessions, 1);
  const { stdout } = await machine.cli(['sessions', '--json']);
  const [session] = JSON.parse(stdout) as Session[];
  assert.equal(session?.id, EVERMEM_SESSION);
  assert.equal(session?.title, 'How do we rotate the JWT keys?');
  assert.equal(session?.startedAt, '2026-02-09T10:00:00.000Z');
  assert.equal(session?.turns, 5);
  await machine.call('reindex', {});
  const [again] = JSON.parse((await machine.cli(['sessions', '--json'])).stdout) as Session[];
  assert.equal(again?.turns, 5);
  assert.equal((await bring(machine, 'evermem')).imported.sessions, 0);
  assert.equal(hashOf(folder), before);
});

test('EverMem: with a key the memories of its cloud are imported page by page, and the key is not stored', async (t) => {
  const machine = Machine.open(t);
  makeEverMem(machine.config, machine.project);
  const key = 'evermem-test-key-31415926';
  const { url, asked } = await cloud(t, key);
  machine.setEnv({ EVERMEM_API_KEY: key, EVERMEM_API_URL: url });
  const report = await bring(machine, 'evermem');
  assert.equal(report.imported.memories, 150);
  assert.ok(
    asked.every((path) => path.includes('group_ids=proja1b2c')),
    asked.join('\n'),
  );
  const one = (await memoriesOf(machine)).find(({ title }) => title === 'How the queue is drained, part 107');
  assert.deepEqual(one?.provenance.messages, ['memory:m107']);
  assert.equal((await bring(machine, 'evermem')).imported.memories, 0);
  assert.deepEqual(leaksIn(machine.places.home, [{ name: 'the key', text: key }]), []);
});

test('EverMem: a refused key and an unreachable cloud are reported, and the rest is imported', async (t) => {
  const machine = Machine.open(t);
  makeEverMem(machine.config, machine.project);
  const { url } = await cloud(t, 'another-key');
  machine.setEnv({ EVERMEM_API_KEY: 'wrong', EVERMEM_API_URL: url });
  const refused = await bring(machine, 'evermem', 1);
  assert.equal(refused.imported.sessions, 1);
  assert.match(refused.skipped[0]?.reason ?? '', /key was refused/);
  machine.setEnv({ EVERMEM_API_URL: 'http://127.0.0.1:9' });
  assert.match((await bring(machine, 'evermem', 1)).skipped[0]?.reason ?? '', /cannot be reached/);
  assert.equal((await bring(machine, 'evermem', 0, ['--local'])).skippedCount, 0);
});

async function cloud(t: TestContext, key: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.headers.authorization !== `Bearer ${key}`) return void response.writeHead(401).end();
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'));
    const memories = Array.from({ length: page === 1 ? 100 : page === 2 ? 50 : 0 }, (_, i) => {
      const n = (page - 1) * 100 + i;
      return {
        id: `m${n}`,
        group_id: 'proja1b2c',
        subject: `How the queue is drained, part ${n}`,
        episode: `A cron job drains it, number ${n}.`,
        timestamp: new Date(Date.parse('2026-02-01T00:00:00Z') + n * 3_600_000).toISOString(),
      };
    });
    response.writeHead(200).end(JSON.stringify({ status: 'ok', result: { memories, has_more: page < 2 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function bring(
  machine: Machine,
  peer: string,
  code = 0,
  args: readonly string[] = [],
): Promise<PeerReport> {
  const ran = await machine.cli(['import', peer, '--json', ...args]);
  assert.equal(ran.code, code, ran.stderr + ran.stdout);
  return JSON.parse(ran.stdout) as PeerReport;
}
