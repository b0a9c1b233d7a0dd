import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn } from '../../../core/index.ts';
import { installer } from './index.ts';

function world(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-pi-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const places = placesIn(join(root, 'data "folder"'));
  mkdirSync(places.home);
  return { root, env: { HOME: root, PATH: '' }, places, plugin: join(root, 'plugin') };
}

test('installing writes one file, once, and removal leaves nothing behind', async (t) => {
  const it = world(t);
  const path = join(it.root, '.pi', 'agent', 'extensions', 'tidemark.ts');
  assert.deepEqual(await installer.plan(it), [`write the extension ${path}`]);
  assert.equal((await installer.status(it)).state, 'absent');
  assert.deepEqual(await installer.install(it), [`wrote the extension ${path}`]);
  assert.deepEqual([await installer.plan(it), await installer.install(it)], [[], []]);
  assert.equal((await installer.status(it)).state, 'installed');
  assert.deepEqual(await installer.remove(it), [`removed the extension ${path}`]);
  assert.deepEqual(readdirSync(it.root), ['data "folder"']);
  assert.deepEqual(await installer.remove(it), []);
});

test('other extensions stay', async (t) => {
  const it = world(t);
  const other = join(it.root, '.pi', 'agent', 'extensions', 'other.ts');
  mkdirSync(join(other, '..'), { recursive: true });
  writeFileSync(other, '');
  await installer.install(it);
  await installer.remove(it);
  assert.deepEqual(readdirSync(join(other, '..')), ['other.ts']);
});

test('a file of another data folder is a fault that a new install repairs', async (t) => {
  const it = world(t);
  await installer.install({ ...it, places: placesIn(join(it.root, 'other')) });
  const { state, findings } = await installer.status(it);
  assert.deepEqual([state, findings.map(({ isRepairable }) => isRepairable)], ['faulty', [true]]);
  await installer.install(it);
  assert.equal((await installer.status(it)).state, 'installed');
});

test('the file loads the program that was installed last, and does nothing without one', async (t) => {
  const it = world(t);
  await installer.install(it);
  const path = join(it.root, '.pi', 'agent', 'extensions', 'tidemark.ts');
  const { default: extension } = (await import(path)) as { default: (pi: object) => void };
  const pi: { home?: string } = {};
  extension(pi);
  assert.deepEqual(pi, {});
  const program = join(it.root, 'program');
  mkdirSync(program);
  writeFileSync(join(program, 'pi.cjs'), 'exports.default = (pi, home) => { pi.home = home; };');
  writeFileSync(it.places.program, `${program}\n`);
  extension(pi);
  assert.deepEqual(pi, { home: it.places.home });
});

test('pi is found by its folder or its package, and no other program of that name', async (t) => {
  const it = world(t);
  const bin = join(it.root, 'bin');
  const env = { ...it.env, PATH: bin };
  mkdirSync(bin);
  writeFileSync(join(bin, 'pi'), '#!/bin/sh\n', { mode: 0o755 });
  assert.equal(await installer.find(env), undefined);
  const dist = join(it.root, 'node_modules', 'pi-coding-agent', 'dist');
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'cli.js'), '', { mode: 0o755 });
  writeFileSync(join(dist, '..', 'package.json'), '{"version":"0.87.1"}');
  rmSync(join(bin, 'pi'));
  symlinkSync(join(dist, 'cli.js'), join(bin, 'pi'));
  const folder = join(it.root, '.pi', 'agent');
  assert.deepEqual(await installer.find(env), { folder, path: join(bin, 'pi'), version: '0.87.1' });
  mkdirSync(folder, { recursive: true });
  assert.deepEqual(await installer.find(it.env), { folder });
  assert.ok(existsSync(folder));
});
