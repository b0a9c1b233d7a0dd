import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../../../test/support/wait-for.ts';
import { setConfig } from '../../config/index.ts';
import { placesIn } from '../../core/index.ts';
import type { Embedded } from '../../database/index.ts';
import { EmbedClient } from './embed-client.ts';
import type { WorkerPool } from './worker-pool.ts';

test('a change of the driver during work takes effect at once and reports no failure', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-embed-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  const server = createServer((_, response) => response.end('{"data":[{"index":0,"embedding":[1]}]}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  let waiting = 'hang';
  let asked = 0;
  const stored: { readonly model: string; readonly embedded: readonly Embedded[] }[] = [];
  const write = (async (name: string, args: unknown): Promise<unknown> => {
    if (name === 'embed.wanted') {
      asked++;
      const one = { tier: 'memory', row: 1, hash: 'h', text: waiting };
      return stored.length > 0 ? [] : [one];
    }
    if (name === 'embed.put') stored.push(args as (typeof stored)[number]);
    return { changed: true, memory: { have: 0, wanted: 1 }, turn: { have: 0, wanted: 0 } };
  }) as WorkerPool['write']; // answers the calls that an embed client makes
  const silent = (): void => {};
  const embedder = new EmbedClient({
    places,
    env: {},
    log: { debug: silent, info: silent, warn: silent, error: silent },
    program: join('src', 'models', '_fake-program.mjs'),
    runtime: '/nowhere',
    write,
  });
  t.after(() => embedder.close());
  embedder.wake();
  await waitFor('the built-in model to be at work', () => asked > 0);
  waiting = 'a text';
  setConfig(places, 'embed.driver', 'openai');
  setConfig(places, 'embed.model', 'other');
  setConfig(places, 'embed.url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await embedder.reload();
  await waitFor('a vector of the server', () => stored.length > 0);
  assert.equal(stored[0]?.model, 'openai:other');
  assert.equal((await embedder.health()).trouble, undefined);
});
