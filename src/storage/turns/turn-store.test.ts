import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { runChild } from '../../../test/support/child-process.ts';
import type { StoredTurn } from '../../core/index.ts';
import type { StoreProblem } from '../../files/index.ts';
import { TurnStore, type TurnAt } from './turn-store.ts';

const ROUNDS = 10;

let root: string;
let problems: StoreProblem[];
let store: TurnStore;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-turns-'));
  problems = [];
  store = await open();
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const open = () => TurnStore.open(root, { report: (problem) => problems.push(problem) });

function turn(id: string, over: Partial<StoredTurn> = {}): StoredTurn {
  const startedAt = over.startedAt ?? '2026-11-15T10:00:00.000Z';
  return {
    id,
    agent: 'claude-code',
    session: 's1',
    origin: 'person',
    startedAt,
    endedAt: startedAt,
    outcome: 'answered',
    prompt: `what about ${id}?`,
    answer: `this about ${id}: ${'ü✓\u0000 "quoted"\n'.repeat(20)}`,
    tools: [],
    messages: [id],
    project: 'alpha-1',
    ...over,
  };
}

async function all(only: { project?: string; file?: string } = {}): Promise<TurnAt[]> {
  const found: TurnAt[] = [];
  for await (const kept of store.scan(only)) found.push(kept);
  return found;
}

const ids = async () => (await all()).map(({ turn: { id } }) => id);

test('a turn is found by its location and by scanning', async () => {
  const turns = [
    turn('a'),
    turn('b', { project: 'beta-2' }),
    turn('c'),
    turn('d', { startedAt: '2026-10-01T00:00:00Z' }),
  ];
  const locations = await store.put(turns);
  assert.deepEqual(
    locations.map(({ file }) => file),
    [
      'alpha-1/2026-11.jsonl.gz',
      'beta-2/2026-11.jsonl.gz',
      'alpha-1/2026-11.jsonl.gz',
      'alpha-1/2026-10.jsonl.gz',
    ],
  );
  assert.deepEqual(await Promise.all(locations.map((location) => store.get(location))), turns);
  const scanned = await all();
  assert.deepEqual(
    scanned.map(({ turn: { id } }) => id),
    ['d', 'a', 'c', 'b'],
  );
  for (const { turn: found, location } of scanned) assert.deepEqual(await store.get(location), found);
  assert.deepEqual(
    (await all({ project: 'beta-2' })).map(({ turn: { id } }) => id),
    ['b'],
  );
  assert.deepEqual(
    (await all({ file: 'alpha-1/2026-10.jsonl.gz' })).map(({ turn: { id } }) => id),
    ['d'],
  );
});

test('the files are plain gzip: zcat prints one turn per line', async () => {
  const turns = Array.from({ length: 50 }, (_, i) => turn(`t${i}`));
  await store.put(turns.slice(0, 20));
  await store.put(turns.slice(20));
  const path = join(root, 'alpha-1', '2026-11.jsonl.gz');
  const lines = execFileSync('zcat', [path], { encoding: 'utf8' }).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    turns,
  );
  assert.equal(gunzipSync(readFileSync(path)).toString('utf8'), `${lines.join('\n')}\n`);
  const head = execFileSync('sh', ['-c', 'zcat "$1" | head -n 2', 'sh', path], { encoding: 'utf8' });
  assert.deepEqual(
    head
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as StoredTurn).id),
    ['t0', 't1'],
  );
  assert.match(
    execFileSync('gzip', ['-tv', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    /^/,
  );
});

test('a later revision of a turn wins, also after reopening', async () => {
  await store.put([turn('a'), turn('b')]);
  await store.put([turn('a', { answer: 'better' })]);
  await store.close();
  store = await open();
  const found = await all();
  assert.deepEqual(
    found.map(({ turn: { id, answer } }) => [id, answer === 'better']),
    [
      ['b', false],
      ['a', true],
    ],
  );
  assert.equal((await ids()).length, 2);
});

test('a turn cut off by a crash is dropped, and the next turn follows the last complete one', async () => {
  const [, second] = await store.put([turn('a'), turn('b')]);
  await store.close();
  const path = join(root, 'alpha-1', '2026-11.jsonl.gz');
  for (const cut of [1, 9, (second?.length ?? 0) - 5]) {
    truncateSync(path, statSync(path).size - cut);
    store = await open();
    await store.put([turn('b')]);
    await store.close();
    store = await open();
    assert.deepEqual(await ids(), ['a', 'b']);
    assert.equal(execFileSync('zcat', [path], { encoding: 'utf8' }).trimEnd().split('\n').length, 2);
    await store.close();
  }
  assert.deepEqual(problems, []);
});

