/** The model that ships with Tidemark: named, missing, damaged, switched off, or replaced by a server. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIST, Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';

const WITH_MODEL = { TIDEMARK_EMBED_DRIVER: 'local' };
/** Settings of a user are in their file, which a setting of the environment would hide. */
const BY_FILE = { TIDEMARK_EMBED_DRIVER: '' };

test('a server without a model is said by the doctor, and the built-in model comes back by one setting', async (t) => {
  const machine = Machine.open(t, BY_FILE);
  await machine.up();
  assert.equal((await machine.cli(['config', 'set', 'embed.driver', 'openai'])).code, 0);
  // Right after its start the daemon may not have created the index yet.
  await waitFor('doctor to name what is missing', async () => {
    const { stdout } = await machine.cli(['doctor']);
    return /found by words only: embed\.model is not set\n.*config set embed\.model/.test(stdout);
  });
  await machine.cli(['config', 'set', 'embed.driver', 'local']);
  assert.equal((await machine.call('embed.health', {})).embedder, 'local:small');
  await machine.cli(['config', 'set', 'embed.driver', 'none']);
  const { embedder, next } = await machine.call('embed.health', {});
  assert.deepEqual([embedder, next], [null, 'tidemark config set embed.driver local']);
});

test('the verb that chose among models names the setting', async (t) => {
  const { code, stderr } = await Machine.open(t).cli(['model', 'use', 'small']);
  assert.equal(code, 2);
  assert.match(stderr, /"model" was removed\n.*config set embed\.driver/);
});

test('the doctor names the built-in model, its size and its folder', async (t) => {
  const machine = Machine.open(t, WITH_MODEL);
  const { stdout } = await machine.cli(['doctor']);
  assert.match(stdout, /built-in model.*small-5, 2\d MB, hash verified, .*plugin\/model/);
});

test('a damaged or missing model is a problem with a next step, and search by words works', async (t) => {
  const machine = Machine.open(t, WITH_MODEL);
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
  mkdirSync(join(plugin, 'model', 'model.json'), { recursive: true });
  assert.match(
    (await cli('doctor')).stdout,
    /built-in model.*small-5 cannot be read: .*\n.*Reinstall the plugin/,
  );
  assert.match((await cli('status')).stdout, /only rules make memories.*small-5 cannot be read/);
});
