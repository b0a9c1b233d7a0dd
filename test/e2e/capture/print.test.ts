/** Print mode: calls of tools, failures, and thinking, which is not stored. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Session, StoredTurn } from '../../../src/core/index.ts';
import { openStage } from '../../support/claude.ts';
import { claudeCode, TESTED_VERSIONS } from '../../support/parts.ts';
import { assertTurns, sessionOf, tidemark, toolOf, turnsOf } from './_captured.ts';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  describe(`Claude Code ${version}`, () => {
    test('calls of tools are stored, thinking is not', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const [notes, made] = [join(stage.project, 'notes.txt'), join(stage.project, 'made.ts')];
      writeFileSync(notes, 'the port is 4711\n');
      const calls = [
        `[[think nobody may read this]][[pre Looking around.]][[tools Read {"file_path":"${notes}"} ;; Bash {"command":"echo one"}]]`,
        `[[tool Write {"file_path":"${made}","content":"export const port = 4711;\\n"}]]`,
        '[[tool Bash {"command":"echo broken >&2; exit 3"}]]',
      ];
      const prompt = `Make it so. ${calls.join(' ')} [[say It listens on 4711 now.]]`;
      const { session, result } = await stage.run(prompt, { args: ['--allowedTools', 'Bash,Write,Read'] });
      assert.equal(result, 'It listens on 4711 now.');

      const answer = 'Looking around.\n\nIt listens on 4711 now.';
      const tools = ['Read ok', 'Bash ok', 'Write ok', 'Bash error'];
      const [turn] = await assertTurns(stage, session, [{ prompt, answer, outcome: 'answered', tools }]);
      assert.equal(turn?.clientVersion, version);
      assert.deepEqual(toolOf(turn, 'Read').read, [notes]);
      assert.deepEqual(toolOf(turn, 'Write').edited, [made]);
      const failed = turn?.tools.at(-1);
      assert.equal(failed?.exit, 3);
      assert.ok(
        failed?.errors.some((line) => line.includes('broken')),
        JSON.stringify(failed),
      );
      assert.doesNotMatch(JSON.stringify({ ...turn, prompt: '' }), /nobody may read this/);

      const { status, reason, turns, source } = await sessionOf(stage, session);
      assert.deepEqual(
        { status, reason, turns, source },
        { status: 'completed', reason: 'other', turns: 1, source: 'startup' },
      );
      const [shown] = tidemark<readonly Session[]>(stage, ['sessions']);
      assert.equal(shown?.id, session);
      const whole = tidemark<{ turn: StoredTurn }>(stage, ['transcript', turn?.id ?? '']);
      assert.deepEqual(whole.turn, turn);
    });

    test('a tool that was not permitted is stored as denied', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const prompt = 'Try [[tool Bash {"command":"touch there"}]] [[say I was not allowed to.]]';
      const { session } = await stage.run(prompt);
      const answer = 'I was not allowed to.';
      await assertTurns(stage, session, [{ prompt, answer, outcome: 'answered', tools: ['Bash denied'] }]);
    });

    test('an API error ends a turn as failed', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const prompt = 'Break [[error 400 invalid_request_error x9]]';
      const args = ['-p', '--output-format', 'json', ...stage.pluginArgs, '--', prompt];
      const { stdout } = await stage.claude(args);
      const { session_id: session } = JSON.parse(stdout) as { session_id: string };
      const [turn] = await turnsOf(stage, session);
      assert.equal(turn?.prompt, prompt);
      assert.equal(turn?.outcome, 'failed');
      assert.match(turn?.answer ?? '', /^API Error: 400/);
      await assertTurns(stage, session, [{ prompt, answer: turn?.answer ?? '', outcome: 'failed' }]);
    });

    test('an overloaded model that answers on a second try makes one answered turn', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const prompt = 'Patience [[error 529 overloaded_error]] [[say Here I am.]]';
      const { session } = await stage.run(prompt);
      await assertTurns(stage, session, [{ prompt, answer: 'Here I am.', outcome: 'answered' }]);
    });

    test('without a transcript the prompt and the last answer are stored', { skip }, async (t) => {
      const stage = await openStage(t, { claude });
      const prompt = 'Leave no trace [[tool Bash {"command":"echo hi"}]] [[say Nothing was written.]]';
      const args = ['--no-session-persistence', '--allowedTools', 'Bash'];
      const { session } = await stage.run(prompt, { args });
      const [turn] = await assertTurns(stage, session, [
        { prompt, answer: 'Nothing was written.', outcome: 'answered' },
      ]);
      assert.match(turn?.id ?? '', /^event-/);
      const { status, turns } = await sessionOf(stage, session);
      assert.deepEqual({ status, turns }, { status: 'completed', turns: 1 });
    });
  });
}
