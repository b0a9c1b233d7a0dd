/** A decision of one session is injected into the next, end to end, with the real client. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openStage, type Stage } from '../support/claude.ts';
import { contextOf } from '../support/hook-context.ts';
import { daemonPid, killDaemon } from '../support/daemon.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { waitFor } from '../support/wait-for.ts';
import { assertTold, assertToldAnew, decisionStored, makeDecision, startAnew } from './_decision.ts';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test('a decision reaches the next session at its start, and only once', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await makeDecision(stage);
      await decisionStored(stage);
      const session = await startAnew(stage);
      assertTold(stage, session, 'SessionStart');
      assert.equal(contextOf(session.requests[0], 'UserPromptSubmit'), '', 'the brief has it whole');
    });

    test('the brief is injected although the daemon was killed in between', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await makeDecision(stage);
      await decisionStored(stage);
      await killDaemon(stage.places);
      await assertToldAnew(stage);
    });

    test('an accepted turn survives a daemon that is killed right after it', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await makeDecision(stage);
      await killDaemon(stage.places);
      await startAnew(stage);
      await decisionStored(stage);
      await assertToldAnew(stage);
    });

    test('the brief is injected although the idle daemon had exited', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await makeDecision(stage, { env: { TIDEMARK_IDLE_MS: '200' } });
      await decisionStored(stage);
      await waitFor('the idle daemon to leave', () => daemonPid(stage.places) === undefined, {
        explain: () => stage.logs(),
      });
      await assertToldAnew(stage);
    });

    test('a client with no Node on its PATH uses the recorded one', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const env = { PATH: pathWithoutNode(stage) };
      writeFileSync(stage.places.node, `${process.execPath}\n`, { mode: 0o600 });
      await makeDecision(stage, { env });
      await decisionStored(stage);
      await assertToldAnew(stage, { env });
    });
  });
}

/** Makes a folder with all programs of the system except Node's. */
function pathWithoutNode(stage: Stage): string {
  const folder = join(stage.home, 'bin');
  mkdirSync(folder);
  const seen = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack']);
  for (const place of ['/usr/bin', '/bin']) {
    for (const name of readdirSync(place).filter((entry) => !seen.has(entry))) {
      seen.add(name);
      symlinkSync(join(place, name), join(folder, name));
    }
  }
  assert.ok(!readdirSync(folder).includes('node'));
  return folder;
}
