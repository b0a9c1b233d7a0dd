/** The driver `agent-sdk` with the real SDK and the real client, against the stand-in for the API. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentSdkDriver, parseOperations, type Driver } from '../../src/distill/index.ts';
import { claudeCode, CLAUDE_CODE_VERSIONS, part } from '../support/parts.ts';
import { waitFor } from '../support/wait-for.ts';
import { answersWith, MEMORY, openDriverStage, requestOf, type DriverStage } from './_driver-stage.ts';
import { holdsUnderFailure, nothingLeft } from './_failures.ts';

const sdk = part('agent-sdk');
const client = claudeCode(CLAUDE_CODE_VERSIONS[0]);
const skip = sdk.skip ?? client.skip;

test('one process for a session, a fresh conversation every few turns', { skip }, async (t) => {
  const stage = await openDriverStage(t);
  answersWith(stage.mock, [MEMORY]);
  const driver = open(stage);
  const pids = new Set<string>();
  for (let turn = 0; turn < 7; turn++) {
    const answer = await driver.ask(
      requestOf('session-1', { prompt: `turn ${turn}: ${'words '.repeat(50)}` }),
      patient(),
    );
    assert.equal(answer.kind, 'answered', JSON.stringify(answer));
    const parsed = parseOperations(answer.kind === 'answered' ? answer.text : '');
    assert.ok(parsed.valid && parsed.value.length === 1);
    assert.ok(
      answer.usage && answer.usage.inputTokens > 0 && (answer.usage.usd ?? 0) > 0,
      'each turn has its own cost',
    );
    pids.add(clients(stage).join());
  }
  assert.equal(stage.mock.requests.length, 7, 'one request for each turn');
  assert.equal(pids.size, 3, 'seven turns in three processes');
  const sizes = stage.mock.requests.map((request) => JSON.stringify(request).length);
  assert.ok(Math.max(...sizes) < 4 * Math.min(...sizes), `bounded: ${sizes.join(', ')}`);
  await driver.ask(requestOf('session-2'), patient());
  assert.equal(clients(stage).length, 1, 'another session has taken its place');
  await driver.close();
  assert.equal(stage.hooksFired(), false);
  assert.deepEqual(stage.sessions(), []);
  await nothingLeft(stage);
});

describe('when things go wrong', () => {
  holdsUnderFailure(skip, open);
});

test('closing interrupts the current request and ends the process', { skip }, async (t) => {
  const stage = await openDriverStage(t);
  stage.mock.rules.push({ reply: { text: 'late', delayMs: 600_000 } });
  const driver = open(stage);
  const asked = driver.ask(requestOf(), patient());
  await waitFor('the request', () => stage.mock.requests.length > 0, { timeout: 60_000 });
  await driver.close();
  const answer = await asked;
  assert.equal(answer.kind === 'failed' && answer.reason, 'aborted');
  await nothingLeft(stage);
});

test('an SDK that is not installed is missing, and its health says how to get it', async (t) => {
  const stage = await openDriverStage(t);
  const driver = agentSdkDriver({ model: 'haiku', env: stage.env, cwd: stage.cwd, folders: [stage.cwd] });
  const answer = await driver.ask(requestOf(), patient());
  assert.equal(answer.kind === 'failed' && answer.reason, 'missing');
  assert.match((await driver.health(patient())).next ?? '', /npm install/);
});

function open(stage: DriverStage): Driver {
  return agentSdkDriver({
    model: 'haiku',
    env: stage.env,
    cwd: stage.cwd,
    folders: [sdk.path],
    program: client.path,
  });
}

function clients(stage: DriverStage): readonly number[] {
  return stage.processes().map(({ pid }) => pid);
}

function patient(): AbortSignal {
  return AbortSignal.timeout(60_000);
}
