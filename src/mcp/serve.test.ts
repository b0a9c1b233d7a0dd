import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { instructionsFor } from './instructions.ts';
import { serveMcp, type McpOptions } from './serve.ts';
import type { Tool } from './tool.ts';

const TOOL: Tool = {
  name: 'echo',
  title: 'Echo',
  description: 'says it again',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'what' } },
    required: ['text'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async ({ text }) => String(text),
};
const STATELESS = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

interface Answer {
  readonly id: string | number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

function open(run: McpOptions['run'] = async (_, args) => ({ text: String(args['text']), isError: false })) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serveMcp({
    tools: [TOOL],
    instructions: instructionsFor('answer', false),
    run,
    input,
    output,
  });
  const lines = output.setEncoding('utf8')[Symbol.asyncIterator]();
  let rest = '';
  const next = async (): Promise<Answer> => {
    while (!rest.includes('\n')) rest += (await lines.next()).value as string;
    const [line = '', ...others] = rest.split('\n');
    rest = others.join('\n');
    return JSON.parse(line) as Answer;
  };
  const send = (message: unknown): void =>
    void input.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`);
  const ask = (method: string, params?: object, id: string | number = 1): Promise<Answer> => {
    send({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
    return next();
  };
  return { send, next, ask, ended, close: () => input.end() };
}

test('a handshake gets the version asked for where we know it, and our newest where not', async () => {
  const { ask } = open();
  const versionFor = async (protocolVersion: string) =>
    (await ask('initialize', { protocolVersion })).result?.['protocolVersion'];
  assert.equal(await versionFor('2024-11-05'), '2024-11-05');
  assert.equal(await versionFor('2025-11-25'), '2025-11-25');
  assert.equal(await versionFor('1999-01-01'), '2025-11-25');
});

test('discovery names the stateless revision, the tools and how to use them', async () => {
  const { result } = await open().ask('server/discover', { _meta: STATELESS });
  assert.deepEqual(result?.['supportedVersions'], ['2026-07-28']);
  assert.deepEqual(result?.['capabilities'], { tools: {} });
  assert.equal(result?.['resultType'], 'complete');
  assert.match(String(result?.['instructions']), /search/);
});

test('a stateless request of another revision is refused with those we speak', async () => {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const { error } = await open().ask('tools/list', { _meta });
  assert.equal(error?.code, -32022);
  assert.deepEqual(error?.data, { supported: ['2026-07-28'], requested: '2099-01-01' });
});

test('tools are listed without their code, stateless or not', async () => {
  const { ask } = open();
  const { run: _run, ...listed } = TOOL;
  assert.deepEqual((await ask('tools/list')).result, { tools: [listed] });
  const stateless = (await ask('tools/list', { _meta: STATELESS })).result;
  assert.deepEqual(stateless?.['tools'], [listed]);
  assert.equal(stateless?.['cacheScope'], 'private');
});

test('a call is answered with text; wrong arguments are an answer too, an unknown tool is an error', async () => {
  const { ask } = open();
  const well = await ask('tools/call', { name: 'echo', arguments: { text: 'hi' } }, 'a');
  assert.deepEqual(well, { jsonrpc: '2.0', id: 'a', result: { content: [{ type: 'text', text: 'hi' }] } });
  const wrong = await ask('tools/call', { name: 'echo', arguments: {} });
  assert.equal(wrong.result?.['isError'], true);
  const unknown = await ask('tools/call', { name: 'nope' });
  assert.equal(unknown.error?.code, -32602);
  assert.match(unknown.error?.message ?? '', /the tools are echo/);
});

test('what is no request of ours gets the error that JSON-RPC has for it', async () => {
  const { ask, send, next } = open();
  assert.equal((await ask('resources/list')).error?.code, -32601);
  send('{ not json\n');
  assert.equal((await next()).error?.code, -32700);
  send([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  assert.equal((await next()).error?.code, -32600);
  send({ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' });
  assert.deepEqual((await next()).id, null);
  assert.deepEqual((await ask('ping')).result, {});
});

test('notifications and answers of the client are not answered', async () => {
  const { ask, send } = open();
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  send({ jsonrpc: '2.0', id: 7, result: {} });
  assert.equal((await ask('ping', {}, 'mark')).id, 'mark');
});

test('messages may arrive in pieces and several at once', async () => {
  const { send, next } = open();
  const both = ['x', 'y'].map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`).join('');
  send(both.slice(0, 20));
  send(both.slice(20));
  assert.equal((await next()).id, 'x');
  assert.equal((await next()).id, 'y');
});

test('a cancelled call is called off and never answered; the others go on', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { ask, send } = open(async (_, args, signal) => {
    if (args['text'] !== 'slow') return { text: 'quick', isError: false };
    begin();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { text: 'too late', isError: true };
  });
  const call = (id: string, text: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
  });
  send(call('slow', 'slow'));
  await begun;
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
  const { result } = await ask('tools/call', { name: 'echo', arguments: { text: 'x' } }, 'after');
  assert.deepEqual(result?.['content'], [{ type: 'text', text: 'quick' }]);
  assert.equal((await ask('ping', {}, 'last')).id, 'last');
});

test('when the client closes its end, what runs is called off and the server is done', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
  const { send, close, ended } = open(async (_tool, _args, signal) => {
    signal.addEventListener('abort', () => cancel());
    begin();
    await cancelled;
    return { text: '', isError: false };
  });
  const params = { name: 'echo', arguments: { text: 'x' } };
  send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  await begun;
  close();
  await Promise.all([ended, cancelled]);
});

test('an endless line is given up, and the next message is understood', async () => {
  const { send, next, ask } = open();
  send('x'.repeat(4 * 1024 * 1024 + 1));
  assert.equal((await next()).error?.code, -32700);
  send('\n');
  assert.equal((await ask('ping', {}, 'on')).id, 'on');
});
