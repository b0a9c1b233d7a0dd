/** The driver `claude` with the real client, against the stand-in for the API. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { claudeDriver, parseOperations } from '../../src/distill/index.ts';
import { CLAUDE_CODE_VERSIONS, claudeCode, TESTED_VERSIONS } from '../support/parts.ts';
import { answersWith, MEMORY, openDriverStage, requestOf, type DriverStage } from './_driver-stage.ts';
import { holdsUnderFailure, nothingLeft } from './_failures.ts';

const [NEWEST] = CLAUDE_CODE_VERSIONS;

for (const version of TESTED_VERSIONS) {
  const { path: program, skip } = claudeCode(version);

  test(`Claude Code ${version}: one request, no hook, no session, no process left`, { skip }, async (t) => {
    const stage = await openDriverStage(t);
    answersWith(stage.mock, [MEMORY]);
    const driver = open(stage, program);
    const answer = await driver.ask(requestOf(), AbortSignal.timeout(60_000));
    assert.equal(answer.kind, 'answered', JSON.stringify(answer));
    const parsed = parseOperations(answer.kind === 'answered' ? answer.text : '');
    assert.equal(parsed.valid && parsed.value[0]?.draft?.title, MEMORY.title);
    assert.equal(stage.mock.requests.length, 1);
    assert.ok(answer.usage && answer.usage.inputTokens > 0 && (answer.usage.usd ?? 0) > 0);
    const [request] = stage.mock.requests;
    assert.match(JSON.stringify(request?.messages), /Rotate refresh tokens on every use/);
    assert.match(JSON.stringify(request?.system), /You keep the memory of a software project true/);
    assert.ok(JSON.stringify(request).length < 20_000, 'nothing of the client’s own instructions is in it');
    assert.equal(stage.hooksFired(), false);
    assert.deepEqual(stage.sessions(), []);
    await nothingLeft(stage);
  });
}

describe('when things go wrong', () => {
  const { path: program, skip } = claudeCode(NEWEST);
  holdsUnderFailure(skip, (stage) => open(stage, program));
});

test('a missing client is reported as missing by answers and health', async (t) => {
  const stage = await openDriverStage(t);
  const driver = claudeDriver({ model: 'haiku', env: { HOME: stage.cwd, PATH: stage.cwd }, cwd: stage.cwd });
  const answer = await driver.ask(requestOf(), AbortSignal.timeout(5000));
  assert.equal(answer.kind === 'failed' && answer.reason, 'missing');
  assert.equal((await driver.health(AbortSignal.timeout(5000))).works, false);
});

function open(stage: DriverStage, program: string) {
  return claudeDriver({ model: 'haiku', env: stage.env, cwd: stage.cwd, program });
}
