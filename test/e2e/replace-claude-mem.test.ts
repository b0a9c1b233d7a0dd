/** A user of claude-mem: install offers to import its memories and to turn it off, and never does so unasked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Stage } from '../support/claude.ts';
import { claudeCode, CLAUDE_CODE_VERSIONS } from '../support/parts.ts';
import { makeClaudeMem } from '../support/claude-mem.ts';
import { atTerminal, NO_TERMINAL, openInstallStage, settingsOf, tidemark } from '../support/install-stage.ts';

const { path: claude, skip } = claudeCode(CLAUDE_CODE_VERSIONS[0]);
const ID = 'claude-mem@thedotmack';

test(
  'install at a terminal asks to import and then to turn it off',
  { skip: skip || NO_TERMINAL },
  async (t) => {
    const stage = await withClaudeMem(t);
    const screen = await atTerminal(
      stage,
      ['install', '--no-history', '--agent', 'claude-code'],
      ['y\r', 'y\r'],
      /\[[Yy]\/[Nn]\]/,
    );
    assert.match(screen, /Import the memories of claude-mem: .*memor/);
    assert.match(screen, /Turn claude-mem off\?/);
    assert.match(screen, /claude plugin disable claude-mem@thedotmack/);
    assert.match(screen, /claude-mem@thedotmack is off in Claude Code; its data stays/);
    assert.match(settingsOf(stage), /"claude-mem@thedotmack": false/);
    const found = await tidemark(stage, ['search', 'refresh', 'tokens', '--all', '--json']);
    assert.match(found.stdout, /"by": "claude-mem"/);
    const again = await tidemark(stage, ['install', '--yes', '--no-history', '--json']);
    const { replacedPeers } = JSON.parse(again.stdout) as { replacedPeers: readonly object[] };
    assert.deepEqual(replacedPeers, [{ already: 'not used' }]);
  },
);

test('--yes alone leaves it on and says how; the option decides', { skip }, async (t) => {
  const stage = await withClaudeMem(t);
  const left = await tidemark(stage, ['install', '--yes', '--no-history']);
  assert.equal(left.code, 0, left.stderr);
  assert.match(left.stderr, /claude-mem: .* to import, and it still runs in Claude Code/);
  assert.match(left.stderr, /→ .*tidemark import claude-mem --disable/);
  assert.match(settingsOf(stage), /"claude-mem@thedotmack": true/);
  const doctor = await tidemark(stage, ['doctor']);
  assert.match(
    doctor.stdout,
    /import its memories and then turn it off: tidemark import claude-mem --disable/,
  );
  const planned = await tidemark(stage, ['install', '--yes', '--dry-run', '--replace-claude-mem']);
  assert.match(
    planned.stdout,
    /import the memories of claude-mem\n {2}turn off claude-mem@thedotmack in Claude Code/,
  );

  const replaced = await tidemark(stage, ['import', 'claude-mem', '--disable']);
  assert.equal(replaced.code, 0, replaced.stderr);
  assert.match(replaced.stdout, /claude-mem@thedotmack is off in Claude Code/);
  assert.match(settingsOf(stage), /"claude-mem@thedotmack": false/);
});

/** The client with a plugin of that name, as its marketplace installs it, and a database in claude-mem's schema. */
async function withClaudeMem(t: TestContext): Promise<Stage> {
  const stage = await openInstallStage(t, claude);
  makeClaudeMem(stage.home, stage.project);
  const folder = join(stage.home, 'thedotmack');
  const put = (path: string, json: object): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(json));
  };
  const owner = { name: 'Someone' };
  put('.claude-plugin/marketplace.json', {
    name: 'thedotmack',
    owner,
    plugins: [{ name: 'claude-mem', source: './plugin' }],
  });
  put('plugin/.claude-plugin/plugin.json', { name: 'claude-mem', version: '13.25.3', description: 'memory' });
  const run = (...args: readonly string[]): void =>
    void execFileSync(claude, ['plugin', ...args], { env: stage.env(), stdio: 'pipe' });
  run('marketplace', 'add', folder);
  run('install', ID);
  return stage;
}
