/**
 * `tidemark server start --dev`: from an empty folder to a memory that a second machine sees, and the same data after a
 * stop and after a kill. The embedded database runs in the server's own process.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { TRIAL_PACKAGES } from '../../src/server/trial/index.ts';
import { DIST, Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { Member, type Team } from './_member.ts';

/** The first start creates a database, on a machine that may be busy. */
const START_TIMEOUT_MS = 180_000;

interface Started {
  readonly url: string;
  readonly stdout: string;
  readonly key: string | undefined;
  /** Ends it and resolves with the exit code or the signal. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

async function startTrial(t: TestContext, machine: Machine, port = 0): Promise<Started> {
  const args = ['server', 'start', '--dev', '--listen', `127.0.0.1:${port}`];
  const named = ['--team', 'Harbour', '--owner', 'Ada'];
  const child = spawn(process.execPath, [join(DIST, 'cli.cjs'), ...args, ...named], {
    env: machine.env,
    cwd: machine.project,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (piece: string) => (said[name] += piece));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  t.after(() => end('SIGKILL'));
  await waitFor('the trial', () => said.stdout.includes('Ctrl-C stops') || child.exitCode !== null, {
    timeout: START_TIMEOUT_MS,
    explain: () => said.stderr,
  });
  assert.equal(child.exitCode, null, said.stderr);
  const url = /^Tidemark team server at (\S+)$/m.exec(said.stdout)?.[1];
  assert.ok(url, said.stdout);
  return { url, stdout: said.stdout, key: /^Key: +(tmk_\S+)$/m.exec(said.stdout)?.[1], end };
}

function teamAt(url: string): Team {
  return {
    url,
    away: false,
    hangUps: 0,
    member: () => assert.fail('members are added with the command line'),
    entries: () => [],
  };
}

test('a trial serves a team from one command, and keeps its data through a stop and a kill', async (t) => {
  const machine = Machine.open(t);
  const first = await startTrial(t, machine);
  const port = Number(new URL(first.url).port);
  assert.match(first.stdout, /This is a trial: an embedded database/);
  assert.match(first.stdout, new RegExp(`tidemark login ${first.url}$`, 'm'));
  assert.ok(first.key);
  assert.partialDeepStrictEqual(await (await fetch(`${first.url}/healthz`)).json(), {
    name: 'tidemark',
    trial: true,
  });

  const second = await machine.cli(['server', 'start', '--dev', '--listen', '127.0.0.1:0']);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /another process uses the trial database in .*\nhint: Stop that server first/);

  const login = await machine.cli(['login', first.url, '--key-stdin'], { input: first.key });
  assert.match(login.stderr, /is a trial of a Tidemark team server/);
  assert.match(login.stdout, /as Ada \(owner\) of Harbour/);

  const ada = await Member.open(t, teamAt(first.url), { name: 'Ada', key: first.key });
  await ada.remember('Refresh tokens rotate on every use');
  await ada.share();
  await ada.exchange();

  // While the server has the database, it runs the operator's commands.
  const added = await machine.cli(['server', 'member', 'add', 'Ben', '--dev']);
  assert.match(added.stderr, /key create --member \S+ --dev$/m);
  const key = (await machine.cli(['server', 'key', 'create', '--member', 'Ben', '--dev'])).stdout.trim();
  const ben = await Member.open(t, teamAt(first.url), { name: 'Ben', key });
  await ben.share();
  await ben.exchange();
  const titles = async (one: Member) => (await one.memories()).map(({ title }) => title).toSorted();
  assert.deepEqual(await titles(ben), ['Refresh tokens rotate on every use']);
  const unknown = await machine.cli(['server', 'member', 'remove', 'Nobody', '--dev']);
  assert.equal(unknown.code, 3);
  assert.match(unknown.stderr, /there is no member "Nobody"/);

  const status = await machine.cli(['server', 'status', '--dev']);
  assert.match(status.stdout, /^Database +trial in .*, PostgreSQL \d+/m, status.stderr);
  assert.match(status.stdout, /^Teams +1, 2 members \(0 removed\), 1 project, 1 memory$/m);

  assert.equal(await first.end('SIGINT'), 0);
  const again = await startTrial(t, machine, port);
  assert.equal(again.key, undefined, 'a key is shown once');
  assert.match(again.stdout, /^Team: +Harbour$/m);
  await ben.remember('Sessions expire after a day');
  await ben.exchange();
  assert.equal(await again.end('SIGKILL'), 'SIGKILL');

  const members = await machine.cli(['server', 'member', 'list', '--dev']);
  assert.match(members.stdout, /owner +Ada\n.*member +Ben/, members.stderr);
  await startTrial(t, machine, port);
  await ada.exchange();
  assert.deepEqual(await titles(ada), ['Refresh tokens rotate on every use', 'Sessions expire after a day']);

  const removed = await machine.cli(['server', 'member', 'remove', 'Ben', '--erase', '--yes', '--dev']);
  assert.match(removed.stdout, /Forgotten: 1 memory/, removed.stderr);
  await ada.exchange();
  assert.deepEqual(
    await titles(ada),
    ['Refresh tokens rotate on every use'],
    'erased on the machines of others',
  );
  await ben.exchange();
  assert.equal((await ben.team()).problem?.code, 'team.key');
  assert.deepEqual((await titles(ben)).length, 2, 'what is on their own machine stays there');
});

test('a trial refuses a folder with other files, and options that contradict it', async (t) => {
  const machine = Machine.open(t);
  const folder = join(machine.root, 'other');
  mkdirSync(join(folder, 'database'), { recursive: true });
  writeFileSync(join(folder, 'database', 'mine.txt'), 'mine');
  const other = await machine.cli(['server', 'start', '--dev', '--data', folder]);
  assert.equal(other.code, 2);
  assert.match(other.stderr, /contains other files/);
  assert.equal(readFileSync(join(folder, 'database', 'mine.txt'), 'utf8'), 'mine');
  const both = await machine.cli(['server', 'start', '--dev', '--database', 'postgres://x@127.0.0.1:1/x']);
  assert.equal(both.code, 2);
  assert.match(both.stderr, /--dev has its own database/);
  const none = await machine.cli(['server', 'member', 'list', '--data', folder]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /Add --dev/);
});

test('the packages of a trial are those that the tests use', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(DIST, '..', '..', 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  for (const [name, version] of Object.entries(TRIAL_PACKAGES)) assert.equal(devDependencies[name], version);
});
