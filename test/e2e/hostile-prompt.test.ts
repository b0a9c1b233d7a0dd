/** The plugin in Claude Code: no part of a prompt is executed, and the hooks reach the daemon. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStage } from '../support/claude.ts';
import { promptAgainst } from '../support/hostile-text.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { waitFor } from '../support/wait-for.ts';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  test(
    `Claude Code ${version}: a prompt is not executed, and its hooks reach the daemon`,
    { skip },
    async (t) => {
      const stage = await openStage(t, { claude });
      const trap = join(stage.home, 'executed');
      await stage.run(promptAgainst(trap));
      assert.ok(!existsSync(trap), 'the prompt was executed');
      const heardFile = join(stage.places.run, 'heard.json');
      await waitFor(
        'the daemon to receive the prompt',
        () => existsSync(heardFile) && readFileSync(heardFile, 'utf8').includes('UserPromptSubmit'),
        { explain: () => stage.logs() },
      );
    },
  );
}