test('a tail of zeros, as a power cut leaves it, is dropped', async () => {
  await store.put([turn('a')]);
  await store.close();
  const path = join(root, 'alpha-1', '2026-11.jsonl.gz');
  writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(5000)]));
  store = await open();
  await store.put([turn('b')]);
  assert.deepEqual(await ids(), ['a', 'b']);
  assert.deepEqual(problems, []);
});

test('a damaged range is skipped and reported with its position, the rest is read', async () => {
  const locations = await store.put(Array.from({ length: 40 }, (_, i) => turn(`t${i}`)));
  await store.close();
  const path = join(root, 'alpha-1', '2026-11.jsonl.gz');
  const bytes = readFileSync(path);
  const [inBody, inHeader, inLength] = [locations[5], locations[10], locations[20]];
  assert.ok(inBody && inHeader && inLength);
  bytes[inBody.offset + 60]! ^= 0xff;
  bytes[inHeader.offset]! ^= 0xff;
  bytes[inLength.offset + 17]! ^= 0x01;
  writeFileSync(path, bytes);
  store = await open();
  const expected = Array.from({ length: 40 }, (_, i) => `t${i}`).filter(
    (id) => !['t5', 't10', 't20'].includes(id),
  );
  assert.deepEqual(await ids(), expected);
  const places = problems.map(({ file, offset }) => [file, offset]);
  assert.deepEqual(
    new Set(places.map(([, offset]) => offset)),
    new Set([inBody.offset, inHeader.offset, inLength.offset]),
  );
  assert.ok(places.every(([file]) => file === path));
  assert.equal(await store.get(inBody), undefined);
});

test('when the last revision is damaged, the previous one counts', async () => {
  await store.put([turn('a', { answer: 'first' })]);
  const [second] = await store.put([turn('a', { answer: 'second' })]);
  await store.put([turn('b')]);
  await store.close();
  const path = join(root, 'alpha-1', '2026-11.jsonl.gz');
  const bytes = readFileSync(path);
  bytes[(second?.offset ?? 0) + 50]! ^= 0xff;
  writeFileSync(path, bytes);
  store = await open();
  assert.deepEqual(
    (await all()).map(({ turn: { id, answer } }) => [id, answer === 'first']),
    [
      ['a', true],
      ['b', false],
    ],
  );
});

test('erased turns are in no file, the others are at the scanned locations', async () => {
  await store.put([turn('a', { answer: 'the secret plan' }), turn('b'), turn('c')]);
  await store.put([turn('a', { answer: 'the secret plan, revised' }), turn('x', { project: 'beta-2' })]);
  const erased = await store.erase('alpha-1', ['a', 'unknown']);
  assert.deepEqual(erased, { turns: 1, files: ['alpha-1/2026-11.jsonl.gz'] });
  assert.deepEqual(await ids(), ['b', 'c', 'x']);
  const text = execFileSync('zcat', [join(root, 'alpha-1', '2026-11.jsonl.gz')], { encoding: 'utf8' });
  assert.doesNotMatch(text, /secret plan/);
  await store.put([turn('d')]);
  assert.deepEqual(await ids(), ['b', 'c', 'd', 'x']);
  for (const { turn: found, location } of await all()) assert.deepEqual(await store.get(location), found);
  assert.deepEqual(await store.erase('alpha-1', ['b', 'c', 'd']), {
    turns: 3,
    files: ['alpha-1/2026-11.jsonl.gz'],
  });
  assert.deepEqual(readdirSync(join(root, 'alpha-1')), []);
});

test('turns put while others are erased are not lost', async () => {
  await store.put(Array.from({ length: 30 }, (_, i) => turn(`old${i}`)));
  const work: Promise<unknown>[] = [];
  for (let i = 0; i < 30; i++) {
    work.push(store.put([turn(`new${i}`)]), store.erase('alpha-1', [`old${i}`]));
  }
  await Promise.all(work);
  assert.deepEqual((await ids()).toSorted(), Array.from({ length: 30 }, (_, i) => `new${i}`).toSorted());
});

test('trimming drops superseded revisions first, then the oldest turns, and reports them', async () => {
  const incompressible = () => Array.from({ length: 100 }, () => Math.random().toString(36)).join('');
  const at = (day: number) =>
    `2026-${day > 30 ? '11' : '10'}-${String(((day - 1) % 30) + 1).padStart(2, '0')}T00:00:00.000Z`;
  for (let day = 1; day <= 60; day++) {
    const project = day % 2 ? 'alpha-1' : 'beta-2';
    await store.put([
      turn(`day${String(day).padStart(2, '0')}`, { startedAt: at(day), project, answer: incompressible() }),
    ]);
  }
  const full = await store.bytes();
  assert.equal((await ids()).length, 60);
  assert.deepEqual(await store.trim(full), {
    turns: 0,
    bytes: 0,
    from: undefined,
    to: undefined,
    files: [],
  });

  await store.put([turn('day60', { startedAt: at(60), project: 'beta-2', answer: incompressible() })]);
  const compacted = await store.trim(full + 100);
  assert.deepEqual([compacted.turns, compacted.files], [0, ['beta-2/2026-11.jsonl.gz']]);
  assert.equal((await ids()).length, 60);

  const trimmed = await store.trim(Math.floor(full / 3));
  const left = await ids();
  assert.equal(trimmed.turns + left.length, 60);
  assert.ok((await store.bytes()) <= full / 3);
  assert.deepEqual([trimmed.from, trimmed.to], [at(1), at(trimmed.turns)]);
  assert.deepEqual(
    left.toSorted(),
    Array.from({ length: left.length }, (_, i) => `day${61 - left.length + i}`),
  );
  assert.ok(left.length >= 15, `only what must go goes, but ${left.length} of 60 are left`);
  assert.deepEqual(trimmed.files.includes('alpha-1/2026-10.jsonl.gz'), true);
});

