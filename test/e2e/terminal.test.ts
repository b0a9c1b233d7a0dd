/** The client at a terminal: a prompt is answered, and closing the terminal ends every process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStage } from '../support/claude.ts';
import { processesWith } from '../support/left-behind.ts';
import { claudeCode, part, TESTED_VERSIONS } from '../support/parts.ts';
import { openTerminal } from '../support/tmux.ts';

const tmux = part('tmux');

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip = tmux.skip } = claudeCode(version);

  test(
    `Claude Code ${version} answers at a terminal, and closing it ends every process`,
    { skip },
    async (t) => {
      const stage = await openStage(t, { claude });
      const terminal = await openTerminal(t, stage, { tmux: tmux.path, claude });
      await terminal.waitFor('❯');
      await terminal.submit('Say it [[say the quick answer]]');
      await terminal.waitFor('● the quick answer');
      assert.notDeepEqual(processesWith('TMUX_TMPDIR', stage.home), []);
      await stage.close();
      assert.deepEqual(processesWith('TMUX_TMPDIR', stage.home), []);
      assert.deepEqual(processesWith('HOME', stage.home), []);
    },
  );
}
