/** Install, repair and uninstall with the real client, in a home whose settings already have other entries. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { NOTE_RULES } from '../../src/agents/index.ts';
import { daemonPid } from '../support/daemon.ts';
import { processesWith } from '../support/left-behind.ts';
import { currentHooks, oldHooks } from '../support/old-hooks.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { assertToldAnew, decisionStored, makeDecision } from './_decision.ts';
import {
  installPath,
  openInstallStage,
  SETTINGS,
  settingsOf,
  succeed,
  tidemark,
  tracesIn,
} from '../support/install-stage.ts';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test(
      'uninstall restores the settings byte for byte, keeps the journal and leaves no process',
      { skip },
      async (t) => {
        const stage = await openInstallStage(t, claude);
        const installed = await tidemark(stage, ['install', '--yes', '--json']);
        assert.equal(installed.code, 0, installed.stderr);
        assert.match(settingsOf(stage), /"tidemark@tidemark": true/);
        assert.match(settingsOf(stage), /other@elsewhere/);
        const twice = await tidemark(stage, ['install', '--yes', '--json']);
        const { history } = JSON.parse(twice.stdout) as { history: { already?: string } };
        assert.match(history.already ?? twice.stdout, /past sessions, all known/);
        await makeDecision(stage);
        await decisionStored(stage);
        await assertToldAnew(stage);
        const doctor = await tidemark(stage, ['doctor']);
        assert.equal(doctor.code, 0, doctor.stdout);
        assert.match(doctor.stdout, new RegExp(`✓ client +${version} installed, last seen ${version}`));
        assert.match(doctor.stdout, /✓ installation +tidemark@tidemark \S+ is installed and on/);
        assert.match(doctor.stdout, /✓ last event +\w+, (?:just now|\d+m ago)/);
        assert.match(doctor.stdout, /✓ hooks received +SessionStart (?:just now|\d+m ago)/);

        const before = settingsOf(stage);
        assert.equal((await tidemark(stage, ['install', '--yes'])).code, 0);
        assert.equal(settingsOf(stage), before, 'a second install rewrites nothing');

        const allow = ['install', '--yes', '--no-history'];
        assert.equal((await tidemark(stage, [...allow, '--allow-notes'])).code, 0);
        for (const rule of NOTE_RULES) assert.ok(settingsOf(stage).includes(`"${rule}"`), settingsOf(stage));
        assert.equal((await tidemark(stage, [...allow, '--no-allow-notes'])).code, 0);
        assert.equal(settingsOf(stage), before, 'the rules come off again');
        assert.equal((await tidemark(stage, [...allow, '--allow-notes'])).code, 0);

        const gone = await tidemark(stage, ['uninstall']);
        assert.equal(gone.code, 0, gone.stderr);
        assert.match(gone.stderr, /byte for byte/);
        assert.equal(settingsOf(stage), SETTINGS);
        assert.equal(daemonPid(stage.places), undefined);
        assert.deepEqual(processesWith('TIDEMARK_HOME', stage.places.home), []);
        assert.deepEqual(tracesIn(stage), []);
        await stage.run('Say hello.');
        assert.equal(daemonPid(stage.places), undefined, 'our hooks no longer run');
        const found = await tidemark(stage, ['search', '--all', 'refresh', 'tokens']);
        assert.match(found.stdout, /rotate refresh tokens/i, 'the memories stay');
      },
    );

    test(
      'uninstall keeps later changes to the settings, and --purge removes all our files',
      { skip },
      async (t) => {
        const stage = await openInstallStage(t, claude);
        await tidemark(stage, ['install', '--yes']);
        await makeDecision(stage);
        const file = join(stage.config, 'settings.json');
        writeFileSync(file, settingsOf(stage).replace('{\n', '{\n   "theme":\t"dark",\n'));
        const refused = await tidemark(stage, ['uninstall', '--purge']);
        assert.equal(refused.code, 2, '--yes is required');
        const gone = await tidemark(stage, ['uninstall', '--purge', '--yes', '--json']);
        assert.equal(gone.code, 0, gone.stderr);
        const { agents } = JSON.parse(gone.stdout) as { agents: { done: readonly string[] }[] };
        assert.match(agents[0]?.done.join('\n') ?? '', /our entries removed from .*settings\.json/);
        assert.ok(settingsOf(stage).startsWith('{\n   "theme":\t"dark",\n'), settingsOf(stage));
        assert.ok(!settingsOf(stage).includes('tidemark'));
        assert.deepEqual(JSON.parse(settingsOf(stage)), {
          theme: 'dark',
          ...(JSON.parse(SETTINGS) as object),
        });
        assert.ok(!existsSync(stage.places.home));
        assert.deepEqual(tracesIn(stage), []);
        assert.deepEqual(processesWith('TIDEMARK_HOME', stage.places.home), []);
      },
    );

    test('repair fixes everything that was broken', { skip }, async (t) => {
      const stage = await openInstallStage(t, claude);
      await tidemark(stage, ['install', '--no-history']);
      await succeed(stage, 'plugin', 'disable', 'tidemark@tidemark');
      assert.match((await tidemark(stage, ['repair'])).stdout, /Repaired: the plugin is turned off/);
      await succeed(stage, 'plugin', 'marketplace', 'remove', 'tidemark'); // takes the plugin with it
      writeFileSync(stage.places.node, '/nowhere/node\n');
      const { code, stdout, stderr } = await tidemark(stage, ['repair']);
      assert.equal(code, 0, stderr);
      assert.match(stdout + stderr, /recorded Node no longer exists/);
      assert.equal(readFileSync(stage.places.node, 'utf8'), `${process.execPath}\n`);
      await makeDecision(stage);
      await decisionStored(stage);

      const copy = installPath(stage);
      rmSync(join(copy, 'dist'), { recursive: true });
      assert.match((await tidemark(stage, ['repair'])).stdout, /copy of the plugin is incomplete/);
      assert.ok(existsSync(join(copy, 'dist', 'hook.cjs')));

      const manifest = join(copy, 'hooks', 'hooks.json');
      writeFileSync(manifest, oldHooks());
      assert.match((await tidemark(stage, ['repair'])).stdout, /unsafe hooks of an older version in /);
      assert.deepEqual(JSON.parse(readFileSync(manifest, 'utf8')), JSON.parse(currentHooks()));
      assert.equal((await tidemark(stage, ['repair'])).stdout, 'Nothing was broken.\n');
    });
  });
}

test('install names the agents it looked for where there is none, and refuses a client that is too old', async (t) => {
  const { path: claude, skip } = claudeCode('2.1.325');
  if (skip) return t.skip(skip);
  const stage = await openInstallStage(t, claude);
  const none = await tidemark(stage, ['install', '--json'], { PATH: dirname(process.execPath) });
  assert.equal(none.code, 1);
  const { error } = JSON.parse(none.stdout) as { error: { code: string; hint: string } };
  assert.equal(error.code, 'no-client');
  assert.match(error.hint, /looked for Claude Code/);
  const old = join(stage.home, 'old');
  mkdirSync(old);
  writeFileSync(join(old, 'claude'), '#!/bin/sh\necho "2.0.14 (Claude Code)"\n', { mode: 0o755 });
  const refused = await tidemark(stage, ['install'], { PATH: [old, stage.env()['PATH']].join(delimiter) });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /2\.0\.14 is too old.*needs 2\.1\.197[^]*claude update/);
  assert.equal(settingsOf(stage), SETTINGS);
});
