/** `tidemark demo` as real processes: what it shows, what it leaves alone, and that nothing of it remains. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { placesIn } from '../../src/core/index.ts';
import { addOpenCodeSessions, placeSessions } from '../support/agent-sessions.ts';
import { daemonPid, isAlive } from '../support/daemon.ts';
import { filesIn } from '../support/files-in.ts';
import { DIST, Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';

const TRANSCRIPTS = join(import.meta.dirname, '..', 'fixtures', 'transcripts');
/** Without the built-in model: a demo does not take settings from the environment. */
const DEMO = [join(DIST, 'cli.cjs'), 'demo', '--set', 'embed.driver=none'];

test('without past sessions the demo shows the sample, and Ctrl-C removes all of it', async (t) => {
  const machine = Machine.open(t);
  const demo = startDemo(machine);
  const greeting = await demo.greeting();
  assert.match(greeting, /No past sessions of a coding agent were found, so the demo shows a sample project/);
  assert.match(
    greeting,
    /^Remembered: +[1-9]\d* memories from 9 turns in 3 sessions of 1 project \(invented\)\.$/m,
  );
  assert.match(greeting, /^Install: +\S+tidemark install$/m);
  const hub = /^Hub: +(http:\S+)$/m.exec(greeting)?.[1] ?? '';
  assert.equal((await fetch(hub, { redirect: 'manual' })).status, 303);
  demo.signal('SIGINT');
  assert.equal(await demo.exitCode(), 0);
  assert.deepEqual(demoFolders(machine), []);
  await waitFor('every process to be gone', () => machine.processes().length === 0);
});

test('the demo reads sessions of all agents, and changes nothing outside its folder', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Rotate the logs every night']);
  await machine.stopDaemon();
  placePastSessions(machine);
  const outside = () =>
    [machine.places.home, machine.home, machine.config, machine.project].map((folder) => filesIn(folder));
  const before = outside();
  const demo = startDemo(machine, '--json');
  const { sample, sessions, turns, left, folder } = await demo.json();
  assert.equal(sample, false);
  assert.equal(left, 0);
  assert.ok(
    Number(sessions) > 15 && Number(turns) > 40,
    `${String(sessions)} sessions, ${String(turns)} turns`,
  );
  assert.ok(existsSync(String(folder)));
  demo.signal('SIGTERM');
  assert.equal(await demo.exitCode(), 0);
  assert.deepEqual(outside(), before);
  assert.deepEqual(demoFolders(machine), []);
});

test('a demo leaves the running daemon of the real memory alone', async (t) => {
  const machine = Machine.open(t);
  const { pid } = await machine.up();
  const demo = startDemo(machine);
  await demo.greeting();
  demo.signal('SIGINT');
  assert.equal(await demo.exitCode(), 0);
  assert.equal((await machine.call('status', {})).pid, pid);
  assert.deepEqual(await machine.call('read.projects', {}), []);
});

test('a closed terminal ends the demo and removes its folder', async (t) => {
  const machine = Machine.open(t);
  const demo = startDemo(machine);
  await demo.greeting();
  demo.closeTerminal();
  await demo.exitCode();
  assert.deepEqual(demoFolders(machine), []);
  await waitFor('every process to be gone', () => machine.processes().length === 0);
});

test('the daemon of a killed demo ends and removes the folder', async (t) => {
  const machine = Machine.open(t);
  const demo = startDemo(machine);
  await demo.greeting();
  demo.signal('SIGKILL');
  await demo.exitCode();
  await waitFor('the folder to be gone', () => demoFolders(machine).length === 0);
  await waitFor('every process to be gone', () => machine.processes().length === 0);
});

test('the next demo removes what a killed demo and its killed daemon left', async (t) => {
  const machine = Machine.open(t);
  const demo = startDemo(machine);
  await demo.greeting();
  const [left = ''] = demoFolders(machine);
  const daemon = daemonPid(placesIn(left)) ?? 0;
  process.kill(daemon, 'SIGKILL');
  demo.signal('SIGKILL');
  await demo.exitCode();
  await waitFor('the daemon to be gone', () => !isAlive(daemon));
  assert.deepEqual(demoFolders(machine), [left]);

  const next = startDemo(machine);
  await next.greeting();
  assert.equal(existsSync(left), false);
  assert.equal(demoFolders(machine).length, 1);
  next.signal('SIGINT');
  assert.equal(await next.exitCode(), 0);
  assert.deepEqual(demoFolders(machine), []);
});

test('a demo leaves the folder of another running demo alone', async (t) => {
  const machine = Machine.open(t);
  const [one, two] = [startDemo(machine), startDemo(machine)];
  await Promise.all([one.greeting(), two.greeting()]);
  assert.equal(demoFolders(machine).length, 2);
  two.signal('SIGINT');
  assert.equal(await two.exitCode(), 0);
  assert.equal(demoFolders(machine).length, 1);
  one.signal('SIGINT');
  assert.equal(await one.exitCode(), 0);
  assert.deepEqual(demoFolders(machine), []);
});

function startDemo(machine: Machine, ...args: readonly string[]) {
  const child = spawn(process.execPath, [...DEMO, ...args], {
    cwd: machine.project,
    env: machine.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  let code: number | null | undefined;
  child.on('exit', (exit) => (code = exit));
  const said = (what: string, isThere: () => boolean) =>
    waitFor(
      what,
      () => {
        if (code !== undefined) throw new Error(`the demo ended with ${code}:\n${stdout}${stderr}`);
        return isThere();
      },
      { explain: () => stdout + stderr },
    );
  return {
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** Nothing that the demo writes from now on reaches a reader. */
    closeTerminal: () => {
      child.stdout.destroy();
      child.stderr.destroy();
      child.kill('SIGHUP');
    },
    greeting: async () => {
      await said('the greeting', () => stderr.includes('Ctrl-C ends the demo'));
      return stdout + stderr;
    },
    json: async () => {
      await said('the report', () => stdout.endsWith('}\n'));
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    exitCode: async () => {
      await waitFor('the end of the demo', () => code !== undefined, { explain: () => stdout + stderr });
      return code;
    },
  };
}

/** Recorded sessions of Claude Code and of the other agents. */
function placePastSessions(machine: Machine): void {
  const folder = join(machine.config, 'projects', '-app');
  mkdirSync(folder, { recursive: true });
  const ended = new Date(Date.now() - 60 * 60 * 1000);
  for (const name of readdirSync(TRANSCRIPTS).filter((file) => file.endsWith('.jsonl'))) {
    cpSync(join(TRANSCRIPTS, name), join(folder, name));
    utimesSync(join(folder, name), ended, ended);
  }
  placeSessions(machine.home, machine.project);
  addOpenCodeSessions(machine.home, machine.project);
}

function demoFolders(machine: Machine): readonly string[] {
  const temp = machine.env['TMPDIR'] ?? '';
  return readdirSync(temp)
    .filter((name) => name.startsWith('tidemark-demo-'))
    .map((name) => join(temp, name));
}
