import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn } from '../../../core/index.ts';
import { parseJson } from '../../installing/json-text.ts';
import { wrapperPath } from '../../installing/hook-wrapper.ts';
import { installer } from './index.ts';

const COMMENTED = `{
  // mine
  "model": "a/b", /* "mcp": {} */
  "mcp": {
    "other": { "type": "local", "command": ["x"] }, // theirs
  },
}
`;

test('installing writes files of our own and one key, once; removal leaves nothing behind', async (t) => {
  const it = world(t);
  const plugin = join(it.folder, 'plugin', 'tidemark.js');
  const config = join(it.folder, 'opencode.json');
  const files = [
    join(it.folder, 'skill', 'tidemark', 'SKILL.md'),
    ...['search', 'ask', 'remember'].map((name) => join(it.folder, 'command', `tidemark-${name}.md`)),
  ];
  assert.deepEqual(await installer.plan(it), [
    `write the plugin ${plugin}`,
    `add the MCP server to ${config}`,
    ...files.map((path) => `write ${path}`),
  ]);
  assert.equal((await installer.status(it)).state, 'absent');
  assert.deepEqual(readdirSync(it.root), ['data'], 'a plan writes nothing');
  await installer.install(it);
  assert.deepEqual([await installer.plan(it), await installer.install(it)], [[], []]);
  const { state, evidence } = await installer.status(it);
  assert.deepEqual([state, evidence], ['installed', `the plugin ${plugin}, the MCP server in ${config}`]);
  assert.deepEqual(JSON.parse(readFileSync(config, 'utf8')), {
    $schema: 'https://opencode.ai/config.json',
    mcp: {
      tidemark: {
        type: 'local',
        command: ['sh', wrapperPath(it.places), 'mcp', '--agent', 'opencode'],
        enabled: true,
      },
    },
  });
  await installer.remove(it);
  rmSync(wrapperPath(it.places));
  assert.deepEqual(readdirSync(it.root, { recursive: true }), ['data']);
  assert.deepEqual(await installer.remove(it), []);
});

test('settings with comments are restored byte for byte', async (t) => {
  const it = world(t);
  const config = join(it.folder, 'opencode.jsonc');
  mkdirSync(it.folder, { recursive: true });
  writeFileSync(config, COMMENTED);
  await installer.install(it);
  const text = readFileSync(config, 'utf8');
  for (const kept of ['// mine', '/* "mcp": {} */', '// theirs']) assert.ok(text.includes(kept), kept);
  assert.deepEqual(Object.keys(Object(Object(parseJson(text))['mcp'])), ['other', 'tidemark']);
  assert.ok(!existsSync(join(it.folder, 'opencode.json')));
  assert.equal((await installer.status(it)).state, 'installed');
  await installer.remove(it);
  assert.equal(readFileSync(config, 'utf8'), COMMENTED);
  assert.deepEqual(readdirSync(it.folder), ['opencode.jsonc']);
});

test('what the user changed after the install stays', async (t) => {
  const it = world(t);
  await installer.install(it);
  const config = join(it.folder, 'opencode.json');
  const off = readFileSync(config, 'utf8').replace('"enabled": true', '"enabled": false');
  writeFileSync(config, off.replace('{\n', '{\n  "theme": "dark",\n'));
  assert.deepEqual(await installer.plan(it), [], 'a server that is switched off stays so');
  mkdirSync(join(it.folder, 'plugin', 'mine'));
  await installer.remove(it);
  assert.deepEqual(JSON.parse(readFileSync(config, 'utf8')), {
    theme: 'dark',
    $schema: 'https://opencode.ai/config.json',
  });
  assert.deepEqual(readdirSync(it.folder).toSorted(), ['opencode.json', 'plugin']);
});

test('status names each fault, and a new install repairs it', async (t) => {
  const it = world(t);
  await installer.install({ ...it, places: placesIn(join(it.root, 'other')) });
  const { state, findings } = await installer.status(it);
  assert.equal(state, 'faulty');
  assert.equal(findings.length, 3, 'plugin, MCP server and wrapper belong to another data folder');
  assert.ok(findings.every(({ isRepairable }) => isRepairable));
  await installer.install(it);
  assert.equal((await installer.status(it)).state, 'installed');
});

test('settings that are not valid JSON are not touched', async (t) => {
  const it = world(t);
  const config = join(it.folder, 'opencode.json');
  mkdirSync(it.folder, { recursive: true });
  writeFileSync(config, '{"model": ');
  await assert.rejects(installer.install(it), { code: 'settings-unreadable' });
  assert.deepEqual(readdirSync(it.folder), ['opencode.json']);
  assert.deepEqual(await installer.remove(it), []);
  assert.equal(readFileSync(config, 'utf8'), '{"model": ');
});

test('the client is found by its folders or its program', async (t) => {
  const it = world(t);
  assert.equal(await installer.find(it.env), undefined);
  const program = join(it.root, '.opencode', 'bin', 'opencode');
  mkdirSync(join(program, '..'), { recursive: true });
  writeFileSync(program, '#!/bin/sh\necho 1.18.33\n', { mode: 0o755 });
  assert.deepEqual(await installer.find(it.env), { folder: it.folder, path: program, version: '1.18.33' });
  rmSync(program);
  mkdirSync(join(it.root, '.local', 'share', 'opencode'), { recursive: true });
  assert.deepEqual(await installer.find(it.env), { folder: it.folder });
  const moved = { ...it.env, XDG_CONFIG_HOME: join(it.root, 'xdg') };
  assert.equal((await installer.find(moved))?.folder, join(it.root, 'xdg', 'opencode'));
});

test('the plugin loads the program that was installed last, and does nothing without one', async (t) => {
  const it = world(t);
  await installer.install(it);
  const path = join(it.folder, 'plugin', 'tidemark.js');
  const exported = (await import(path)) as Record<string, (input: object) => Promise<object>>;
  assert.deepEqual(Object.keys(exported), ['Tidemark']);
  assert.deepEqual(await exported['Tidemark']?.({}), {});
  const program = join(it.root, 'program');
  mkdirSync(program);
  writeFileSync(
    join(program, 'opencode.cjs'),
    'exports.default = (input, home) => ({ home, of: input.directory });',
  );
  writeFileSync(it.places.program, `${program}\n`);
  assert.deepEqual(await exported['Tidemark']?.({ directory: '/app' }), { home: it.places.home, of: '/app' });
});

function world(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-opencode-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const places = placesIn(join(root, 'data'));
  mkdirSync(places.home);
  const folder = join(root, '.config', 'opencode');
  return { root, folder, env: { HOME: root, PATH: '/usr/bin:/bin' }, places, plugin: join(root, 'plugin') };
}
