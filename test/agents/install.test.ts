/** `tidemark install` with two real clients: one question for each, one result for each, and no need for Claude Code. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Stage } from '../support/claude.ts';
import { claudeCode, part } from '../support/parts.ts';
import {
  atTerminal,
  flat,
  NO_TERMINAL,
  openInstallStage,
  SETTINGS,
  settingsOf,
  tidemark,
} from '../support/install-stage.ts';

const codex = part('codex-0.166.0');
const client = claudeCode('2.1.325');
const skip = codex.skip ?? client.skip;
const CONFIG = 'model = "gpt-5.5" # mine\r\n';

interface AgentResult {
  readonly agent: string;
  readonly isNew: boolean;
  readonly done: readonly string[];
  readonly failed?: { readonly code: string };
}

test(
  'each agent is asked for once, and only those confirmed are changed',
  { skip: skip ?? NO_TERMINAL },
  async (t) => {
    const stage = await open(t);
    const args = ['install', '--no-history', '--no-allow-notes'];
    const first = flat(await atTerminal(stage, args, ['n\r', '\r'], ASKS));
    assert.match(first, /Install Tidemark into Claude Code\? claude plugin marketplace add/);
    assert.match(first, /Install Tidemark into Codex\? add \d+ hooks to ~\/\.codex\/hooks\.json/);
    assert.match(first, /Left for you to do .*not trusted.* → Start codex once/);
    assert.equal(settingsOf(stage), SETTINGS);
    assert.ok(existsSync(join(stage.home, '.codex', 'hooks.json')));

    const second = flat(await atTerminal(stage, args, ['y\r'], ASKS));
    assert.doesNotMatch(second, /Install Tidemark into Codex\?/);
    assert.match(second, /Codex already installed, nothing to change/);
    assert.match(settingsOf(stage), /tidemark@tidemark/);
    assert.match(flat(await atTerminal(stage, args, [], ASKS)), /Claude Code already installed/);
  },
);

test(
  'it is installed and removed per agent, twice without a change, and works without Claude Code',
  { skip },
  async (t) => {
    const stage = await open(t);
    const twice = [await install(stage, '--yes'), await install(stage, '--yes')];
    assert.deepEqual(
      twice.map((agents) => agents.map(({ agent, isNew, done }) => [agent, isNew, done.length > 0])),
      [
        [
          ['claude-code', true, true],
          ['codex', true, true],
        ],
        [
          ['claude-code', false, false],
          ['codex', false, false],
        ],
      ],
    );
    const doctor = await tidemark(stage, ['doctor']);
    assert.equal(doctor.code, 1, 'hooks that are not trusted do not run');
    assert.match(doctor.stdout, /^Claude Code\n[^]*\nCodex\n✓ client +0\.166\.0 installed/);
    assert.match(doctor.stdout, /✗ installation +.*not trusted.*\n +→ Start codex once/);
    assert.match((await tidemark(stage, ['status'])).stdout, /^Claude Code: .*\nCodex: .*not trusted/m);

    const removed = await tidemark(stage, ['uninstall', '--agent', 'codex']);
    assert.match(removed.stdout, /^Tidemark stays in Claude Code\.$/m);
    assert.equal(readFileSync(join(stage.home, '.codex', 'config.toml'), 'utf8'), CONFIG);
    assert.ok(!existsSync(join(stage.home, '.codex', 'hooks.json')));
    assert.ok(existsSync(stage.places.program));
    assert.ok(!existsSync(join(stage.places.home, 'agent.sh')), 'Claude Code does not run it');

    assert.equal((await tidemark(stage, ['uninstall'])).code, 0);
    assert.equal(settingsOf(stage), SETTINGS);
    rmSync(join(stage.home, 'bin', 'claude'));
    assert.deepEqual(
      (await install(stage, '--yes', '--no-history')).map(({ agent }) => agent),
      ['codex'],
    );
    const last = await tidemark(stage, ['uninstall', '--agent', 'codex', '--json']);
    assert.deepEqual((JSON.parse(last.stdout) as { left: unknown }).left, []);
    assert.ok(!existsSync(stage.places.program), 'no agent is left');
    assert.ok(!existsSync(join(stage.places.home, 'agent.sh')));
  },
);

test('a failure in one agent does not stop the others', { skip }, async (t) => {
  const stage = await open(t);
  const broken = join(stage.home, '.codex', 'hooks.json');
  writeFileSync(broken, '{ not JSON');
  const { code, stdout } = await tidemark(stage, ['install', '--yes', '--no-history', '--json']);
  assert.equal(code, 1);
  const { agents } = JSON.parse(stdout) as { agents: readonly AgentResult[] };
  assert.deepEqual(
    agents.map(({ agent, failed }) => [agent, failed !== undefined]),
    [
      ['claude-code', false],
      ['codex', true],
    ],
  );
  assert.equal(readFileSync(broken, 'utf8'), '{ not JSON');
  rmSync(broken);
  assert.deepEqual(
    (await install(stage, '--agent', 'codex', '--no-history')).map(({ agent, isNew }) => [agent, isNew]),
    [['codex', true]],
  );
});

/** Every question ends like this. */
const ASKS = /\[[Yy]\/[Nn]\]/;

/** Claude Code and Codex on the PATH, both with settings of the user. */
async function open(t: TestContext): Promise<Stage> {
  const stage = await openInstallStage(t, client.path);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${codex.path}' "$@"\n`;
  writeFileSync(join(stage.home, 'bin', 'codex'), program, { mode: 0o755 });
  mkdirSync(join(stage.home, '.codex'));
  writeFileSync(join(stage.home, '.codex', 'config.toml'), CONFIG);
  return stage;
}

async function install(stage: Stage, ...args: readonly string[]): Promise<readonly AgentResult[]> {
  const { code, stdout, stderr } = await tidemark(stage, ['install', ...args, '--json']);
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { agents: readonly AgentResult[] }).agents;
}
