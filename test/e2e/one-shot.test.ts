/** One request through the real client with our plugin installed: an answer, and no trace in memory. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { askOnce, codingAgent } from '../../src/agents/index.ts';
import { callDaemon } from '../support/call.ts';
import { openStage, ROOT } from '../support/claude.ts';
import { processesWith } from '../support/left-behind.ts';
import { claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { waitFor } from '../support/wait-for.ts';

const SYSTEM = 'You write notes.';

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip } = claudeCode(version);

  test(`Claude Code ${version}: a one-shot request answers and leaves no trace`, { skip }, async (t) => {
    const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
    const stage = await openStage(t, { claude, plugin: null, path });
    // Where its installer puts it.
    mkdirSync(join(stage.home, '.local', 'bin'), { recursive: true });
    symlinkSync(claude, join(stage.home, '.local', 'bin', 'claude'));
    for (const args of [
      ['marketplace', 'add', ROOT],
      ['install', 'tidemark@tidemark'],
    ]) {
      const { code, stderr } = await stage.claude(['plugin', ...args]);
      assert.equal(code, 0, stderr);
    }
    await stage.startDaemon();
    const agent = codingAgent('claude-code');
    assert.ok(agent);
    // As a daemon started by a hook has them.
    const env = {
      ...stage.env(),
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      TIDEMARK_TEST_RUNS: 'one-shot',
    };
    const ask = (signal = AbortSignal.timeout(60_000)) => {
      const request = { model: 'haiku', system: SYSTEM, prompt: 'The turns.' };
      return askOnce(agent, { ...request, env, cwd: stage.places.run, signal });
    };
    const running = () => processesWith('TIDEMARK_TEST_RUNS', 'one-shot');

    stage.mock.rules.push({ times: 1, when: { system: SYSTEM }, reply: { text: 'Noted (decision): Tabs.' } });
    const answer = await ask();
    assert.ok(answer.kind === 'answered', JSON.stringify(answer));
    assert.equal(answer.text, 'Noted (decision): Tabs.');
    assert.ok(answer.inputTokens > 0 && answer.outputTokens > 0);
    const [request, ...others] = stage.mock.requests;
    assert.deepEqual(others, []);
    assert.match(JSON.stringify(request?.messages), /The turns\./);
    assert.ok(JSON.stringify(request).length < 10_000, "nothing of the client's own instructions is in it");

    const error = { status: 401, type: 'authentication_error' };
    stage.mock.rules.push({ times: 1, when: { system: SYSTEM }, reply: { error } });
    const refused = await ask();
    assert.equal(refused.kind === 'failed' && refused.reason, 'refused');
    assert.equal(stage.mock.requests.length, 2, 'the client does not retry by itself');

    stage.mock.rules.push({ when: { system: SYSTEM }, reply: { text: 'late', delayMs: 600_000 } });
    const stop = new AbortController();
    const late = ask(stop.signal);
    await waitFor('the request', () => stage.mock.requests.length === 3);
    stop.abort();
    assert.equal((await late).kind, 'failed');
    await waitFor('no process to be left', () => running().length === 0);

    await callDaemon(stage.places, 'drain', {});
    assert.deepEqual(await callDaemon(stage.places, 'read.sessions', { limit: 100 }), []);
    assert.ok(!existsSync(join(stage.config, 'projects')), 'no transcript');
  });
}
