/** `tidemark model`: what there is, choosing one before and after it is there, and files that are not the pinned ones. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';

interface Listed {
  readonly used: string;
  readonly models: readonly { readonly id: string; readonly installed: boolean; readonly used: boolean }[];
}

test('both models are listed; the one in use is named before it is there, with the way to get it', async (t) => {
  const machine = Machine.open(t);
  const list = async (): Promise<Listed> =>
    JSON.parse((await machine.cli(['model', 'list', '--json'])).stdout) as Listed;
  const first = await list();
  assert.equal(first.used, 'local:all-minilm-l6-v2');
  assert.deepEqual(
    first.models.map(({ id, installed }) => [id, installed]),
    [
      ['all-minilm-l6-v2', false],
      ['gte-small', false],
    ],
  );
  const used = await machine.cli(['model', 'use', 'gte-small']);
  assert.equal(used.code, 0);
  assert.match(used.stderr, /tidemark model install gte-small/);
  assert.equal((await list()).used, 'local:gte-small');
  await machine.up();
  assert.match((await machine.cli(['doctor'])).stdout, /tidemark model install gte-small/);
  assert.match((await machine.cli(['model', 'use', 'gte-large'])).stderr, /all-minilm-l6-v2, gte-small/);
});

test('files copied by hand must be there and be the pinned ones', async (t) => {
  const machine = Machine.open(t);
  const from = join(machine.root, 'copied');
  mkdirSync(from);
  const install = () => machine.cli(['model', 'install', 'gte-small', '--from', from]);
  const missing = await install();
  assert.notEqual(missing.code, 0);
  assert.match(missing.stderr, /model\.onnx.*does not exist/);
  writeFileSync(join(from, 'model.onnx'), 'another model');
  const other = await install();
  assert.notEqual(other.code, 0);
  assert.match(other.stderr, /not the pinned file/);
});
