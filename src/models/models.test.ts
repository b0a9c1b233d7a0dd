import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { CATALOGUE, type CatalogueModel } from './catalogue.ts';
import { installModel, isInstalled, removeModel, type InstallOptions } from './models.ts';

const WEIGHTS = Buffer.alloc(5000, 7);
let server: Server;
let base: string;
let folder: string;

before(async () => {
  server = createServer((request, response) => {
    if (request.url === '/good') return void response.end(WEIGHTS);
    if (request.url === '/other') return void response.end(Buffer.alloc(5000, 8));
    if (request.url === '/endless') return void response.end(Buffer.alloc(50_000));
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tidemark-models-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const model = (...paths: readonly string[]): CatalogueModel => ({
  id: 'test-model',
  about: '',
  licence: 'MIT',
  dimensions: 4,
  maxTokens: 8,
  isBuiltIn: false,
  files: [
    {
      name: 'model.onnx',
      bytes: WEIGHTS.length,
      sha256: createHash('sha256').update(WEIGHTS).digest('hex'),
      sources: paths.map((path) => ({ kind: 'web', url: base + path }) as const),
    },
  ],
});
const options = (more: Partial<InstallOptions> = {}): InstallOptions => ({
  folder,
  env: process.env,
  onProgress: () => {},
  signal: AbortSignal.timeout(10_000),
  ...more,
});

test('a file with another hash is discarded and the next source is tried', async () => {
  const seen: string[] = [];
  const wanted = model('/missing', '/other', '/endless', '/good');
  await installModel(wanted, options({ onProgress: ({ done, total }) => seen.push(`${done}/${total}`) }));
  assert.ok(isInstalled(folder, wanted));
  assert.deepEqual(readFileSync(join(folder, 'test-model', 'model.onnx')), WEIGHTS);
  assert.equal(seen.at(-1), '5000/5000');
});

test('without a good source nothing is installed and the error names each source', async () => {
  await assert.rejects(installModel(model('/missing', '/other'), options()), {
    code: 'model-unreachable',
    message: /answered 404; .*not the pinned file/,
  });
  assert.deepEqual(readdirSync(folder), []);
});

test('files from a folder are verified too', async () => {
  const from = join(folder, 'copied');
  await installModel(model('/good'), options());
  assert.equal((await installModel(model(), options())).fetched, 0);
  assert.ok(removeModel(folder, model()));
  assert.ok(!existsSync(join(folder, 'test-model')));
  const copied = mkdtempSync(join(tmpdir(), 'tidemark-copied-'));
  writeFileSync(join(copied, 'model.onnx'), Buffer.alloc(5000, 9));
  await assert.rejects(installModel(model('/good'), options({ from: copied })), {
    code: 'model-unreachable',
  });
  writeFileSync(join(copied, 'model.onnx'), WEIGHTS);
  await installModel(model(), options({ from: copied }));
  assert.ok(isInstalled(folder, model()));
  rmSync(copied, { recursive: true });
  assert.ok(!existsSync(from));
});

test('every model that is not built in has pinned files, first from the public hub, then from a registry', () => {
  assert.equal(new Set(CATALOGUE.map(({ id }) => id)).size, CATALOGUE.length);
  for (const { files, licence, dimensions } of CATALOGUE.filter(({ isBuiltIn }) => !isBuiltIn)) {
    assert.deepEqual(
      files.map(({ name }) => name),
      ['model.onnx', 'vocab.txt'],
    );
    assert.ok(licence && dimensions > 0);
    for (const { sha256, bytes, sources } of files) {
      assert.match(sha256, /^[0-9a-f]{64}$/);
      assert.ok(bytes > 0);
      assert.deepEqual(
        sources.map(({ kind }) => kind),
        ['web', 'npm'],
      );
    }
  }
});
