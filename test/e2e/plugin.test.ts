/** The plugin as a user gets it: valid for the client, and installable from the clone as a local marketplace. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { giveTime, openStage, PATIENT, PLUGIN, ROOT, type Stage } from '../support/claude.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { assertTold, decisionStored, makeDecision, startAnew } from './_decision.ts';
import { installPath } from '../support/install-stage.ts';

/** The client says "passed with warnings" if there are any. */
const VALID = /Validation passed\s*$/;

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test('the plugin is valid, without a warning', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const output = await succeed(stage, 'plugin', 'validate', PLUGIN);
      assert.match(output, VALID);
    });

    test('the marketplace is valid, without a warning', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const output = await succeed(stage, 'plugin', 'validate', ROOT);
      assert.match(output, VALID);
    });

    test('installed from the clone as a local marketplace, it remembers', { skip }, async (t) => {
      const stage = await openStage(t, { claude, plugin: null, env: PATIENT });
      const { name } = JSON.parse(readFileSync(join(ROOT, '.claude-plugin', 'marketplace.json'), 'utf8')) as {
        name: string;
      };
      await succeed(stage, 'plugin', 'marketplace', 'add', ROOT);
      await succeed(stage, 'plugin', 'install', `tidemark@${name}`);
      giveTime(installPath(stage));
      await makeDecision(stage);
      await decisionStored(stage);
      const session = await startAnew(stage);
      assertTold(stage, session, 'SessionStart');
    });
  });
}

async function succeed(stage: Stage, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await stage.claude(args);
  assert.equal(code, 0, `claude ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout + stderr;
}
