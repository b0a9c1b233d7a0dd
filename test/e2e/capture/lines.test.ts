/** The lines that the user sees, and that neither they nor injected memories are stored as part of a turn. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callDaemon } from '../../support/call.ts';
import { openStage } from '../../support/claude.ts';
import { contextOf } from '../../support/hook-context.ts';
import { claudeCode, part, TESTED_VERSIONS } from '../../support/parts.ts';
import { waitFor } from '../../support/wait-for.ts';
import { assertTurns, exported, settle, streamed, tidemark } from './_captured.ts';
import { ask, leave, script, sitDown } from './_person.ts';

const DECIDED =
  'We decided to rotate refresh tokens on every use because stolen tokens must die. [[say Noted.]]';
const RELATED = 'Why did we decide to rotate refresh tokens on every use? [[say Stolen ones die.]]';

const DISCOVERY = {
  kind: 'discovery',
  title: 'Why we rotate refresh tokens on every use: two open tabs look like theft',
  body: 'Both tabs send the same refresh token; the second rotation is taken for theft. The grace period of 10 s covers it, but a laptop that wakes up after hours does not refresh within that time.',
  facts: [],
  concepts: [],
  files: [],
} as const;

const tmux = part('tmux');

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test(
      'what was remembered is named once, with the next prompt, and only to the user',
      { skip },
      async (t) => {
        const stage = await openStage(t, { claude });
        const messages = async (prompt: string, ...args: readonly string[]) =>
          (await streamed(stage, prompt, args)).filter((line) => line.includes('Remembered:'));
        assert.deepEqual(await messages(DECIDED), [], 'nothing is stored yet when the agent stops');
        await settle(stage);
        const told = await messages(RELATED, '--continue');
        const notices = told.map((line) => JSON.parse(line) as { subtype: string; content: string });
        // 2.1.197 has no line for it in print mode.
        assert.equal(notices.length, version === '2.1.197' ? 0 : 1, told.join('\n'));
        for (const { subtype, content } of notices) {
          assert.equal(subtype, 'informational');
          assert.match(content, /Remembered: .*refresh tokens.* · undo: \/tidemark:undo/i);
        }
        await settle(stage);
        assert.deepEqual(
          await messages('Hello [[say Hello.]]', '--continue'),
          [],
          'a question stores nothing',
        );
        assert.doesNotMatch(JSON.stringify(stage.mock.requests), /Remembered:/);
      },
    );

    test(
      'a terminal shows the previous session, and what was remembered with the next prompt',
      { skip: skip ?? tmux.skip },
      async (t) => {
        const stage = await openStage(t, { claude });
        await stage.run(DECIDED);
        await settle(stage);
        script(stage, 'From now on', { text: 'Tabs it is.' });
        script(stage, 'Hello', { text: 'Hello to you.' });
        const { terminal, session } = await sitDown(t, stage, { tmux: tmux.path, claude });
        await terminal.waitFor(/SessionStart:startup says: Tidemark: Previous session \(.*1 turn\)/);
        const rule = 'From now on we always indent with tabs here.';
        await ask(terminal, rule, 'Tabs it is.');
        const stored = () => callDaemon(stage.places, 'read.search', { query: 'indent tabs' });
        await waitFor('the memory', async () => (await stored()).hits.length > 0, {
          explain: () => stage.logs(),
        });
        await ask(terminal, 'Hello there', 'Hello to you.');
        const screen = await terminal.waitFor(/Remembered: .*tabs.* · undo: \/tidemark:undo/i);
        assert.equal(screen.match(/Remembered:/g)?.length, 1);
        await leave(terminal);
        await assertTurns(stage, session, [
          { prompt: rule, answer: 'Tabs it is.', outcome: 'answered' },
          { prompt: 'Hello there', answer: 'Hello to you.', outcome: 'answered' },
        ]);
      },
    );

    test('injected memories are never stored as part of a turn', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await stage.run(DECIDED);
      await settle(stage);
      // The brief has only a line of it, so the prompt gets the rest.
      await callDaemon(stage.places, 'remember', { dir: stage.project, draft: DISCOVERY });
      const first = await stage.run(RELATED);
      const given = ['SessionStart', 'UserPromptSubmit'].map((event) => contextOf(first.requests[0], event));
      for (const text of given) assert.match(text, /rotate refresh tokens/i, stage.logs());
      const args = ['--resume', first.session];
      await stage.run('/compact', { args });
      await stage.run(RELATED, { args });
      await stage.run(RELATED, { args: [...args, '--fork-session'] });
      await settle(stage);
      tidemark(stage, ['import', 'history']);

      const openings = given.map((text) => text.trim().slice(0, 60));
      const kept = exported(stage);
      for (const opening of openings) assert.ok(!kept.includes(opening), opening);
      assert.doesNotMatch(kept, /<\/?tidemark|hook additional context|Memories of earlier sessions/i);
    });
  });
}
