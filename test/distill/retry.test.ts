/** `tidemark distill` after a failure: it tries at once, with the same driver, and says what to do next. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLedger } from '../support/stores.ts';
import { chatReply, startApi } from './_api-stand-in.ts';
import { MEMORY } from './_driver-stage.ts';
import { machineAsking, PlayedSession, recorded } from './_played-session.ts';

test('distill retries a failed turn at once with the driver that failed', async (t) => {
  const api = await startApi(t, [{ status: 401, body: {} }]);
  const machine = machineAsking(t, api);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await recorded(machine, 'passed', ({ reason }) => reason === 'refused');
  const resting = await machine.call('distill.health', {});
  assert.match(resting.evidence, /failed recently/);
  assert.match(resting.next ?? '', /tidemark distill/);

  const before = api.requests.length;
  const refused = await machine.cli(['distill']);
  assert.ok(api.requests.length > before, 'the driver is asked again, although it failed a moment ago');
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /0 of 1 turn improved .* 1 failed/);
  assert.match(refused.stdout, /Last failure \(api\): .*401/);
  assert.match(
    refused.stdout,
    /Log in with the agent that the driver uses, or give distill\.driver api a valid key/,
  );

  api.script = [{ body: chatReply([MEMORY]) }];
  const done = await machine.cli(['distill']);
  assert.equal(done.code, 0, done.stdout);
  assert.match(done.stdout, /1 of 1 turn improved/);
  assert.doesNotMatch(done.stdout, /Last failure/);
});

test('distill says why no driver works and what to set', async (t) => {
  const api = await startApi(t, [{ body: chatReply([MEMORY]) }]);
  const machine = machineAsking(t, api, { TIDEMARK_DISTILL_CONSENT: 'false', TIDEMARK_DISTILL_MODEL: '' });
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await machine.drained();
  const none = await machine.cli(['distill', '--yes']);
  assert.equal(none.code, 1);
  assert.match(none.stdout, /No model is available/);
  assert.match(none.stdout, /Last failure \(no driver works\): api: /);
  assert.match(none.stdout, /tidemark config set distill\.model api=/);
  assert.equal(api.requests.length, 0);
});

test('an unpriced remote model is refused by name; turns wait and are distilled once it may be used', async (t) => {
  const api = await startApi(t, [{ body: chatReply([MEMORY]) }]);
  const machine = machineAsking(t, api, {
    TIDEMARK_DISTILL_API_URL: '',
    TIDEMARK_DISTILL_MODEL: 'mystery-1',
    TIDEMARK_API_KEY: 'k',
  });
  // The address is never contacted, because the refusal comes first.
  await machine.cli(['config', 'set', 'distill.apiUrl', 'https://models.invalid/v1']);
  await machine.up();
  const session = new PlayedSession(machine);
  await session.start();
  await session.turn();
  await machine.drained();
  const command = "tidemark config set distill.prices 'mystery-1=IN/OUT'";
  const refused = await machine.cli(['distill']);
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /price of mystery-1 at models\.invalid is not known/);
  assert.ok(refused.stdout.includes(command), refused.stdout);
  const { stdout: report } = await machine.cli(['doctor']);
  assert.ok(report.includes(command), report);
  const { spending } = await machine.call('read.overview', {});
  assert.ok(spending.refused?.next?.includes(command));
  assert.deepEqual(
    readLedger(machine.places).filter(({ kind }) => kind === 'passed' || kind === 'cost'),
    [],
    'the turn waits, and nothing is spent',
  );
  const wrong = await machine.cli(['config', 'set', 'distill.prices', 'mystery-1=IN/OUT']);
  assert.notEqual(wrong.code, 0);

  await machine.cli(['config', 'set', 'distill.apiUrl', `${api.url}/v1`]);
  const done = await machine.cli(['distill']);
  assert.match(done.stdout, /1 of 1 turn improved/, done.stdout);
});
