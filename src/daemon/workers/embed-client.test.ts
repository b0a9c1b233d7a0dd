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

test('another model chosen in the middle of the work goes on at once, and nothing is reported as broken', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-meaning-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  for (const { id, files } of CATALOGUE) {
    mkdirSync(join(places.models, id), { recursive: true });
    for (const { name, bytes } of files) {
      // Of the right size and empty: the program that would read them is a stand-in.
      writeFileSync(join(places.models, id, name), '');
      truncateSync(join(places.models, id, name), bytes);
    }
  }
  let waiting = 'hang';
  let asked = 0;
  const kept: { readonly model: string; readonly embedded: readonly Embedded[] }[] = [];
  const write = async <T>(method: string, args: unknown): Promise<T> => {
    if (method === 'embed.wanted') {
      asked++;
      const one = { tier: 'memory', row: 1, hash: 'h', text: waiting };
      return (kept.length > 0 ? [] : [one]) as T;
    }
    if (method === 'embed.put') kept.push(args as (typeof kept)[number]);
    return { changed: true, memory: { have: 0, wanted: 1 }, turn: { have: 0, wanted: 0 } } as T;
  };
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
  await embedder.renew();
  await waitFor('a vector of the second', () => kept.length > 0);
  assert.equal(kept[0]?.model, 'local:gte-small');
  assert.equal((await embedder.health()).trouble, undefined);
});
