/** `tidemark install --dry-run`: everything a run would do or ask, and nothing done. The installing itself is in test/e2e. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Machine } from '../support/machine.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample', 'projects');

test('a dry run names each step, question and price, and leaves no trace', async (t) => {
  const machine = withClient(t);
  const { code, stdout, stderr } = await machine.cli(['install', '--dry-run']);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^claude plugin marketplace add .*\nclaude plugin install tidemark@tidemark --scope user\n/,
  );
  assert.match(stdout, /\ncreate the command ~\/\.local\/bin\/tidemark\n/);
  assert.match(stdout, /\nask whether to import what is new in 3 past sessions, \d+ KB: free\n/);
  assert.doesNotMatch(stdout, /download/);
  assert.match(stdout, /\nask whether a language model may write better memories: at most \$1\.00 a day\n$/);
  assert.ok(!existsSync(machine.places.home));
  assert.deepEqual(readdirSync(machine.config), ['projects']);
});

test('with --yes it would ask nothing and spend nothing; what is left out is not named', async (t) => {
  const machine = withClient(t);
  const { stdout } = await machine.cli(['install', '--dry-run', '--yes', '--json']);
  const { steps } = JSON.parse(stdout) as { steps: readonly string[] };
  assert.match(steps.at(-1) ?? '', /^import what is new in 3 past sessions/);
  assert.doesNotMatch(steps.join('\n'), /ask whether|download/);
});

/** A client that says its version, and past sessions. */
function withClient(t: TestContext): Machine {
  const machine = Machine.open(t);
  const bin = join(machine.home, '.local', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "2.1.325 (Claude Code)"\n', { mode: 0o755 });
  cpSync(SAMPLE, join(machine.config, 'projects'), { recursive: true });
  machine.setEnv({ PATH: [bin, machine.env['PATH']].join(delimiter) });
  return machine;
}
