/** The checks of `doctor` for the stores, the daemon and the machine, each with a real cause. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { daemonPid } from '../support/daemon.ts';
import { filesOf, indexFile, memoryFolder } from '../support/damage.ts';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';
import { doctor, put } from './_doctor.ts';

test('after a clean stop there is nothing to report about the daemon', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  assert.equal((await machine.cli(['stop'])).code, 0);
  const { checks, code } = await doctor(machine);
  assert.equal(code, 0);
  const daemon = checks.filter(({ name }) =>
    ['daemon', 'socket', 'leftovers', 'waiting events'].includes(name),
  );
  assert.deepEqual(
    daemon.map(({ name, verdict }) => [name, verdict]),
    [
      ['daemon', 'well'],
      ['socket', 'well'],
      ['waiting events', 'well'],
    ],
  );
});

test('without data, doctor notes what is missing and creates nothing', async (t) => {
  const machine = Machine.open(t);
  const report = await doctor(machine);
  assert.equal(report.code, 0);
  assert.equal(report.verdict, 'note');
  assert.match(report.check('daemon').evidence, /not running/);
  assert.ok(!existsSync(machine.places.home));
});

test('doctor shows that npm is not asked for updates unless the user turns it on', async (t) => {
  const machine = Machine.open(t);
  writeFileSync(join(machine.project, '.tidemark.json'), '{"updates.check":true}');
  assert.match((await doctor(machine)).check('updates').evidence, /off \(updates\.check\)/);
  await machine.cli(['config', 'set', 'updates.check', 'true']);
  assert.match((await doctor(machine)).check('updates').evidence, /asked once a day/);
});

test('doctor starts a stopped daemon and says so', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  await machine.stopDaemon();
  const { check } = await doctor(machine);
  assert.match(check('daemon').evidence, /was not running, started for this check/);
  assert.equal(check('socket').verdict, 'well');
});

test('a hung daemon is distinguished from a stopped one, and --fix replaces it', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const pid = daemonPid(machine.places) ?? 0;
  process.kill(pid, 'SIGSTOP');
  const before = await doctor(machine);
  assert.match(before.check('daemon').evidence, new RegExp(`pid ${pid} runs but does not answer`));
  const after = await doctor(machine, '--fix');
  assert.match(after.fixed[0]?.done ?? JSON.stringify(after.fixed), /replaced the daemon that hung/);
  assert.equal(after.check('daemon').verdict, 'well');
  assert.notEqual(daemonPid(machine.places), pid);
});

test('a daemon that cannot start says why', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  await machine.stopDaemon();
  rmSync(machine.places.spool, { recursive: true });
  writeFileSync(machine.places.spool, 'in the way');
  const { check } = await doctor(machine);
  assert.equal(check('daemon').verdict, 'wrong');
  assert.match(check('daemon').evidence, /cannot start/);
});

test('files left by a killed daemon are named', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  await machine.killDaemons();
  const { check } = await doctor(machine, '--fix');
  assert.equal(check('daemon').verdict, 'well');
  await machine.killDaemons();
  assert.match((await doctor(machine)).check('leftovers').evidence, /daemon\.json.*died/);
  assert.ok(
    !(await doctor(machine)).checks.some(({ name }) => name === 'leftovers'),
    'the start removed them',
  );
});

test('files that others can read are found in every store, and --fix protects them', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  const open = [
    filesOf(machine, 'records')[0] ?? '',
    indexFile(machine),
    filesOf(machine, 'memories')[0] ?? '',
  ];
  for (const path of open) chmodSync(path, 0o644);
  const before = (await doctor(machine)).check('permissions');
  assert.equal(before.verdict, 'wrong');
  for (const path of open)
    assert.ok(before.evidence.includes(path.slice(machine.places.home.length + 1)), path);
  const after = await doctor(machine, '--fix');
  assert.equal(after.check('permissions').verdict, 'well');
  for (const path of open) assert.equal(statSync(path).mode & 0o077, 0, path);
});

test('modes set by git in a shared journal are fine while the folder is private', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  const repo = GitRepo.init(memoryFolder(machine), machine.home);
  await machine.cli(['journal', 'merging', repo.root]);
  repo.git('add', '-A');
  repo.git('commit', '-qm', 'journal');
  const check = async () => (await doctor(machine)).check('permissions');
  assert.equal((await check()).verdict, 'well', (await check()).evidence);
  chmodSync(repo.root, 0o755);
  assert.match((await check()).evidence, /others can access journal$/);
});

test('an unreadable journal is named with file and line', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  const [day = ''] = filesOf(machine, 'memories');
  const text = readFileSync(day, 'utf8').trimEnd();
  writeFileSync(day, `${text}\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n`);
  const { verdict, evidence, next } = (await doctor(machine)).check('journal');
  assert.equal(verdict, 'wrong');
  assert.match(evidence, new RegExp(`\\.md:${text.split('\n').length + 1}: `));
  assert.match(next ?? '', /nothing was lost/);
});

test('entries written by hand get their ids with --fix', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  const [day = ''] = filesOf(machine, 'memories');
  const before = readFileSync(day, 'utf8');
  const heading = /^### .*$/m.exec(before)?.[0] ?? '';
  writeFileSync(
    day,
    `${before.trimEnd()}\n\n${heading.replace(/[^·]*$/, ' Written by hand')}\n\nBecause I can.\n`,
  );
  assert.match((await doctor(machine)).check('journal').evidence, /1 entry written by hand without an id/);
  const after = await doctor(machine, '--fix');
  assert.match(after.fixed.map(({ done }) => done).join(), /wrote ids into 1 journal file/);
  assert.match(after.check('journal').evidence, /every entry is readable/);
  assert.ok(readFileSync(day, 'utf8').includes('Because I can.'));
});

test('a damaged index is found and rebuilt', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  for (let i = 0; i < 40; i++) {
    const draft = {
      kind: 'decision' as const,
      title: `Rule ${i} holds`,
      body: 'x'.repeat(400),
      facts: [],
      concepts: [],
      files: [],
    };
    await machine.call('remember', { draft, dir: machine.project });
  }
  await machine.stopDaemon();
  const bytes = readFileSync(indexFile(machine));
  bytes.fill(0xa5, Math.floor(bytes.length / 2 / 4096) * 4096);
  writeFileSync(indexFile(machine), bytes);
  await doctor(machine, '--fix');
  const sound = async () => (await doctor(machine, '--fix')).check('index');
  await waitFor('the index to be intact', async () => (await sound()).verdict === 'well');
  assert.match((await sound()).evidence, /40 memories/);
});

test('events set aside are counted with their reasons, shown, retried and deleted', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  // Larger than any transcript: it can never be processed.
  const transcript_path = join(machine.root, 'endless.jsonl');
  writeFileSync(transcript_path, '');
  truncateSync(transcript_path, 8 * 1024 ** 4);
  await machine.deliver('Stop', {
    session_id: uuid('poison'),
    transcript_path,
    last_assistant_message: 'Hello.',
  });
  await machine.drained();
  const { evidence, next } = (await doctor(machine)).check('events set aside');
  assert.match(evidence, /^1: .*endless\.jsonl is larger than/);
  assert.match(next ?? '', /failed retry --all/);

  const [listed] = JSON.parse((await machine.cli(['failed', '--json'])).stdout) as {
    id: string;
    event: string;
  }[];
  assert.equal(listed?.event, 'Stop');
  const shown = await machine.cli(['failed', 'show', listed?.id.slice(0, 8) ?? '']);
  assert.match(shown.stdout, /endless\.jsonl/);
  const again = await machine.cli(['failed', 'retry', '--all', '--json']);
  assert.deepEqual(JSON.parse(again.stdout), { done: [], failed: [listed?.id], unreadable: [] });
  assert.equal((await machine.cli(['failed', 'drop', 'nope'])).code, 3);
  assert.equal((await machine.cli(['failed', 'drop'])).code, 2);
  assert.equal((await machine.cli(['failed', 'drop', '--all'])).code, 0);
  assert.equal((await doctor(machine)).check('events set aside').verdict, 'well');
});

test('an event set aside for a past reason is processed on retry', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  await machine.stopDaemon();
  const id = uuid('again');
  const input = {
    session_id: uuid('s'),
    hook_event_name: 'SessionStart',
    source: 'startup',
    cwd: machine.project,
  } as const;
  const event = {
    id,
    at: new Date().toISOString(),
    agent: 'claude-code',
    projectDir: machine.project,
    input,
  } as const;
  put(join(machine.places.setAside, `${id}.json`), { at: event.at, id, reason: 'EIO', event });
  writeFileSync(join(machine.places.setAside, 'torn.json'), '{"torn');
  const { stdout } = await machine.cli(['failed', 'retry', '--all', '--json']);
  assert.deepEqual(JSON.parse(stdout), { done: [id], failed: [], unreadable: ['torn'] });
});

test('events stored by hooks while no daemon could start are counted', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  await machine.stopDaemon();
  rmSync(machine.places.lock, { force: true });
  mkdirSync(machine.places.lock);
  await machine.hook('Stop', { session_id: uuid('kept'), last_assistant_message: 'Kept.' });
  const { check } = await doctor(machine);
  assert.equal(check('daemon').verdict, 'wrong');
  assert.match(check('waiting events').evidence, /1 event, stored by hooks while no daemon ran/);
  rmSync(machine.places.lock, { recursive: true });
  const spool = async () => (await doctor(machine, '--fix')).check('waiting events').evidence;
  await waitFor('the event to be processed', async () => (await spool()) === 'none');
});

test('turns from the future and a clock set back are reported', async (t) => {
  const machine = Machine.open(t);
  const start = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString();
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('f'),
    start,
  });
  transcript.append({ prompt: 'We decided to use tabs because they are wide.', answer: 'Noted.' });
  transcript.append({ prompt: 'And go on.', answer: 'Going on.' }); // the last turn may be unfinished
  await machine.cli(['import', 'history']);
  assert.match((await doctor(machine)).check('clock').evidence, /^1 turn dated later than now/);
  await machine.stopDaemon();
  put(join(machine.places.run, 'heard.json'), { Stop: start });
  assert.match((await doctor(machine)).check('clock').evidence, /the clock was set back/);
});

test('backups: number, age and whether they are automatic', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs']);
  await machine.cli(['backup']);
  assert.match((await doctor(machine)).check('backups').evidence, /^\d snapshots?, the last just now/);
  await machine.cli(['config', 'set', 'backup.days', '0']);
  assert.equal((await doctor(machine)).check('backups').verdict, 'note');
});

test('redacted secrets are counted by type, never shown', async (t) => {
  const machine = Machine.open(t);
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  await machine.up();
  await machine.deliver('UserPromptSubmit', { session_id: uuid('r'), prompt: `use ${secret} for the api` });
  await machine.drained();
  const counts = async () => (await doctor(machine)).check('redacted secrets').evidence;
  await waitFor('the count', async () => /github-token 1/.test(await counts()), {
    explain: () => machine.logs(),
  });
  assert.ok(!(await counts()).includes(secret));
});

test('a setting of an earlier version is reported with what to do now', async (t) => {
  const machine = Machine.open(t);
  put(machine.places.config, { 'distill.consent': true });
  const { verdict, evidence, next } = (await doctor(machine)).check('settings');
  assert.equal(verdict, 'wrong');
  assert.match(evidence, /"distill\.consent" was removed/);
  assert.match(next ?? '', /Nothing replaces it: no language model is used any more\./);
});

test('a misspelt setting is reported with the right name', async (t) => {
  const machine = Machine.open(t);
  put(machine.places.config, { 'recall.breifTokens': 900 });
  const { verdict, next } = (await doctor(machine)).check('settings');
  assert.equal(verdict, 'wrong');
  assert.match(next ?? '', /recall\.briefTokens/);
});

test('a missing recorded Node is recorded again', async (t) => {
  const machine = Machine.open(t);
  await machine.up(); // a start records it
  put(machine.places.node, '/nowhere/node\n');
  assert.match((await doctor(machine)).check('node').evidence, /\/nowhere\/node.*no longer exists/);
  const after = await doctor(machine, '--fix');
  assert.equal(after.check('node').verdict, 'well');
  assert.equal(readFileSync(machine.places.node, 'utf8').trim(), process.execPath);
});

test('low disk space is reported', { skip: cannotMount() }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'dk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0700', 'tmpfs', folder]);
  const machine = new Machine({ TIDEMARK_HOME: join(folder, 'data') });
  t.after(async () => {
    await machine.close();
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  });
  await machine.up();
  assert.match((await doctor(machine)).check('disk').evidence, /only \d+ MB free/);
});

test('a bug report contains no memory, key, user name or project name', async (t) => {
  const machine = Machine.open(t);
  const secret = `ghp_${'x9Y8'.repeat(9)}`;
  await machine.cli(['remember', 'Zanzibar rotates the logs']);
  await machine.cli(['config', 'set', 'embed.url', 'https://api.example.com/v1']);
  writeFileSync(
    machine.places.log,
    `${JSON.stringify({ at: 'x', what: 'failed', error: `${machine.home}/x ${secret}` })}\n`,
    { flag: 'a' },
  );
  const { bundle } = await doctor(machine, '--bundle');
  assert.ok(bundle);
  assert.equal(statSync(bundle.path).mode & 0o777, 0o600);
  const text = readFileSync(bundle.path, 'utf8');
  assert.match(text, /## checks[\s\S]*well {2}daemon/);
  assert.match(text, /embed\.url = "https:\/\/api\.example\.com\/v1" \(user\)/);
  assert.match(text, /~\/x \[redacted:github-token\]/);
  const { project } = await machine.json<{ readonly project: string }>('journal');
  for (const hidden of [secret, 'Zanzibar', machine.home, machine.root, project])
    assert.ok(!text.includes(hidden), hidden);
  assert.ok((await machine.cli(['doctor', '--bundle'])).stdout.includes('Read it before you send it'));
});

function cannotMount(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'mounting a small disk needs root on Linux';
  return false;
}