test('locations outside the store are refused', async () => {
  for (const file of [
    '../x/2026-11.jsonl.gz',
    'alpha-1/../../2026-11.jsonl.gz',
    '/etc/2026-11.jsonl.gz',
    '.x/2026-11.jsonl.gz',
  ]) {
    await assert.rejects(store.get({ file, offset: 0, length: 10 }), { code: 'bad-location' });
  }
  await assert.rejects(store.put([turn('a', { project: '..' })]), { code: 'bad-location' });
  await assert.rejects(store.put([turn('a', { startedAt: 'yesterday' })]), { code: 'bad-turn' });
  assert.equal(await store.get({ file: 'nowhere/2026-11.jsonl.gz', offset: 0, length: 10 }), undefined);
});

test('a read-only store creates nothing', async () => {
  const reader = await TurnStore.open(join(root, 'missing'), { readOnly: true });
  assert.equal(await reader.bytes(), 0);
  assert.deepEqual(readdirSync(root), []);
});

test('every turn acknowledged before a SIGKILL is stored completely', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const child = runChild(`
      import { TurnStore } from '${import.meta.dirname}/turn-store.ts';
      const store = await TurnStore.open(${JSON.stringify(root)});
      const base = ${JSON.stringify(turn('x'))};
      for (let i = 0; ; i++) {
        const id = '${round}-' + i;
        await store.put([{ ...base, id, answer: 'word '.repeat(i * 37 % 5000) }]);
        console.log(id);
      }
    `);
    const killAfter = 1 + ((round * 7) % 23);
    for await (const id of child.lines) {
      acknowledged.push(id);
      if (acknowledged.filter((one) => one.startsWith(`${round}-`)).length === killAfter)
        child.process.kill('SIGKILL');
    }
    const { signal, stderr } = await child.exited;
    assert.equal(signal, 'SIGKILL', stderr);
  }
  await store.put([turn('last')]);
  const found = await ids();
  assert.equal(new Set(found).size, found.length);
  for (const id of acknowledged) assert.ok(found.includes(id), id);
  assert.ok(found.length <= acknowledged.length + ROUNDS + 1);
  assert.deepEqual(problems, []);
});

test('verify finds a member whose text is damaged, one whose header is, and a file that was cut', async () => {
  const turns = ['a', 'b', 'c', 'd'].map((id) => turn(id, { answer: `${id} `.repeat(500) }));
  const locations = await store.put(turns);
  assert.deepEqual(await store.verify(), { bytes: await store.bytes(), unread: 0, damaged: [] });
  const [, second, third, last] = locations;
  assert.ok(second && third && last);
  const path = join(root, last.file);
  const bytes = readFileSync(path);
  bytes.fill(0, second.offset + 40, second.offset + Math.min(100, second.length));
  bytes.fill(0, third.offset, third.offset + 10);
  writeFileSync(path, bytes.subarray(0, -5));
  const { damaged } = await store.verify();
  assert.deepEqual(
    damaged.map(({ offset }) => offset),
    [second, third, last].map(({ offset }) => offset),
  );
});

test('verify does not count a damaged revision of a turn that has another', async () => {
  const [first] = await store.put([turn('a')]);
  await store.put([turn('a', { answer: 'longer' })]);
  assert.ok(first);
  const path = join(root, first.file);
  writeFileSync(path, readFileSync(path).fill(0, first.offset + 40, first.offset + first.length));
  assert.deepEqual((await store.verify()).damaged, []);
});

test('verify reads the newest month first and says how much is left', async () => {
  const old = turn('old', { startedAt: '2020-01-01T00:00:00.000Z' });
  const [, location] = await store.put([old, turn('new')]);
  const newest = statSync(join(root, location?.file ?? '')).size;
  const { bytes, unread, damaged } = await store.verify(newest);
  assert.deepEqual([bytes, damaged], [newest, []]);
  assert.ok(unread > 0);
});
