/** How a driver of the real client has to behave when things go wrong; the same for every driver that starts one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOperations, type Driver } from '../../src/distill/index.ts';
import { waitFor } from '../support/wait-for.ts';
import { answersWith, MEMORY, openDriverStage, requestOf, type DriverStage } from './_driver-stage.ts';

/** Far beyond what the client needs on a busy machine. */
const PATIENT = (): AbortSignal => AbortSignal.timeout(60_000);

export function holdsUnderFailure(skip: string | undefined, open: (stage: DriverStage) => Driver): void {
  for (const [status, type, reason] of [
    [401, 'authentication_error', 'refused'],
    [429, 'rate_limit_error', 'limited'],
    [529, 'overloaded_error', 'overloaded'],
  ] as const) {
    test(`${status}: one request, no answer, and the reason`, { skip }, async (t) => {
      const stage = await openDriverStage(t);
      stage.mock.rules.push({ reply: { error: { status, type } } });
      const driver = open(stage);
      const answer = await driver.ask(requestOf(), PATIENT());
      await driver.close();
      assert.equal(answer.kind === 'failed' && answer.reason, reason);
      assert.equal(stage.mock.requests.length, 1, 'the client does not retry by itself');
      await nothingLeft(stage);
    });
  }

  test(
    'garbage and half a JSON are answers that cannot be read, and cost what they cost',
    { skip },
    async (t) => {
      for (const text of ['lorem ipsum', '{"operations":[{"kind":"deci']) {
        const stage = await openDriverStage(t);
        stage.mock.rules.push({ reply: { text } });
        const driver = open(stage);
        const answer = await driver.ask(requestOf(), PATIENT());
        await driver.close();
        assert.ok(answer.usage && answer.usage.inputTokens > 0);
        assert.ok(answer.kind === 'failed' || !parseOperations(answer.text).valid);
      }
    },
  );

  test('an answer outside the schema is none', { skip }, async (t) => {
    const stage = await openDriverStage(t);
    answersWith(stage.mock, [{ ...MEMORY, kind: 'gossip' }]);
    const driver = open(stage);
    const answer = await driver.ask(requestOf(), PATIENT());
    await driver.close();
    assert.ok(answer.kind === 'failed' || !parseOperations(answer.text).valid, JSON.stringify(answer));
    assert.ok(stage.mock.requests.length <= 2);
  });

  test('when time is up the process is ended', { skip }, async (t) => {
    const stage = await openDriverStage(t);
    stage.mock.rules.push({ reply: { text: 'late', delayMs: 600_000 } });
    const driver = open(stage);
    const time = new AbortController();
    const asked = driver.ask(requestOf(), time.signal);
    await waitFor('the request', () => stage.mock.requests.length > 0, { timeout: 60_000 });
    time.abort(new DOMException('time is up', 'TimeoutError'));
    const answer = await asked;
    assert.equal(answer.kind === 'failed' && answer.reason, 'timed-out');
    await driver.close();
    await nothingLeft(stage);
  });

  test('a killed process is reported, and the next request is answered', { skip }, async (t) => {
    const stage = await openDriverStage(t);
    stage.mock.rules.push({ times: 1, reply: { text: 'late', delayMs: 600_000 } });
    answersWith(stage.mock, [MEMORY]);
    const driver = open(stage);
    const asked = driver.ask(requestOf(), PATIENT());
    await waitFor('the request', () => stage.mock.requests.length > 0, { timeout: 60_000 });
    for (const { pid } of stage.processes()) process.kill(pid, 'SIGKILL');
    const answer = await asked;
    assert.equal(answer.kind === 'failed' && answer.reason, 'died');
    const again = await driver.ask(requestOf(), PATIENT());
    assert.equal(again.kind, 'answered', JSON.stringify(again));
    await driver.close();
    await nothingLeft(stage);
  });
}

/** The client's processes are ended with the answer or with the driver, whatever happened. */
export async function nothingLeft(stage: DriverStage): Promise<void> {
  await waitFor('no process to be left', () => stage.processes().length === 0, {
    explain: () =>
      stage
        .processes()
        .map(({ command }) => command.slice(0, 200))
        .join('\n'),
  });
}
