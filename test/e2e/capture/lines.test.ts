/** The lines that the user sees, and that neither they nor injected memories are stored as part of a turn. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openStage } from '../../support/claude.ts';
import { contextOf } from '../../support/hook-context.ts';
import { claudeCode, part, TESTED_VERSIONS } from '../../support/parts.ts';
import { assertTurns, keptTexts, sessionsOf, settle, streamed, tidemark } from './_captured.ts';
import { ask, leave, script, sitDown } from './_person.ts';

const DECIDED =
  'We decided to rotate refresh tokens on every use because stolen tokens must die. [[say Noted.]]';
const RELATED = 'Why did we decide to rotate refresh tokens on every use? [[say Stolen ones die.]]';

const tmux = part('tmux');

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test(
      '“Memory saved” is shown once per turn in print mode, and the model never gets it',
      { skip },
      async (t) => {
        const stage = await openStage(t, { claude });
        const prompt = 'Say it [[say It is said.]]';
        const told = (await streamed(stage, prompt)).filter((line) => line.includes('Memory saved'));
        const notices = told.map((line) => JSON.parse(line) as { subtype: string; content: string });
        assert.deepEqual(
          notices.map(({ subtype, content }) => `${subtype}: ${content}`),
          // 2.1.197 has no line for it in print mode.
          version === '2.1.197'
            ? []
            : ['informational: Stop says: Memory saved (2) [user: 26, assistant: 11]'],
        );
        const conversation = stage.mock.requests.filter(({ tools }) => (tools?.length ?? 0) > 0);
        assert.equal(conversation.length, 1, 'the agent was not sent on');
        assert.doesNotMatch(JSON.stringify(stage.mock.requests), /Memory saved/);

        const goOn = ['-p', '--continue', ...stage.pluginArgs, '--', 'Go on [[say Gone.]]'];
        assert.equal((await stage.claude(goOn)).stdout.trim(), 'Gone.');
        assert.doesNotMatch(JSON.stringify(stage.mock.requests), /Memory saved/);
        const [session] = await sessionsOf(stage);
        await assertTurns(stage, session?.id ?? '', [
          { prompt, answer: 'It is said.', outcome: 'answered' },
          { prompt: 'Go on [[say Gone.]]', answer: 'Gone.', outcome: 'answered' },
        ]);
      },
    );

    test(
      'a terminal shows the previous session and the saved turn, each once',
      { skip: skip ?? tmux.skip },
      async (t) => {
        const stage = await openStage(t, { claude });
        await stage.run(DECIDED);
        await settle(stage);
        script(stage, 'Hello', { text: 'Hello to you.' });
        const { terminal, session } = await sitDown(t, stage, { tmux: tmux.path, claude });
        await terminal.waitFor(/SessionStart:startup says: Previous session \(.*1 turn\)/);
        await ask(terminal, 'Hello there', 'Hello to you.');
        const screen = await terminal.waitFor('Stop says: Memory saved (2) [user: 11, assistant: 13]');
        assert.equal(screen.match(/Memory saved/g)?.length, 1);
        await leave(terminal);
        await assertTurns(stage, session, [
          { prompt: 'Hello there', answer: 'Hello to you.', outcome: 'answered' },
        ]);
      },
    );

    test('injected memories are never stored as part of a turn', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await stage.run(DECIDED);
      await settle(stage);
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
      const kept = [...keptTexts(stage.places.turns, stage.places.journal).values()].join('\n');
      for (const opening of openings) assert.ok(!kept.includes(opening), opening);
      assert.doesNotMatch(kept, /<\/?tidemark|hook additional context|Memories of earlier sessions/i);
    });
  });
}
