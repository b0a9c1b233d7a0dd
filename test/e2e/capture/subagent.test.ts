/** Subagents: their own conversation, and the prompt that the client makes when one in the background has finished. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Moment } from '../../../src/recall/index.ts';
import { openStage, type Stage } from '../../support/claude.ts';
import { claudeCode, TESTED_VERSIONS } from '../../support/parts.ts';
import { sessionOf, settle, tidemark, turnsOf } from './_captured.ts';

const DECIDED = 'We decided that the service listens on port 4711 because 8080 is taken. [[say Noted.]]';
const ASKED = 'Ask a helper which port the service listens on.';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test('a subagent in the background gives three linked turns', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await stage.run(DECIDED);
      await settle(stage);
      playHelper(stage);
      const { session } = await stage.run(ASKED);

      const turns = await turnsOf(stage, session);
      const byOrigin = (origin: string) => turns.filter((turn) => turn.origin === origin);
      const [[main], [helper], [report]] = [byOrigin('person'), byOrigin('subagent'), byOrigin('task')];
      assert.equal(turns.length, 3, JSON.stringify(turns, null, 2));
      assert.deepEqual(
        [
          main?.prompt,
          main?.answer,
          main?.outcome,
          main?.tools.map(({ name, status }) => `${name} ${status}`),
        ],
        [ASKED, 'A helper is looking.', 'answered', ['Agent ok']],
      );
      assert.deepEqual(
        [helper?.prompt, helper?.answer, helper?.outcome, helper?.continues],
        ['Find the port of the service.', 'It is 4711.', 'answered', main?.id],
      );
      assert.match(report?.prompt ?? '', /^<task-notification>/);
      assert.deepEqual(
        [report?.answer, report?.outcome, report?.continues],
        ['The helper found 4711.', 'answered', main?.id],
      );
      assert.equal((await sessionOf(stage, session)).turns, 1, 'the user asked once');

      const answers = tidemark<readonly Moment[]>(stage, ['why', session]);
      assert.deepEqual(
        answers.map(({ where }) => where),
        ['brief', 'prompt', 'prompt'],
      );
      assert.match(answers[2]?.reason ?? '', /the agent wrote this prompt, not you/);
    });
  });
}

function playHelper(stage: Stage): void {
  const input = {
    description: 'find the port',
    prompt: 'Find the port of the service.',
    subagent_type: 'general-purpose',
  };
  const background = { ...input, run_in_background: true };
  stage.mock.rules.push(
    {
      when: { prompt: '^Ask a helper', step: 0, hasTool: 'Agent' },
      reply: { tools: [{ name: 'Agent', input: background }] },
    },
    { when: { prompt: '^Ask a helper', step: 1, hasTool: 'Agent' }, reply: { text: 'A helper is looking.' } },
    { when: { prompt: '^Find the port' }, reply: { text: 'It is 4711.' } },
    // What the client says itself is a message of the system in newer versions, of the user in older ones.
    { when: { prompt: '^(Ask a helper|<task-notification>)' }, reply: { text: 'The helper found 4711.' } },
  );
}
