/** `tidemark model`: what there is, choosing one before and after it is there, and files that are not the pinned ones. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIST, Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';

interface Listed {
  readonly used: string;
  readonly models: readonly {
    readonly id: string;
    readonly installed: boolean;
    readonly used: boolean;
    readonly builtIn: boolean;
    readonly bytes: number;
    readonly folder: string;
  }[];
}

const AUTO = { TIDEMARK_EMBED_DRIVER: 'auto' };
/** Settings of a user are in their file, which a setting of the environment would hide. */
const BY_FILE = { TIDEMARK_EMBED_DRIVER: '' };

async function list(machine: Machine): Promise<Listed> {
  return JSON.parse((await machine.cli(['model', 'list', '--json'])).stdout) as Listed;
}

test('the built-in model is in use without an install; others are listed with the way to get them', async (t) => {
  const machine = Machine.open(t, BY_FILE);
  const first = await list(machine);
  assert.equal(first.used, 'local:small');
  assert.deepEqual(
    first.models.map(({ id, installed, used, builtIn }) => [id, installed, used, builtIn]),
    [
      ['small', true, true, true],
      ['all-minilm-l6-v2', false, false, false],
      ['gte-small', false, false, false],
    ],
  );
  assert.equal(first.models[0]?.folder, join(DIST, '..', 'model'));
  const used = await machine.cli(['model', 'use', 'gte-small']);
  assert.equal(used.code, 0);
  assert.match(used.stderr, /tidemark model install gte-small/);
  assert.equal((await list(machine)).used, 'local:gte-small');
  assert.match((await machine.cli(['model'])).stdout, /small  in use, not for vectors/);
  await machine.up();
  // Right after its start the daemon may not have created the index yet.
  await waitFor('doctor to name the model', async () => {
    const { stdout } = await machine.cli(['doctor']);
    return stdout.includes('tidemark model install gte-small');
  });
  assert.match(
    (await machine.cli(['model', 'use', 'gte-large'])).stderr,
    /small, all-minilm-l6-v2, gte-small/,
  );
  await machine.cli(['model', 'use', 'small']);
  assert.equal((await list(machine)).used, 'local:small');
});

test('installing the built-in model downloads nothing, and it cannot be removed', async (t) => {
  const machine = Machine.open(t, BY_FILE);
  const none = await machine.cli(['model', 'use', 'none']);
  assert.deepEqual([none.code, none.stdout], [0, 'Search uses words only, and only rules make memories.\n']);
  const { code, stdout } = await machine.cli(['model', 'install']);
  assert.deepEqual([code, stdout], [0, 'small ships with Tidemark. There is nothing to install.\n']);
  assert.equal((await list(machine)).used, 'local:small');
  const removed = await machine.cli(['model', 'remove', 'small']);
  assert.notEqual(removed.code, 0);
  assert.match(removed.stderr, /ships with Tidemark.*\n.*model use none/);
});

test('the doctor names the built-in model, its size and its folder', async (t) => {
  const machine = Machine.open(t, AUTO);
  const { stdout } = await machine.cli(['doctor']);
  assert.match(stdout, /built-in model.*small-5, 2\d MB, hash verified, .*plugin\/model/);
});

test('a damaged or missing model is a problem with a next step, and search by words works', async (t) => {
  const machine = Machine.open(t, AUTO);
  const plugin = join(machine.root, 'plugin');
  cpSync(join(DIST, '..'), plugin, { recursive: true });
  const cli = (...args: readonly string[]) =>
    machine.run(process.execPath, [join(plugin, 'dist', 'cli.cjs'), ...args], { cwd: machine.project }).ended;
  appendFileSync(join(plugin, 'model', 'words.bin'), 'x');
  assert.equal((await cli('remember', 'Bread needs salt')).code, 0);
  const damaged = await cli('doctor');
  assert.match(damaged.stdout, /built-in model.*small-5 is damaged: words\.bin/);
  assert.match(damaged.stdout, /embedder.*found by words only: small-5 is damaged: words\.bin/);
  assert.match(damaged.stdout, /Reinstall the plugin/);
  assert.match((await cli('search', 'bread')).stdout, /Bread needs salt/);
  rmSync(join(plugin, 'model'), { recursive: true });
  assert.match((await cli('doctor')).stdout, /small-5 is missing/);
  assert.match((await cli('model')).stdout, /^small  small-5 is missing  Apache-2\.0$/m);
  assert.match((await cli('model', 'install')).stderr, /small-5 is missing\n.*Reinstall the plugin/);
  mkdirSync(join(plugin, 'model', 'model.json'), { recursive: true });
  assert.match(
    (await cli('doctor')).stdout,
    /built-in model.*small-5 cannot be read: .*\n.*Reinstall the plugin/,
  );
  assert.match((await cli('status')).stdout, /only rules make memories.*small-5 cannot be read/);
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
