import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { runChild } from '../../../test/support/child-process.ts';
import type { StoreProblem } from '../../files/index.ts';
import { SUMMARY_FIELDS, type SessionSummary } from '../../core/index.ts';
import { Ledger } from './ledger.ts';
import { recordKey, type LedgerRecord } from './record.ts';

const ROUNDS = 10;

let folder: string;
let problems: StoreProblem[];
let ledger: Ledger;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-ledger-'));
  problems = [];
  ledger = await open();
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = () => Ledger.open(folder, { report: (problem) => problems.push(problem) });

async function all(): Promise<LedgerRecord[]> {
  const records: LedgerRecord[] = [];
  for await (const record of ledger.read()) records.push(record);
  return records;
}

const AT = '2026-11-15T10:00:00.000Z';
const distilled = (turn: string, at = AT): LedgerRecord => ({
  kind: 'distilled',
  at,
  turn,
  by: 'local',
  memories: ['m1'],
});

const SUMMARY = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, field])) as SessionSummary;

const EVERY_KIND: readonly LedgerRecord[] = [
  {
    kind: 'session',
    at: AT,
    session: 's',
    change: 'started',
    project: 'p',
    agent: 'claude-code',
    source: 'startup',
  },
  { kind: 'project', at: AT, project: { id: 'p', name: 'p', keys: ['path:x'], paths: ['x'] } },
  distilled('t'),
  { kind: 'passed', at: AT, turn: 't', reason: 'cannot read "ü"\n' },
  { kind: 'summary', at: AT, session: 's', by: 'claude-mem', summary: SUMMARY },
  {
    kind: 'injected',
    at: AT,
    session: 's',
    where: 'prompt',
    prompt: 'h',
    memories: [{ id: 'm', score: 0.4 }],
    considered: 50,
  },
  {
    kind: 'injected',
    at: AT,
    session: 's',
    where: 'prompt',
    prompt: 'i',
    memories: [],
    considered: 9,
    reason: 'below the floor',
  },
  { kind: 'opened', at: AT, session: 's', memory: 'm' },
  { kind: 'review', at: AT, memory: 'm', verdict: 'right' },
  { kind: 'tombstone', at: AT, memory: 'm', turn: 't', hash: 'abc', state: 'hidden' },
  { kind: 'redacted', at: AT, of: 't', counts: { jwt: 2 } },
  { kind: 'paused', at: AT, scope: 'project', target: 'p', paused: true },
  { kind: 'shared', at: AT, project: 'p', remote: 'r', name: 'p', server: 's', state: 'shared' },
  { kind: 'outbox', at: AT, remote: 'r', memory: 'm', action: 'put', clock: 1, machine: 'a', hash: 'h' },
  { kind: 'exchanged', at: AT, remote: 'r', memory: 'm', state: 'put', clock: 1, machine: 'a', hash: 'h' },
  { kind: 'conflict', at: AT, remote: 'r', memory: 'm', lost: 'ours', machine: 'a' },
  { kind: 'dropped', at: AT, turns: 3, bytes: 900, from: AT, to: AT },
];

test('every kind of record is read as it was written, also after reopening', async () => {
  await ledger.append(EVERY_KIND);
  assert.deepEqual(await all(), EVERY_KIND);
  await ledger.close();
  ledger = await open();
  assert.deepEqual(await all(), EVERY_KIND);
  assert.deepEqual(problems, []);
  assert.equal(new Set(EVERY_KIND.map(recordKey)).size, EVERY_KIND.length);
});

test('records are stored in the month of their time and read month by month', async () => {
  await ledger.append([distilled('b', '2026-11-02T00:00:00Z'), distilled('a', '2026-09-30T23:59:59Z')]);
  await ledger.append(distilled('c', '2027-01-01T00:00:00Z'));
  assert.deepEqual(readdirSync(folder), ['2026-09.jsonl', '2026-11.jsonl', '2027-01.jsonl']);
  const turns = (await all()).map((record) => (record.kind === 'distilled' ? record.turn : ''));
  assert.deepEqual(turns, ['a', 'b', 'c']);
  assert.equal(statSync(join(folder, '2026-09.jsonl')).mode & 0o777, 0o600);
  await assert.rejects(ledger.append(distilled('d', '../../etc/x')), { code: 'bad-record' });
});

