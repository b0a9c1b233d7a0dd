import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../../../test/support/wait-for.ts';
import { setConfig } from '../../config/index.ts';
import { placesIn } from '../../core/index.ts';
import type { Embedded } from '../../database/index.ts';
import { CATALOGUE } from '../../models/index.ts';
import { EmbedClient } from './embed-client.ts';
import type { WorkerPool } from './worker-pool.ts';

test('a change of the model during work takes effect at once and reports no failure', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-embed-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  for (const { id, files } of CATALOGUE) {
    mkdirSync(join(places.models, id), { recursive: true });
    for (const { name, bytes } of files) {
      // Of the right size and empty: the program that reads them is a fake.
      writeFileSync(join(places.models, id, name), '');
      truncateSync(join(places.models, id, name), bytes);
    }
  }
  setConfig(places, 'embed.model', 'all-minilm-l6-v2');
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
  await waitFor('the first model to be at work', () => asked > 0);
  waiting = 'a text';
  setConfig(places, 'embed.model', 'gte-small');
  await embedder.reload();
  await waitFor('a vector of the second', () => stored.length > 0);
  assert.equal(stored[0]?.model, 'local:gte-small');
  assert.equal((await embedder.health()).trouble, undefined);
});
