/** A memory whose file changed after its session is injected with a note, with the real client. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openStage } from '../support/claude.ts';
import { contextOf } from '../support/hook-context.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { assertTold, decisionStored, makeDecision, startAnew } from './_decision.ts';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test('a memory says that its file changed since, and only if it did', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await makeDecision(stage);
      await decisionStored(stage);

      const before = await startAnew(stage);
      assertTold(stage, before, 'SessionStart');
      const told = contextOf(before.requests[0], 'SessionStart');
      assert.doesNotMatch(told, /auth\.ts changed since/, 'the session’s own edits do not count');

      writeFileSync(join(stage.project, 'auth.ts'), 'export const rotation = "daily";\n');
      const after = await startAnew(stage);
      assertTold(stage, after, 'SessionStart');
      assert.match(contextOf(after.requests[0], 'SessionStart'), /auth\.ts changed since/);
    });
  });
}
