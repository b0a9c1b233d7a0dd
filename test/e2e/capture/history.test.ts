/** Resumed, continued, forked and compacted sessions. Copied or summarised history is never captured again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openStage, type Stage } from '../../support/claude.ts';
import { contextOf, contextsOf } from '../../support/hook-context.ts';
import { claudeCode, TESTED_VERSIONS } from '../../support/parts.ts';
import { assertTurns, sessionOf, settle, type Listed } from './_captured.ts';

const DECIDED =
  'We decided to keep all times in UTC because summer time broke the reports. [[say Noted: UTC.]]';
const UTC = /times in UTC/i;

const newer = claudeCode('2.1.325');

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test('a resumed and continued session stays one, and gets one brief', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await decide(stage);
      const first = await stage.run('One [[say 1]]');
      assert.match(contextOf(first.requests[0], 'SessionStart'), UTC);
      const second = await stage.run('Two [[say 2]]', { args: ['--resume', first.session] });
      const third = await stage.run('Three [[say 3]]', { args: ['--continue'] });
      assert.deepEqual([second.session, third.session], [first.session, first.session]);

      const expected = ['One', 'Two', 'Three'].map((word, i) =>
        answered(`${word} [[say ${i + 1}]]`, `${i + 1}`),
      );
      await assertTurns(stage, first.session, expected);
      const briefs = third.requests.flatMap(contextsOf).filter(({ event }) => event === 'SessionStart');
      assert.equal(briefs.length, 1, 'the brief of the first start is the only one in the conversation');
      const { status, source, turns } = await sessionOf(stage, first.session);
      assert.deepEqual({ status, source, turns }, { status: 'completed', source: 'resume', turns: 3 });
    });

    test('a fork has its own turns, not those it copied', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const origin = await stage.run('Root [[say r]]');
      await stage.run('Trunk [[say t]]', { args: ['--resume', origin.session] });
      const fork = await stage.run('Branch [[say b]]', {
        args: ['--resume', origin.session, '--fork-session'],
      });
      await stage.run('Twig [[say g]]', { args: ['--resume', fork.session] });
      assert.notEqual(fork.session, origin.session);

      const first = [answered('Root [[say r]]', 'r'), answered('Trunk [[say t]]', 't')];
      await assertTurns(stage, origin.session, first);
      await assertTurns(stage, fork.session, [
        answered('Branch [[say b]]', 'b'),
        answered('Twig [[say g]]', 'g'),
      ]);
      assert.equal((await sessionOf(stage, origin.session)).turns, 2);
      assert.equal((await sessionOf(stage, fork.session)).turns, 2);
    });

    test('after /compact the brief is injected again, and the summary is no turn', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      await decide(stage);
      const first = await stage.run('Alpha [[say a]]');
      const args = ['--resume', first.session];
      await stage.run('/compact', { args });
      const last = await stage.run('Omega [[say o]]', { args });

      const turns = [answered('Alpha [[say a]]', 'a'), answered('Omega [[say o]]', 'o')];
      await assertTurns(stage, first.session, turns);
      const briefs = last.requests.slice(0, 1).flatMap(contextsOf);
      assert.ok(
        briefs.some(({ event, text }) => event === 'SessionStart' && UTC.test(text)),
        'the compacted conversation got the brief again',
      );
    });
  });
}

// 2.1.197 does not compact by itself in print mode.
test('a compaction in the middle of a turn does not split the turn', { skip: newer.skip }, async (t) => {
  const stage = await openStage(t, { claude: newer.path });
  await decide(stage);
  const afterwards = { prompt: '^This session is being continued', hasTool: 'Bash' };
  stage.mock.rules.push({ when: afterwards, reply: { text: 'Through.' } });
  const prompt =
    'Long [[usage 990000]] [[pre Begun.]] [[tool Bash {"command":"echo 1"}]] [[say Not reached.]]';
  const { session, requests } = await stage.run(prompt, { args: ['--allowedTools', 'Bash'] });

  const answer = 'Begun.\n\nThrough.';
  await assertTurns(stage, session, [{ prompt, answer, outcome: 'answered', tools: ['Bash ok'] }]);
  assert.match(contextOf(requests.at(-1), 'SessionStart'), UTC);
  assert.equal((await sessionOf(stage, session)).source, 'compact');
});

async function decide(stage: Stage): Promise<void> {
  await stage.run(DECIDED);
  await settle(stage);
}

function answered(prompt: string, answer: string): Listed {
  return { prompt, answer, outcome: 'answered' };
}
