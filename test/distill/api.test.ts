/** The driver `api` against servers on loopback that speak both protocols, well and badly. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiDriver, parseOperations } from '../../src/distill/index.ts';
import { startMockApi } from '../support/mock-api.ts';
import { chatReply, said, startApi } from './_api-stand-in.ts';
import { answersWith, MEMORY, requestOf } from './_driver-stage.ts';

const soon = (): AbortSignal => AbortSignal.timeout(10_000);

test('Anthropic Messages: a forced tool enforces the schema', async (t) => {
  const mock = await startMockApi();
  t.after(() => mock.close());
  answersWith(mock, [MEMORY]);
  const driver = apiDriver({ url: `${mock.url}/v1/messages`, model: 'claude-haiku-5-5', key: 'k' });
  const answer = await driver.ask(requestOf(), soon());
  assert.equal(answer.kind, 'answered', JSON.stringify(answer));
  const parsed = parseOperations(answer.kind === 'answered' ? answer.text : '');
  assert.equal(parsed.valid && parsed.value[0]?.draft?.title, MEMORY.title);
  assert.ok(answer.usage && answer.usage.inputTokens > 100);
});

test('chat completions: response_format enforces the schema, and the key is only in its header', async (t) => {
  const api = await startApi(t, [{ body: chatReply([MEMORY]) }]);
  const driver = apiDriver({ url: `${api.url}/v1`, model: 'm', key: 'secret-key' });
  const answer = await driver.ask(requestOf(), soon());
  assert.ok(answer.kind === 'answered' && parseOperations(answer.text).valid);
  assert.deepEqual(answer.usage, { model: 'played-1', inputTokens: 1200, outputTokens: 80, requests: 1 });
  const [request] = api.requests;
  assert.equal(request?.path, '/v1/chat/completions');
  assert.equal(request?.headers.authorization, 'Bearer secret-key');
  assert.ok(request?.body.response_format);
  assert.doesNotMatch(JSON.stringify(request?.body), /secret-key/);
});

test('a local model without a key: no authorization is sent', async (t) => {
  const api = await startApi(t, [{ body: chatReply([]) }]);
  const driver = apiDriver({ url: `${api.url}/v1`, model: 'llama3.2', key: undefined });
  assert.equal((await driver.ask(requestOf(), soon())).kind, 'answered');
  assert.equal(api.requests[0]?.headers.authorization, undefined);
  assert.equal((await driver.health(soon())).works, true);
});

test('a model that can only do text is asked for XML from then on', async (t) => {
  const xml =
    '<operation><op>add</op><kind>decision</kind><body>Refresh tokens rotate on every use.</body></operation>';
  const api = await startApi(t, [
    { status: 400, body: { error: { message: 'response_format is not supported by this model' } } },
    { body: said(`Sure!\n${xml}`) },
  ]);
  const driver = apiDriver({ url: api.url, model: 'm', key: undefined });
  for (let i = 0; i < 2; i++) {
    const answer = await driver.ask(requestOf(), soon());
    const parsed = parseOperations(answer.kind === 'answered' ? answer.text : '');
    assert.equal(parsed.valid && parsed.value[0]?.draft?.kind, 'decision');
  }
  assert.deepEqual(
    api.requests.map(({ body }) => body.response_format !== undefined),
    [true, false, false],
  );
  assert.match(api.requests[1]?.body.messages.at(-1)?.content ?? '', /<operation>/);
});

describe('when things go wrong', () => {
  const cases = [
    [{ status: 401, body: {} }, 'refused'],
    [{ status: 403, body: {} }, 'refused'],
    [{ status: 429, headers: { 'retry-after': '7' }, body: {} }, 'limited'],
    [{ status: 529, body: {} }, 'overloaded'],
    [{ status: 404, body: {} }, 'no-answer'],
    [{ body: '<html>gateway</html>' }, 'no-answer'],
    [{ body: '{"choices":[{"mess' }, 'no-answer'],
    [{ body: { choices: [] } }, 'no-answer'],
    [{ cut: true, body: chatReply([MEMORY]) }, 'cut-off'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: {} }, 'unreachable'],
  ] as const;
  for (const [reply, reason] of cases) {
    test(`${JSON.stringify(reply).slice(0, 60)} → ${reason}`, async (t) => {
      const api = await startApi(t, [reply]);
      const answer = await apiDriver({ url: api.url, model: 'm', key: 'k' }).ask(requestOf(), soon());
      assert.equal(answer.kind === 'failed' && answer.reason, reason);
      if (reason === 'limited') assert.equal(answer.kind === 'failed' && answer.retryAfterMs, 7000);
      assert.doesNotMatch(JSON.stringify(answer), /127\.0\.0\.1/);
    });
  }

  test('a server that never answers times out; a missing one is unreachable', async (t) => {
    const api = await startApi(t, [{ hang: true }]);
    const late = await apiDriver({ url: api.url, model: 'm', key: 'k' }).ask(
      requestOf(),
      AbortSignal.timeout(50),
    );
    assert.equal(late.kind === 'failed' && late.reason, 'timed-out');
    const none = await apiDriver({ url: 'http://127.0.0.1:9', model: 'm', key: 'k' }).ask(
      requestOf(),
      soon(),
    );
    assert.equal(none.kind === 'failed' && none.reason, 'unreachable');
  });
});

test('without address, model or key it does not work, and says what is missing', async () => {
  const health = (url: string, model: string) => apiDriver({ url, model, key: undefined }).health(soon());
  assert.match((await health('', 'm')).next ?? '', /apiUrl/);
  assert.match((await health('https://x.test', '')).next ?? '', /distill\.model/);
  assert.match((await health('https://x.test', 'm')).next ?? '', /api-key/);
});