test('many months are written at once, repeatedly', async () => {
  const months = Array.from(
    { length: 40 },
    (_, i) => `${2020 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
  );
  const rounds = [0, 1, 2, 3, 4];
  const work = rounds.flatMap((round) =>
    months.map((month, i) => distilled(`${round}-${i}`, `${month}-01T00:00:00Z`)),
  );
  await Promise.all(work.map((record) => ledger.append(record)));
  for (const record of work.slice(0, 60)) await ledger.append(record);
  assert.equal((await all()).length, work.length + 60);
  assert.deepEqual(new Set((await all()).map(recordKey)), new Set(work.map(recordKey)));
  assert.deepEqual(problems, []);
});

test('an unreadable line is reported with its position and does not stop reading', async () => {
  await ledger.append(distilled('a'));
  const path = join(folder, '2026-11.jsonl');
  appendFileSync(
    path,
    'garbage\n{"kind":"passed","at":"2026-11-15T10:00:00Z"}\n[]\n\n{"at":"x"}\n\u0000\u0000\n',
  );
  await ledger.close();
  ledger = await open();
  await ledger.append(distilled('b'));
  assert.deepEqual((await all()).map(recordKey), ['distilled:a', 'distilled:b']);
  assert.deepEqual(
    problems.map(({ file, line }) => [file, line]),
    [2, 3, 4, 6, 7].map((line) => [path, line]),
  );
  assert.match(problems[1]?.reason ?? '', /^passed: .*\(turn\)/);
});

test('records of an unknown kind are skipped without a report and stay in the file', async () => {
  const path = join(folder, '2026-11.jsonl');
  writeFileSync(path, '{"kind":"from-the-future","at":"2026-11-15T10:00:00Z","x":1}\n{"kind":"toString"}\n');
  await ledger.append([distilled('a'), distilled('b')]);
  assert.deepEqual((await all()).map(recordKey), ['distilled:a', 'distilled:b']);
  assert.deepEqual(problems, []);
  await ledger.erase((record) => record.kind === 'distilled' && record.turn === 'a');
  assert.match(readFileSync(path, 'utf8'), /from-the-future/);
});

test('a line cut off by a crash is removed, a missing newline is added', async () => {
  const path = join(folder, '2026-11.jsonl');
  await ledger.append(distilled('a'));
  appendFileSync(path, '{"kind":"distilled","at":"2026-11-15T');
  await ledger.close();
  ledger = await open();
  await ledger.append(distilled('b'));
  assert.deepEqual((await all()).map(recordKey), ['distilled:a', 'distilled:b']);
  await ledger.close();
  writeFileSync(path, readFileSync(path, 'utf8').trimEnd());
  ledger = await open();
  await ledger.append(distilled('c'));
  assert.deepEqual((await all()).map(recordKey), ['distilled:a', 'distilled:b', 'distilled:c']);
  assert.deepEqual(problems, []);
});

test('erased records are in no file, while others are appended', async () => {
  const prompt = (session: string): LedgerRecord => ({
    kind: 'prompt',
    at: AT,
    session,
    prompt: `secret of ${session}`,
  });
  await ledger.append(Array.from({ length: 20 }, (_, i) => prompt(`old${i}`)));
  appendFileSync(join(folder, '2026-11.jsonl'), 'torn secret of old3\n');
  await ledger.close();
  ledger = await open();
  const work: Promise<unknown>[] = [];
  for (let i = 0; i < 20; i++) {
    work.push(
      ledger.append(prompt(`new${i}`)),
      ledger.erase((record) => record.kind === 'prompt' && record.session === `old${i}`),
    );
  }
  await Promise.all(work);
  const text = readFileSync(join(folder, '2026-11.jsonl'), 'utf8');
  assert.doesNotMatch(text, /old/);
  assert.equal((await all()).length, 20);
});

test('a turn distilled twice has one key', () => {
  assert.equal(recordKey(distilled('a')), recordKey(distilled('a', '2027-01-01T00:00:00Z')));
});

test('every record acknowledged before a SIGKILL is stored once', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const child = runChild(`
      import { Ledger } from '${import.meta.dirname}/ledger.ts';
      const ledger = await Ledger.open(${JSON.stringify(folder)});
      const one = async (lane) => {
        for (let i = 0; ; i++) {
          const turn = ['${round}', lane, i].join('-');
          await ledger.append({ kind: 'distilled', at: '${AT}', turn, by: 'x'.repeat(i * 31 % 3000), memories: [] });
          console.log(turn);
        }
      };
      await Promise.all([0, 1, 2, 3].map(one));
    `);
    let left = 1 + ((round * 17) % 90);
    for await (const turn of child.lines) {
      acknowledged.push(turn);
      if (--left === 0) child.process.kill('SIGKILL');
    }
    assert.equal((await child.exited).signal, 'SIGKILL');
  }
  await ledger.close();
  ledger = await open();
  const found = (await all()).map((record) => (record.kind === 'distilled' ? record.turn : ''));
  assert.equal(new Set(found).size, found.length);
  assert.deepEqual(
    acknowledged.filter((turn) => !found.includes(turn)),
    [],
  );
  assert.deepEqual(problems, []);
});
