import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { openAiEmbedder } from './openai.ts';

let server: Server;
let base: string;
const asked: { url: string; key: string | undefined; body: Record<string, unknown> }[] = [];
const ANSWERS: Readonly<Record<string, string>> = { strange: '{"data":"none"}', empty: 'null' };

before(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text) as { input: string[]; model: string };
      asked.push({ url: request.url ?? '', key: request.headers.authorization, body });
      if (body.model === 'broken') return void response.writeHead(500).end();
      const data = body.input.map((item, index) => ({
        index,
        embedding: [3 * item.length, 4 * item.length, 0],
      }));
      response.end(ANSWERS[body.model] ?? JSON.stringify({ data: data.toReversed() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const signal = AbortSignal.timeout(10_000);

test('vectors are scaled to length 1, and the dimensions are known after the first answer', async () => {
  const embedder = openAiEmbedder({ model: 'some', url: base });
  assert.equal(embedder.dimensions, 0);
  const [vector] = await embedder.embed(['hello'], signal);
  assert.deepEqual(
    [...(vector ?? [])].map((value) => Math.round(value * 10) / 10),
    [0.6, 0.8, 0],
  );
  assert.equal(embedder.dimensions, 3);
});

test('the server gets the model, the texts and the key, and may answer in any order', async () => {
  const embedder = openAiEmbedder({ model: 'some', url: `${base}/v1/`, key: 'k' });
  assert.equal((await embedder.embed(['a', 'b'], signal)).length, 2);
  assert.deepEqual(asked.at(-1), {
    url: '/v1/embeddings',
    key: 'Bearer k',
    body: { model: 'some', input: ['a', 'b'] },
  });
});

test('an answer without vectors is an error with a code', async () => {
  for (const model of ['broken', 'strange', 'empty'])
    await assert.rejects(openAiEmbedder({ model, url: base }).embed(['x'], signal), {
      code: 'embedder-failed',
    });
});
