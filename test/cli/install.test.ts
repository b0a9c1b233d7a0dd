/** `tidemark install --dry-run`: everything a run would do or ask, and nothing done. The installing itself is in test/e2e. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Machine } from '../support/machine.ts';

/** Without the folders where a developer's own agents are. */
const PATH = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample', 'projects');

test('a dry run names each step, question and price, and leaves no trace', async (t) => {
  const machine = withClient(t);
  const { code, stdout, stderr } = await machine.cli(['install', '--dry-run']);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^Claude Code\n {2}claude plugin marketplace add .*\n {2}claude plugin install tidemark@tidemark --scope user\nThen\n/,
  );
  assert.match(stdout, /\n {2}create the command ~\/\.local\/bin\/tidemark\n/);
  assert.match(
    stdout,
    /\n {2}ask whether to import what is not yet imported of 3 past sessions, \d+ KB: free\n$/,
  );
  assert.doesNotMatch(stdout, /download/);
  assert.ok(!existsSync(machine.places.home));
  assert.deepEqual(readdirSync(machine.config), ['projects']);
});

test('with --yes it would ask nothing; what is left out is not named', async (t) => {
  const machine = withClient(t);
  const { stdout } = await machine.cli(['install', '--dry-run', '--yes', '--json']);
  const { steps } = JSON.parse(stdout) as { steps: readonly string[] };
  assert.match(steps.at(-1) ?? '', /^import what is not yet imported of 3 past sessions/);
  assert.doesNotMatch(steps.join('\n'), /ask whether|download/);
});

test('without a coding agent it says what it looked for', async (t) => {
  const machine = Machine.open(t, { PATH });
  for (const args of [['install'], ['install', '--yes'], ['install', '--dry-run'], ['repair']]) {
    const { code, stdout, stderr } = await machine.cli([...args, '--json']);
    assert.equal(code, 1, stderr);
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string; hint: string } };
    assert.equal(error.code, 'no-client');
    assert.match(error.hint, /^Tidemark looked for Claude Code/);
  }
  assert.ok(!existsSync(machine.places.home));
});

test('an agent that is named must exist and be here', async (t) => {
  const machine = withClient(t);
  const wrong = await machine.cli(['install', '--agent', 'claude-code,claud-code', '--dry-run']);
  assert.equal(wrong.code, 2);
  assert.match(
    wrong.stderr,
    /there is no agent "claud-code"\n.*Did you mean "claude-code"\? Agents: claude-code/,
  );
  const named = await machine.cli(['install', '--agent', 'Claude-Code', '--dry-run', '--json']);
  assert.equal(named.code, 0, named.stderr);
  const { agents } = JSON.parse(named.stdout) as { agents: { agent: string; version: string }[] };
  assert.deepEqual(
    agents.map(({ agent, version }) => [agent, version]),
    [['claude-code', '2.1.325']],
  );
  rmSync(join(machine.home, '.local'), { recursive: true });
  const gone = await machine.cli(['install', '--agent', 'claude-code']);
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /Claude Code is not on this machine/);
});

test('uninstall says what stays, how large it is and how to delete it', async (t) => {
  const machine = Machine.open(t);
  const moved = join(machine.root, 'my journal');
  await machine.cli(['remember', 'Rotate the logs']);
  assert.equal((await machine.cli(['journal', 'move', moved])).code, 0);
  const dry = await machine.cli(['uninstall', '--dry-run']);
  assert.match(dry.stdout, /^keep .*\([\d.]+ [KM]B: memories, conversations, snapshots, settings\)$/m);
  const { stdout } = await machine.cli(['uninstall']);
  assert.match(stdout, /^Uninstalled\. .*\(\d+ KB: .*\) stays, and the next install uses it again\.$/m);
  assert.match(stdout, new RegExp(`^To delete it: rm -rf .*${basename(machine.places.home)}'?$`, 'm'));
  assert.match(stdout, /^Journals that you moved stay where they are: .*my journal\.$/m);
  const purged = await machine.cli(['uninstall', '--purge', '--yes']);
  assert.match(
    purged.stdout,
    /^Uninstalled\.\nJournals that you moved stay where they are: .*my journal\.$/m,
  );
  assert.equal(existsSync(machine.places.home), false);
  assert.ok(existsSync(moved));
});

test('uninstall without anything installed changes nothing', async (t) => {
  const machine = Machine.open(t);
  const dry = await machine.cli(['uninstall', '--dry-run']);
  assert.match(dry.stdout, /^nothing to remove/);
  const { code, stdout } = await machine.cli(['uninstall', '--agent', 'claude-code']);
  assert.equal(code, 0);
  assert.equal(stdout, 'Nothing to uninstall: Tidemark is not installed in any agent.\n');
  await machine.cli(['remember', 'Rotate the logs']);
  assert.match((await machine.cli(['uninstall'])).stdout, /^Uninstalled\./, 'the daemon was running');
  const second = await machine.cli(['uninstall']);
  assert.match(second.stdout, /^Nothing to uninstall: .*\n.* stays, .*\nTo delete it: rm -rf /);
  mkdirSync(join(machine.places.home, 'app'));
  const purge = await machine.cli(['uninstall', '--purge', '--dry-run']);
  assert.match(purge.stdout, /^remove the program in .*app$/m);
  assert.equal((await machine.cli(['uninstall', '--agent', 'claude-code', '--purge'])).code, 2);
  assert.deepEqual(readdirSync(machine.config), []);
});

/** A client that says its version, and past sessions. */
function withClient(t: TestContext): Machine {
  const machine = Machine.open(t);
  const bin = join(machine.home, '.local', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "2.1.325 (Claude Code)"\n', { mode: 0o755 });
  cpSync(SAMPLE, join(machine.config, 'projects'), { recursive: true });
  machine.setEnv({ PATH: [bin, PATH].join(delimiter) });
  return machine;
}
