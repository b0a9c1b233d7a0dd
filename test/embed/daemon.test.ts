/** Search by meaning through the real daemon, with a simulated model server. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { indexFile } from '../support/damage.ts';
import { Machine } from '../support/machine.ts';
import { replaceByOldIndex } from '../support/old-index.ts';
import { waitFor } from '../support/wait-for.ts';

/** Words of the same meaning share a dimension; all others get one from their letters. */
const MEANINGS = [
  ['automobile', 'car', 'vehicle'],
  ['feline', 'cat', 'kitten'],
];

function vectorOf(text: string): readonly number[] {
  const vector = Array.from({ length: 64 }, () => 0.01);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const meaning = MEANINGS.findIndex((words) => words.includes(word));
    const letters = [...word].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const at = meaning < 0 ? 8 + (letters % 56) : meaning;
    vector[at] = (vector[at] ?? 0) + (meaning < 0 ? 0.3 : 3);
  }
  return vector;
}

class PlayedModel {
  readonly texts: string[] = [];
  readonly #server: Server;

  static async open(t: TestContext): Promise<PlayedModel> {
    const played = new PlayedModel();
    await new Promise<void>((resolve) => played.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => played.close());
    return played;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const { input } = JSON.parse(text) as { readonly input: readonly string[] };
        this.texts.push(...input);
        const data = input.map((one, index) => ({ index, embedding: vectorOf(one) }));
        response.end(JSON.stringify({ data }));
      });
    });
  }

  get env() {
    return {
      TIDEMARK_EMBED_DRIVER: 'openai',
      TIDEMARK_EMBED_MODEL: 'played',
      TIDEMARK_EMBED_URL: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
    };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const health = (machine: Machine) => machine.call('embed.health', {});
const allEmbedded = (machine: Machine, count: number) =>
  waitFor('every vector to be made', async () => {
    const { memory } = (await health(machine)).counts;
    return memory.have === count && memory.wanted === 0;
  });

async function search(machine: Machine, query: string): Promise<readonly string[]> {
  const { hits } = await machine.call('read.search', {
    query,
    dir: machine.project,
  });
  return hits.map(({ memory }) => memory.title);
}

async function remember(machine: Machine, ...titles: readonly string[]): Promise<void> {
  for (const title of titles) {
    const { code, stderr } = await machine.cli(['remember', title]);
    assert.equal(code, 0, stderr);
  }
}

test('search finds a memory by meaning; a new memory costs one vector, a rebuild none', async (t) => {
  const model = await PlayedModel.open(t);
  const machine = Machine.open(t, model.env);
  await machine.up();
  await remember(machine, 'The car stays in the garage', 'The cat sleeps on the sofa', 'Bread needs salt');
  await machine.call('sweep', {});
  await allEmbedded(machine, 3);
  assert.equal((await search(machine, 'automobile'))[0], 'The car stays in the garage');
  assert.equal((await search(machine, 'kitten'))[0], 'The cat sleeps on the sofa');

  const before = model.texts.length;
  await remember(machine, 'Tea needs water');
  await allEmbedded(machine, 4);
  assert.deepEqual(
    model.texts.slice(before).map((text) => text.split('\n')[0]),
    ['Tea needs water'],
  );

  const made = model.texts.length;
  await machine.call('reindex', {});
  await machine.call('sweep', {});
  await allEmbedded(machine, 4);
  assert.equal(model.texts.length, made);
  assert.equal((await search(machine, 'automobile'))[0], 'The car stays in the garage');
});

test('after an upgrade the rebuilt index takes the vectors of schema 13; older ones are made again', async (t) => {
  const model = await PlayedModel.open(t);
  const machine = Machine.open(t, model.env);
  await machine.up();
  await remember(machine, 'Bread needs salt', 'The car stays in the garage');
  await allEmbedded(machine, 2);
  await machine.stopDaemon();
  replaceByOldIndex(indexFile(machine), 13);
  const made = model.texts.length;
  await machine.up();
  await allEmbedded(machine, 2);
  assert.equal(model.texts.length, made, 'no vector is made again');
  assert.equal((await search(machine, 'automobile'))[0], 'The car stays in the garage');

  await machine.stopDaemon();
  replaceByOldIndex(indexFile(machine), 12);
  const before = model.texts.length;
  await machine.up();
  await waitFor('new vectors', () => model.texts.length >= before + 2);
  await allEmbedded(machine, 2);
  assert.deepEqual(
    model.texts
      .slice(before)
      .map((text) => text.split('\n')[0])
      .toSorted(),
    ['Bread needs salt', 'The car stays in the garage'],
  );
  assert.equal((await search(machine, 'automobile'))[0], 'The car stays in the garage');
});

test('without its model server, search still works by words, and the doctor reports the problem', async (t) => {
  const model = await PlayedModel.open(t);
  const machine = Machine.open(t, model.env);
  await machine.up();
  await remember(machine, 'The car stays in the garage');
  await allEmbedded(machine, 1);
  model.close();
  assert.deepEqual(await search(machine, 'garage'), ['The car stays in the garage']);
  await remember(machine, 'Bread needs salt');
  const { trouble } = await waitFor('the trouble to be known', async () => {
    const found = await health(machine);
    return found.trouble === undefined ? undefined : found;
  });
  assert.ok(trouble);
  assert.match((await machine.cli(['doctor'])).stdout, /embedder.*openai:played/);
});

test('without a model, search works by words, and the doctor says how to use one', async (t) => {
  const machine = Machine.open(t, { TIDEMARK_EMBED_DRIVER: 'none' });
  await machine.up();
  const { embedder, next } = await health(machine);
  assert.deepEqual([embedder, next], [null, 'tidemark config set embed.driver local']);
  assert.match((await machine.cli(['doctor'])).stdout, /found by words only/);
});

test('the built-in model finds by meaning on a new machine, without an install', async (t) => {
  const machine = Machine.open(t, { TIDEMARK_EMBED_DRIVER: 'local' });
  await machine.up();
  await remember(machine, 'The car stays in the garage', 'The cat sleeps on the sofa');
  await allEmbedded(machine, 2);
  assert.equal((await health(machine)).embedder, 'local:small');
  assert.equal((await search(machine, 'feline'))[0], 'The cat sleeps on the sofa');
});

test('imported entries get their vectors at once, without a sweep and without a restart', async (t) => {
  const source = Machine.open(t);
  await source.up();
  await remember(source, 'The car stays in the garage', 'The cat sleeps on the sofa');
  const file = join(source.root, 'export.jsonl');
  const exported = await source.cli(['export', '--to', file]);
  assert.equal(exported.code, 0, exported.stderr);

  const model = await PlayedModel.open(t);
  const machine = Machine.open(t, model.env);
  await machine.up();
  await remember(machine, 'Bread needs salt');
  await allEmbedded(machine, 1);
  const imported = await machine.cli(['import', 'file', file]);
  assert.equal(imported.code, 0, imported.stderr);
  await allEmbedded(machine, 3);
  assert.ok(model.texts.some((text) => text.startsWith('The car stays in the garage')));
});
