/** Broken, foreign and hostile files: each is reported with its line and reason, and everything else is imported. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { ImportReport, PeerReport } from '../../src/exchange/import/index.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf, stored } from '../support/stored.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { makeClaudeMem } from '../support/claude-mem.ts';
import { makeEverMem, makeKeeper, makeMemsearch } from './_peers.ts';

const GIGABYTE = 1024 * 1024 * 1024;
const DECISION = 'We decided to keep prices in cents because floats lose them.';

test('history: every kind of broken file is reported, and the other sessions are imported', async (t) => {
  const machine = Machine.open(t);
  const good = sessionOf(machine, 'good');
  const folder = dirname(good.path);
  writeFileSync(join(folder, 'empty.jsonl'), '');
  writeFileSync(join(folder, 'foreign.jsonl'), '{"hello":"world"}\n');
  writeFileSync(
    join(folder, 'noise.jsonl'),
    Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256)),
  );
  mkdirSync(join(folder, 'folder.jsonl'));
  symlinkSync(join(folder, 'loop.jsonl'), join(folder, 'loop.jsonl'));
  symlinkSync('/etc/passwd', join(folder, 'passwd.jsonl'));
  symlinkSync(dirname(folder), join(dirname(folder), 'round-and-round'));
  execFileSync('mkfifo', [join(folder, 'pipe.jsonl')]);
  const report = await bringHistory(machine, 1);
  assert.equal(report.turns, 1);
  const reasons = Object.fromEntries(
    report.skipped.map(({ path, reason }) => [path.slice(path.lastIndexOf('/') + 1), reason]),
  );
  assert.deepEqual(reasons, {
    'empty.jsonl': 'empty',
    'folder.jsonl': 'a folder',
    'foreign.jsonl': 'contains no conversation',
    'loop.jsonl': 'a link; links are not followed',
    'noise.jsonl': 'contains no conversation',
    'passwd.jsonl': 'a link; links are not followed',
    'pipe.jsonl': 'not a regular file',
    'round-and-round': 'a link; links are not followed',
  });
});

test('history: a damaged line is reported, NULs and a cut end are ignored, and the other turns are imported', async (t) => {
  const machine = Machine.open(t);
  const transcript = sessionOf(machine, 'damaged');
  const [first = '', ...rest] = readFileSync(transcript.path, 'utf8').split('\n');
  const latin = Buffer.from('{"type":"user","text":"caf\xe9', 'latin1');
  writeFileSync(
    transcript.path,
    Buffer.concat([
      Buffer.from('\0\0\0'),
      Buffer.from(`${first}\n{"type":"user","mess\n`),
      latin,
      Buffer.from(`\n${rest.join('\n')}{"type":"assistant","cut`),
    ]),
  );
  const report = await bringHistory(machine, 1);
  assert.equal(report.turns, 1);
  assert.deepEqual(
    report.skipped.map(({ line, reason }) => [line, reason]),
    [
      [2, 'not a JSON object'],
      [3, 'not a JSON object'],
    ],
  );
  const { stdout } = await machine.cli(['import', 'history']);
  assert.match(stdout, /1 turn found, 1 of them known already/);
});

test('history: a line of a gigabyte is skipped in bounded memory', async (t) => {
  const machine = Machine.open(t);
  const transcript = sessionOf(machine, 'giant');
  const rest = readFileSync(transcript.path);
  const file = openSync(transcript.path, 'w'); // a sparse file: the line takes no space on the disk
  ftruncateSync(file, GIGABYTE);
  writeSync(file, '\n', GIGABYTE);
  writeSync(file, rest, 0, rest.length, GIGABYTE + 1);
  closeSync(file);
  const report = await bringHistory(machine, 1);
  assert.equal(report.turns, 1);
  assert.equal(report.skipped[0]?.line, 1);
  assert.match(report.skipped[0]?.reason ?? '', /longer than/);
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${machine.daemons()[0]}/status`, 'utf8'))?.[1];
  assert.ok(Number(peak) < 300 * 1024, `peak ${peak} kB`);
});

test('claude-mem: a file that is no database, a cut database and a foreign one are reported', async (t) => {
  const machine = Machine.open(t);
  const whole = makeClaudeMem(machine.home, machine.project);
  const broken = (name: string): string => {
    const path = join(machine.root, name, 'claude-mem.db');
    mkdirSync(dirname(path));
    return path;
  };
  const text = broken('text');
  writeFileSync(text, 'no database at all, but long enough to look like one');
  const empty = broken('empty');
  writeFileSync(empty, '');
  const cut = broken('cut');
  copyFileSync(whole, cut);
  truncateSync(cut, 8192);
  const foreign = broken('foreign');
  const { DatabaseSync } = await import('node:sqlite');
  const other = new DatabaseSync(foreign);
  other.exec('CREATE TABLE recipes (id INTEGER)');
  other.close();
  const pipe = broken('pipe');
  execFileSync('mkfifo', [pipe]);
  for (const [path, reason] of [
    [text, /not an SQLite database/],
    [empty, /empty/],
    [cut, /malformed|disk image/],
    [foreign, /not one of claude-mem/],
    [pipe, /not a regular file/],
  ] as const) {
    const report = await bring(machine, 'claude-mem', 1, ['--path', path]);
    assert.match(report.skipped.map((one) => one.reason).join('\n'), reason, path);
  }
  assert.equal((await bring(machine, 'claude-mem', 0)).imported.memories, 3);
});

test('claude-mem: invalid rows are reported one by one, and the others are imported', async (t) => {
  const machine = Machine.open(t);
  const path = makeClaudeMem(machine.home, machine.project);
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(path);
  db.exec(`
    INSERT INTO observations (memory_session_id, project, type, title, created_at, created_at_epoch) VALUES
      ('mem-1', 'shop', 'discovery', 'Out of time', 'yesterday', -5),
      ('mem-1', 'shop', x'00ff', NULL, '2026-03-02T09:00:00Z', 'not a number'),
      ('gone', 'shop', 'discovery', 'Left behind by its session', '2026-03-02T10:00:00Z', 1772445600000);
    UPDATE observations SET narrative = 'a' || char(0) || 'b' WHERE id = 1`);
  db.close();
  const report = await bring(machine, 'claude-mem', 1);
  assert.equal(report.imported.memories, 4);
  assert.deepEqual(
    report.skipped.map(({ reason }) => reason),
    ['observations, id 4: no time', 'observations, id 5: no content'],
  );
});

test('memsearch: links out of the folder are refused, other encodings are read', async (t) => {
  const machine = Machine.open(t);
  const folder = makeMemsearch(machine.project);
  const secret = join(machine.home, 'id_rsa.md');
  writeFileSync(secret, '### 10:00\n- the quokkaberry key\n');
  symlinkSync(secret, join(folder, '2026-02-10.md'));
  symlinkSync('/etc/passwd', join(folder, '2026-02-11.md'));
  symlinkSync(join(folder, '2026-02-12.md'), join(folder, '2026-02-12.md'));
  execFileSync('mkfifo', [join(folder, '2026-02-13.md')]);
  const utf16 = Buffer.from('\ufeff### 11:00\n- Implemented the café page\n', 'utf16le');
  writeFileSync(join(folder, '2026-02-14.md'), utf16);
  writeFileSync(
    join(folder, '2026-02-15.md'),
    Buffer.from('### 12:00\n- Added the caf\xe9 menu\n', 'latin1'),
  );
  writeFileSync(join(folder, '2026-13-01.md'), '### 12:00\n- On a day that never was\n');
  truncateSync(sparse(join(folder, '2026-02-16.md')), GIGABYTE);
  const report = await bring(machine, 'memsearch', 1);
  const titles = (await memoriesOf(machine)).map(({ title }) => title);
  assert.ok(titles.includes('Implemented the café page'), titles.join('\n'));
  assert.ok(titles.includes('Added the café menu'), titles.join('\n'));
  assert.equal(JSON.stringify(titles).includes('quokkaberry'), false);
  const skipped = report.skipped.map(
    ({ path, line, reason }) => `${path.slice(-13)}:${line ?? ''} ${reason}`,
  );
  assert.deepEqual(
    skipped.filter((line) => !line.startsWith('2026-02-09')),
    [
      '2026-02-10.md: a link to a file outside its folder',
      '2026-02-11.md: a link to a file outside its folder',
      '2026-02-12.md: a link to itself',
      '2026-02-13.md: not a regular file',
      '2026-02-15.md:2 not UTF-8; read as Windows-1252',
      '2026-02-16.md: larger than 16 MB, skipped',
      '2026-13-01.md:1 no time: 2026-13-01 12:00',
    ],
  );
});

test('Memory Keeper: facts.json that is not JSON does not stop the rest', async (t) => {
  const machine = Machine.open(t);
  const folder = makeKeeper(machine.project);
  writeFileSync(join(folder, 'facts.json'), '{"decisions": [{"id": "d001", "content": "cut o');
  writeFileSync(join(folder, 'sessions', 'x.raw.jsonl'), '{"foreign": true}\n');
  const report = await bring(machine, 'memory-keeper', 1);
  assert.equal(report.imported.memories, 8);
  assert.deepEqual(
    report.skipped.map(({ path, reason }) => [path.slice(path.lastIndexOf('/') + 1), reason.slice(0, 8)]),
    [
      ['x.raw.jsonl', 'contains'],
      ['facts.json', 'not JSON'],
    ],
  );
});

test('EverMem: damaged lines are reported, and the others are imported', async (t) => {
  const machine = Machine.open(t);
  const folder = makeEverMem(machine.config, machine.project);
  appendFileSync(
    join(folder, 'sessions.jsonl'),
    'nonsense\n{"sessionId":"s2"}\n[1,2]\n\0\0\n{"sessionId":"cut',
  );
  const report = await bring(machine, 'evermem', 1);
  assert.equal(report.imported.sessions, 1);
  assert.deepEqual(
    report.skipped.map(({ line, reason }) => [line, reason]),
    [
      [2, 'not a JSON object'],
      [3, 'no time'],
      [4, 'not a JSON object'],
      [6, 'not a JSON object'],
    ],
  );
});

function sessionOf(machine: Machine, name: string): SyntheticTranscript {
  const options = { config: machine.config, cwd: machine.project, session: uuid('session', name) };
  const transcript = new SyntheticTranscript(options);
  transcript.append({ prompt: `${DECISION} (${name})`, answer: 'Done.' });
  transcript.finish();
  return transcript;
}

function sparse(path: string): string {
  writeFileSync(path, '');
  return path;
}

async function bringHistory(machine: Machine, code: number): Promise<ImportReport> {
  const ran = await machine.cli(['import', 'history', '--json']);
  assert.equal(ran.code, code, ran.stderr + ran.stdout);
  assert.equal((await stored(machine)).turns.length > 0, true);
  return JSON.parse(ran.stdout) as ImportReport;
}

async function bring(
  machine: Machine,
  peer: string,
  code: number,
  args: readonly string[] = [],
): Promise<PeerReport> {
  const ran = await machine.cli(['import', peer, '--json', ...args]);
  assert.equal(ran.code, code, ran.stderr + ran.stdout);
  return JSON.parse(ran.stdout) as PeerReport;
}
