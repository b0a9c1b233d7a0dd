/** claude-mem's database is imported completely, once, redacted, without changing a byte of its folder. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Session } from '../../src/core/index.ts';
import type { PeerReport } from '../../src/exchange/import/index.ts';
import { filesOf } from '../support/damage.ts';
import { leaksIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf, stored } from '../support/stored.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { makeClaudeMem, makeOldClaudeMem, SESSION } from '../support/claude-mem.ts';
import { hashOf } from './_folder.ts';

const SECRET = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';

test('observations, session, summary and prompts are imported once, and the peer’s folder is unchanged', async (t) => {
  const machine = Machine.open(t);
  const path = makeClaudeMem(machine.home, machine.project);
  const before = hashOf(dirname(path));
  const first = await bring(machine);
  assert.deepEqual(first.imported, { memories: 3, sessions: 1, prompts: 2, transcripts: 0, sections: 0 });
  const decision = (await memoriesOf(machine)).find(({ kind }) => kind === 'decision');
  assert.equal(decision?.at, '2026-03-02T09:02:00.000Z');
  assert.equal(decision?.title, 'Refresh tokens rotate on every use');
  assert.deepEqual(decision?.files, ['src/auth.ts']);
  assert.equal(decision?.provenance.by, 'claude-mem');
  assert.equal(decision?.evidence, 'claimed', 'no turn of ours shows that the user said it');
  assert.deepEqual(decision?.provenance.messages, ['observation:1']);
  assert.equal(decision?.provenance.session, SESSION);
  assert.deepEqual((await memoriesOf(machine)).map(({ kind }) => kind).toSorted(), [
    'bugfix',
    'decision',
    'refactor',
  ]);
  const again = await bring(machine);
  assert.deepEqual(again.imported, { memories: 0, sessions: 0, prompts: 0, transcripts: 0, sections: 0 });
  assert.equal(hashOf(dirname(path)), before);
});

test('the session has its summary and its prompts, also after a reindex', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  await bring(machine);
  for (const moment of ['after the import', 'after a reindex']) {
    const session = (await sessions(machine)).find(({ id }) => id === SESSION);
    assert.equal(session?.summary?.learned, 'Expiry is not enough', moment);
    assert.equal(session?.summary?.next_steps, 'Test on Safari', moment);
    assert.equal(session?.turns, 2, moment);
    assert.equal(session?.status, 'completed', moment);
    await machine.cli(['reindex']);
  }
  assert.equal((await bring(machine)).imported.memories, 0);
});

test('secrets are redacted on import', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  const report = await bring(machine);
  assert.ok(Object.keys(report.redactions).length > 0);
  assert.equal((await stored(machine)).text.includes(SECRET), false);
  assert.deepEqual(leaksIn(machine.places.home, [{ name: 'the secret', text: SECRET }]), []);
});

test('changes in the write-ahead log are read too', async (t) => {
  const machine = Machine.open(t);
  const path = makeClaudeMem(machine.home, machine.project);
  const owner = new DatabaseSync(path);
  owner.exec(`INSERT INTO observations (memory_session_id, project, type, title, created_at, created_at_epoch)
    VALUES ('mem-1', 'shop', 'discovery', 'The cart is kept in Redis', '2026-03-02T09:20:00.000Z', 1772443200000)`);
  const before = hashOf(dirname(path));
  const report = await bring(machine);
  assert.equal(report.imported.memories, 4);
  assert.equal(hashOf(dirname(path)), before);
  owner.close();
});

test('the schema of its fourth version is read, and a project without a folder gets its name', async (t) => {
  const machine = Machine.open(t);
  const path = join(machine.root, 'old', 'claude-mem.db');
  makeOldClaudeMem(path);
  const report = await bring(machine, ['--path', path]);
  assert.equal(report.imported.memories, 1);
  assert.deepEqual(report.projects, ['ancient']);
  assert.equal((await memoriesOf(machine))[0]?.title, 'The queue is drained by a cron job.');
  const [session] = await sessions(machine);
  assert.equal(session?.summary?.completed, 'Found out how the queue is drained');
});

test('--into sets the project of data without a folder, and --project leaves out other projects', async (t) => {
  const machine = Machine.open(t);
  const path = join(machine.root, 'old', 'claude-mem.db');
  makeOldClaudeMem(path);
  const left = await bring(machine, ['--path', path, '--project']);
  assert.equal(left.imported.memories, 0);
  const report = await bring(machine, ['--path', path, '--into', machine.project]);
  assert.equal(report.imported.memories, 1);
  assert.deepEqual(report.projects, ['project']);
});

test('a dry run reports what would be imported and changes nothing', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  const report = await bring(machine, ['--dry-run']);
  assert.equal(report.imported.memories, 3);
  assert.deepEqual(await memoriesOf(machine), []);
  assert.deepEqual(await machine.call('read.projects', {}), []);
});

test('a forgotten memory is not imported again, nor is the summary of its session', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  await bring(machine);
  const id = (await memoriesOf(machine)).find(({ kind }) => kind === 'decision')?.id ?? '';
  await machine.cli(['forget', id, '--now']);
  for (const moment of ['again', 'after a reindex']) {
    const report = await bring(machine);
    assert.equal(report.imported.memories, 0, moment);
    assert.ok(report.forgotten > 0, moment);
    assert.equal(
      (await memoriesOf(machine)).some((memory) => memory.id === id),
      false,
      moment,
    );
    assert.equal(JSON.stringify(await sessions(machine)).includes('Rotate tokens'), false, moment);
    await machine.cli(['reindex']);
  }
});

test('what is forgotten in one project does not block the import of another', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  const other = join(machine.root, 'other');
  mkdirSync(other);
  const transcript = new SyntheticTranscript({ config: machine.config, cwd: other, session: uuid('other') });
  // In the second in which the first prompt of the other tool was written.
  transcript.append({
    prompt: 'We decided to use Postgres because it is safe.',
    answer: 'Done: the shop stores its orders in Postgres now, and the old file is gone.',
    at: '2026-03-02T09:00:00.000Z',
  });
  // A transcript that was changed a moment ago may belong to a running session.
  const hourAgo = new Date(Date.now() - 60 * 60_000);
  utimesSync(transcript.path, hourAgo, hourAgo);
  const imported = await machine.cli(['import', 'history']);
  const ids = (await memoriesOf(machine)).map(({ id }) => id);
  assert.ok(ids.length > 0, imported.stdout + imported.stderr);
  await machine.cli(['forget', ...ids, '--now']);
  const report = await bring(machine);
  assert.deepEqual([report.forgotten, report.imported.memories, report.imported.prompts], [0, 3, 2]);
});

test('an entry the user deleted from the journal is not imported again', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  await bring(machine);
  for (const file of filesOf(machine, 'memories')) rmSync(file);
  await machine.stopDaemon();
  assert.equal((await bring(machine)).imported.memories, 0);
});

test('a captured session keeps its own turns, and statements of both are stored once', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: SESSION,
    start: '2026-03-02T08:59:00.000Z',
  });
  transcript.append({
    prompt: 'We decided that refresh tokens rotate on every use because a stolen token must die.',
    answer: 'Done: refresh tokens rotate on every use.',
  });
  transcript.finish();
  mkdirSync(dirname(transcript.path), { recursive: true });
  await machine.cli(['import', 'history']);
  const own = (await memoriesOf(machine)).filter(({ kind }) => kind === 'decision');
  assert.equal(own.length, 1);
  const report = await bring(machine);
  assert.equal(report.imported.prompts, 0);
  assert.equal((await memoriesOf(machine)).filter(({ kind }) => kind === 'decision').length, 1);
  const bugfix = (await memoriesOf(machine)).find(({ kind }) => kind === 'bugfix');
  assert.equal(bugfix?.provenance.turn, transcript.turnId(0), 'it leads to the conversation');
});

test('the known columns of a newer schema are read, and the schema is reported', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project, { schema: 99 });
  const report = await bring(machine, [], 1);
  assert.equal(report.imported.memories, 3);
  assert.match(report.skipped[0]?.reason ?? '', /schema 99 is newer/);
});

test('import without arguments lists the peers found, with counts', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  const { stdout, code } = await machine.cli(['import']);
  assert.equal(code, 0);
  assert.match(stdout, /claude-mem\s+1 session, 3 observations, 1 summary, 2 prompts/);
});

test('doctor reports data to import, and when all of it is known', async (t) => {
  const machine = Machine.open(t);
  makeClaudeMem(machine.home, machine.project);
  const check = async () => {
    const { checks } = JSON.parse((await machine.cli(['doctor', '--json'])).stdout) as {
      checks: readonly { name: string; verdict: string; evidence: string; next?: string }[];
    };
    return checks.find(({ name }) => name === 'to import');
  };
  const before = await check();
  assert.equal(before?.verdict, 'note');
  assert.match(before.evidence, /claude-mem left 1 session, 3 observations/);
  assert.match(before.next ?? '', /tidemark import claude-mem/);
  await machine.up();
  assert.match((await check())?.evidence ?? '', /not imported yet: 3 memories, 1 session, 2 prompts/);
  assert.deepEqual(await memoriesOf(machine), [], 'the check imports nothing');
  await bring(machine);
  const after = await check();
  assert.equal(after?.verdict, 'well');
  assert.match(after.evidence, /all imported/);
});

async function bring(machine: Machine, args: readonly string[] = [], code = 0): Promise<PeerReport> {
  const ran = await machine.cli(['import', 'claude-mem', '--json', ...args]);
  assert.equal(ran.code, code, ran.stderr + ran.stdout);
  return JSON.parse(ran.stdout) as PeerReport;
}

async function sessions(machine: Machine): Promise<readonly Session[]> {
  const { stdout } = await machine.cli(['sessions', '--json', '--all']);
  return JSON.parse(stdout) as Session[];
}
