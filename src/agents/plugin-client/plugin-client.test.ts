import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn } from '../../core/index.ts';
import { openPluginClient } from './index.ts';

interface Received {
  readonly url: string;
  readonly body: string;
}

/** A data folder, a program whose Node client notes its arguments, and a client. */
function open(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-plugin-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const places = placesIn(join(root, 'data'));
  const program = join(root, 'dist');
  mkdirSync(places.run, { recursive: true });
  mkdirSync(program);
  writeFileSync(places.node, `${process.execPath}\n`);
  const noted = join(root, 'noted.json');
  writeFileSync(
    join(program, 'hook.cjs'),
    `let body = '';
     process.stdin.on('data', (chunk) => (body += chunk)).on('end', () => {
       const args = process.argv.slice(2);
       require('node:fs').writeFileSync(${JSON.stringify(noted)}, JSON.stringify({ args, body, home: process.env.TIDEMARK_HOME }));
       console.log('{"systemMessage":"by the hook"}');
     });`,
  );
  const client = openPluginClient({
    agent: 'pi',
    home: places.home,
    program,
    env: { PATH: process.env['PATH'], TIDEMARK_ANSWER_S: '20', ...env },
  });
  const fallenBack = () => (existsSync(noted) ? JSON.parse(readFileSync(noted, 'utf8')) : undefined);
  return { places, program, client, fallenBack };
}

/** A daemon that answers every request in the same way. */
async function serve(
  t: TestContext,
  { places }: ReturnType<typeof open>,
  answer: string,
  status = 200,
): Promise<readonly Received[]> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ url: request.url ?? '', body });
      response.writeHead(status, { 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(places.socket, resolve));
  t.after(() => server.close());
  writeFileSync(places.socketPointer, `${places.socket}\n`);
  return received;
}

test('an event reaches the daemon with its envelope, and the answer comes back', async (t) => {
  const it = open(t);
  const received = await serve(t, it, '{"systemMessage":"hello"}');
  const answer = await it.client.deliver('SessionStart', { session_id: 's1' });
  assert.deepEqual(answer, { systemMessage: 'hello' });
  assert.equal(received[0]?.url, '/v1/hook/SessionStart/pi');
  const [head = '', json = ''] = (received[0]?.body ?? '').split('\n\n');
  assert.match(head, /^attempt: [\w-]{36}\nclient: \S+\nprogram: .*dist\npid: \d+$/);
  assert.equal(json, '{"session_id":"s1"}');
  assert.equal(it.fallenBack(), undefined);
});

test('a session that no user sees says so', async (t) => {
  const it = open(t);
  const received = await serve(t, it, '');
  assert.equal(await it.client.deliver('Stop', {}, false), undefined);
  assert.match(received[0]?.body ?? '', /\nunattended: 1\n/);
});

test('without a daemon the Node client of hooks takes the event', async (t) => {
  const it = open(t);
  const answer = await it.client.deliver('Stop', { session_id: 's1' });
  assert.deepEqual(answer, { systemMessage: 'by the hook' });
  const { args, body, home } = it.fallenBack();
  assert.deepEqual(
    [args[0], ...args.slice(2), body, home],
    ['Stop', 'unsent', 'pi', '{"session_id":"s1"}', it.places.home],
  );
});

test('a daemon that refuses an event is named, under the same attempt', async (t) => {
  const it = open(t);
  const received = await serve(t, it, 'no', 503);
  await it.client.deliver('Stop', {});
  const [, attempt, sent] = it.fallenBack().args;
  assert.equal(sent, 'rejected');
  assert.ok(received[0]?.body.startsWith(`attempt: ${attempt}\n`));
});

test('a question at a tool call has no answer without a daemon', async (t) => {
  const it = open(t);
  assert.equal(await it.client.ask('PostToolUse', {}), undefined);
  assert.equal(it.fallenBack(), undefined);
  const received = await serve(t, it, '{"systemMessage":"known"}');
  assert.deepEqual(await it.client.ask('PostToolUse', {}), { systemMessage: 'known' });
  assert.equal(received[0]?.url, '/v1/hook/PostToolUse/pi');
});

test('nothing is sent from our own calls of a model, or after an uninstall', async (t) => {
  const nested = open(t, { TIDEMARK_NESTED: '1' });
  await nested.client.deliver('SessionStart', {});
  assert.equal(nested.fallenBack(), undefined);
  const gone = open(t);
  writeFileSync(gone.places.uninstalled, '');
  await gone.client.deliver('Stop', {});
  assert.equal(gone.fallenBack(), undefined);
  await gone.client.deliver('SessionStart', {});
  assert.equal(gone.fallenBack()?.args[0], 'SessionStart');
});

test('no error reaches the client', async (t) => {
  const it = open(t, { PATH: '' });
  rmSync(it.places.node);
  rmSync(join(it.program, 'hook.cjs'));
  assert.equal(await it.client.deliver('Stop', {}), undefined);
  await serve(t, it, 'not JSON');
  assert.equal(await it.client.deliver('Stop', {}), undefined);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  assert.equal(await it.client.deliver('Stop', circle), undefined);
});
