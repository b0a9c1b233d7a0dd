/** With a pause, an opt-out of the project or a setting, nothing is stored and nothing is injected. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openStage, type SessionResult, type Stage } from '../../support/claude.ts';
import { contextsOf } from '../../support/hook-context.ts';
import { claudeCode } from '../../support/parts.ts';
import { assertTurns, exported, sessionsOf, settle, streamed, tidemark, turnsOf } from './_captured.ts';

const DECIDED = 'We decided to pin the clock to UTC because tests broke in summer. [[say Noted: UTC.]]';
const RELATED = 'Why did we pin the clock to UTC, and which tests broke in summer? [[say Because.]]';
const SECRET = 'The merger with Quibblewick is not to be remembered. [[say I never heard of Quibblewick.]]';

const { path: claude, skip } = claudeCode('2.1.325');

describe('capture is off', () => {
  test(
    'a paused project stores and injects nothing until it is resumed, not even by import',
    { skip },
    async (t) => {
      const stage = await openStage(t, { claude });
      await stage.run(DECIDED);
      await settle(stage);
      tidemark(stage, ['pause']);
      const paused = await stage.run(RELATED);
      assertNothingInjected(paused);
      const secret = await stage.run(SECRET);
      assertNothingInjected(secret);
      assert.deepEqual(await turnsOf(stage, paused.session), []);
      assert.deepEqual(await turnsOf(stage, secret.session), []);
      assert.doesNotMatch((await streamed(stage, SECRET)).join('\n'), /Remembered:/);
      tidemark(stage, ['resume']);
      const resumed = await stage.run(RELATED);
      assert.ok(resumed.requests.flatMap(contextsOf).length > 0, 'memories are injected again');
      await assertTurns(stage, resumed.session, [
        { prompt: RELATED, answer: 'Because.', outcome: 'answered' },
      ]);
      tidemark(stage, ['import', 'history']);
      await settle(stage);
      assertNotStored(stage, /Quibblewick/);
    },
  );

  test('a paused session stores nothing until it is resumed', { skip }, async (t) => {
    const stage = await openStage(t, { claude });
    const { session } = await stage.run('Before [[say b]]');
    await settle(stage);
    tidemark(stage, ['pause', '--session', session]);
    await stage.run(SECRET, { args: ['--resume', session] });
    await settle(stage);
    tidemark(stage, ['resume', '--session', session]);
    await stage.run('After [[say a]]', { args: ['--resume', session] });
    await assertTurns(stage, session, [
      { prompt: 'Before [[say b]]', answer: 'b', outcome: 'answered' },
      { prompt: 'After [[say a]]', answer: 'a', outcome: 'answered' },
    ]);
    assertNotStored(stage, /Quibblewick/);
  });

  for (const { name, file, text } of [
    { name: 'a file that opts out', file: '.tidemark-ignore', text: '' },
    { name: 'a setting of the project', file: '.tidemark.json', text: '{ "capture.enabled": false }' },
  ]) {
    test(`${name} turns capture off for a project, also below its root`, { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      execFileSync('git', ['init', '-q'], { cwd: stage.project, env: stage.env() });
      writeFileSync(join(stage.project, file), text);
      const below = join(stage.project, 'deep', 'down');
      mkdirSync(below, { recursive: true });
      assertNothingInjected(await stage.run(SECRET));
      assertNothingInjected(await stage.run(SECRET, { cwd: below }));
      assert.deepEqual(await sessionsOf(stage), []);
      assertNotStored(stage, /Quibblewick/);
      rmSync(join(stage.project, file));
      const { session } = await stage.run('Again [[say back]]');
      await assertTurns(stage, session, [
        { prompt: 'Again [[say back]]', answer: 'back', outcome: 'answered' },
      ]);
    });
  }
});

function assertNothingInjected({ requests }: SessionResult): void {
  assert.deepEqual(requests.flatMap(contextsOf), []);
}

function assertNotStored(stage: Stage, word: RegExp): void {
  assert.doesNotMatch(exported(stage), word);
}
