import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isAlive } from '../../test/support/daemon.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { OneShotRequest } from './agent.ts';
import { askOnce } from './one-shot.ts';

test('the prompt comes on stdin, and the run is marked as nested', async (t) => {
  const stage = openStage(t, 'echo "$(cat)|$TIDEMARK_NESTED|${GONE-removed}|$ADDED|$(cat "$1")"');
  const answer = await stage.ask();
  assert.deepEqual(answer, {
    kind: 'answered',
    text: 'The turns.|1|removed|yes|Write notes.',
    inputTokens: 7,
    outputTokens: 5,
  });
});

test('a run that ends leaves no child behind', async (t) => {
  const stage = openStage(t, 'sleep 600 & echo $! > child; echo answered');
  assert.equal((await stage.ask()).kind, 'answered', 'a child that keeps the output open is not waited for');
  await stage.childIsGone();
});

test('a signal ends the run with its children', async (t) => {
  for (const [reason, expected] of [
    [new DOMException('time is up', 'TimeoutError'), 'timed-out'],
    [new Error('stopped'), 'aborted'],
  ] as const) {
    const stage = openStage(t, 'sleep 600 & echo $! > child; wait');
    const stop = new AbortController();
    const asked = stage.ask(stop.signal);
    await waitFor('the child', () => stage.child() !== undefined);
    stop.abort(reason);
    const answer = await asked;
    assert.equal(answer.kind === 'failed' && answer.reason, expected);
    await stage.childIsGone();
  }
});

test('a failure has a reason, and no words of the conversation', async (t) => {
  for (const [printed, reason] of [
    ['status 401: The turns.', 'refused'],
    ['status 429', 'limited'],
    ['status 529', 'overloaded'],
    ['You hit your usage limit. The turns.', 'limited'],
    ['Please run /login', 'refused'],
    ['error sending request', 'unreachable'],
    ['The turns. cannot be read', 'no-answer'],
    ['', 'died'],
  ] as const) {
    const stage = openStage(t, `cat > /dev/null; echo 'error: ${printed}'`);
    const answer = await stage.ask();
    assert.equal(answer.kind === 'failed' && answer.reason, reason, printed);
    assert.doesNotMatch(answer.kind === 'failed' ? answer.message : '', /The turns/);
  }
  const missing = await askOnce(
    { title: 'Codex' },
    { ...CALL, env: {}, cwd: tmpdir(), signal: neverAborted() },
  );
  assert.equal(missing.kind === 'failed' && missing.reason, 'missing');
});

const CALL = { model: '', system: 'Write notes.', prompt: 'The turns.' };

/** An agent whose program is this script. It prints its answer, or `error: ` and a message. */
function openStage(t: TestContext, script: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'tidemark-one-shot-'));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const program = join(cwd, 'program');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const oneShot = {
    find: () => program,
    args: ({ instructions }: OneShotRequest) => [instructions],
    variables: () => ({ GONE: undefined, ADDED: 'yes' }),
    read: (stdout: string) => {
      const [, error] = /^error: (.*)\n$/.exec(stdout) ?? [];
      const tokens = { inputTokens: 7, outputTokens: 5 };
      if (error === undefined) return { ...tokens, text: stdout.trim() };
      return error === '' ? tokens : { ...tokens, error };
    },
  };
  const env = { PATH: process.env['PATH'], GONE: 'still here' };
  const child = (): number | undefined => {
    try {
      return Number(readFileSync(join(cwd, 'child'), 'utf8')) || undefined;
    } catch {
      return undefined;
    }
  };
  return {
    ask: (signal = neverAborted()) => askOnce({ title: 'Codex', oneShot }, { ...CALL, env, cwd, signal }),
    child,
    childIsGone: () => waitFor('the child to be gone', () => !isAlive(child() ?? 0)),
  };
}

function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
