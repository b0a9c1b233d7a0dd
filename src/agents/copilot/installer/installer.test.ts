import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { filesIn } from '../../../../test/support/files-in.ts';
import { placesIn } from '../../../core/index.ts';
import type { InstallWorld } from '../../agent.ts';
import { parseJson } from '../../installing/json-text.ts';
import { installer } from './index.ts';

const SERVERS = `{
  // mine
  "mcpServers": {
    "other": { "type": "local", "command": "true", "args": [], "tools": ["*"] } /* last */
  }
}
`;

/** Events that are registered as another of ours. */
const OURS: Readonly<Record<string, string>> = { PreCompact: 'SessionStart' };

interface Setting extends InstallWorld {
  readonly home: string;
  at(name: string): string;
  read(name: string): string;
}

function world(t: TestContext, files: Readonly<Record<string, string>> = {}): Setting {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-copilot-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'copilot home');
  const at = (name: string): string => join(home, ...name.split('/'));
  if (Object.keys(files).length > 0) mkdirSync(home);
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  return {
    home,
    at,
    env: { HOME: root, PATH: '', COPILOT_HOME: home },
    places: placesIn(join(root, 'data "folder"')),
    plugin: join(root, 'plugin'),
    read: (name) => readFileSync(at(name), 'utf8'),
  };
}

test('the client is found by its folder or its program', async (t) => {
  const { env, home } = world(t);
  assert.equal(await installer.find(env), undefined);
  mkdirSync(home);
  assert.deepEqual(await installer.find(env), { folder: home });
  const bin = join(env['HOME'] ?? '', '.local', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'copilot'), '#!/bin/sh\necho GitHub Copilot CLI 1.0.102.\n', { mode: 0o755 });
  const path = join(bin, 'copilot');
  assert.deepEqual(await installer.find(env), { folder: home, path, version: '1.0.102' });
});

test('install does what the plan lists, and nothing the second time', async (t) => {
  const setting = world(t, { 'mcp-config.json': SERVERS });
  assert.equal((await installer.status(setting)).state, 'absent');
  assert.equal((await installer.plan(setting)).length, 3);
  assert.deepEqual(Object.keys(filesIn(setting.home)), ['mcp-config.json'], 'a plan changes nothing');
  assert.equal((await installer.install(setting)).length, 3);
  assert.deepEqual(await installer.plan(setting), []);
  assert.deepEqual(await installer.install(setting), []);
  assert.deepEqual(await installer.status(setting), {
    state: 'installed',
    evidence: `6 hooks in ${setting.at('hooks/tidemark.json')}`,
    findings: [],
  });
});

test('the hooks are commands that name the agent, and one is limited to reads', async (t) => {
  const setting = world(t);
  await installer.install(setting);
  const { version, hooks } = JSON.parse(setting.read('hooks/tidemark.json')) as {
    version: number;
    hooks: Record<string, { type: string; command: string; matcher?: string; args?: unknown }[]>;
  };
  assert.equal(version, 1);
  const entries = Object.entries(hooks).flatMap(([event, list]) =>
    list.map((entry) => ({ event, ...entry })),
  );
  for (const { event, type, command, args } of entries) {
    assert.deepEqual([type, args], ['command', undefined]);
    assert.match(command, new RegExp(`^sh ".*agent\\.sh" ${OURS[event] ?? event} copilot$`));
  }
  assert.deepEqual(
    entries.flatMap(({ event, matcher }) => (matcher === undefined ? [] : [[event, matcher]])),
    [['PostToolUse', 'Read']],
  );
});

test('removal restores every byte, also where there was no folder', async (t) => {
  for (const setting of [world(t, { 'mcp-config.json': SERVERS, 'settings.json': '{}' }), world(t)]) {
    const before = existsSync(setting.home) ? filesIn(setting.home) : undefined;
    await installer.install(setting);
    assert.equal((await installer.remove(setting)).length, 3);
    assert.deepEqual(existsSync(setting.home) ? filesIn(setting.home) : undefined, before);
    assert.deepEqual(await installer.remove(setting), []);
  }
});

test('changes that the user or the client made since are kept on removal', async (t) => {
  const setting = world(t, { 'mcp-config.json': SERVERS });
  await installer.install(setting);
  // As the client prints it.
  writeFileSync(
    setting.at('mcp-config.json'),
    JSON.stringify(parseJson(setting.read('mcp-config.json')), null, 2),
  );
  await installer.remove(setting);
  assert.deepEqual(parseJson(setting.read('mcp-config.json')), parseJson(SERVERS));
});

test('a list of servers that is no JSON is left alone', async (t) => {
  const setting = world(t, { 'mcp-config.json': '{"mcpServers": ' });
  await assert.rejects(() => installer.install(setting), { code: 'settings-unreadable' });
  assert.deepEqual(filesIn(setting.home), { 'mcp-config.json': '{"mcpServers": ' });
});

test('status names what is missing, disabled or there twice', async (t) => {
  const setting = world(t, { 'mcp-config.json': SERVERS });
  await installer.install(setting);
  writeFileSync(setting.at('mcp-config.json'), SERVERS);
  writeFileSync(
    setting.at('settings.json'),
    '{ "disableAllHooks": true, "enabledPlugins": { "tidemark@tidemark": true, "other@x": true } }',
  );
  const { state, findings } = await installer.status(setting);
  assert.equal(state, 'faulty');
  assert.deepEqual(
    findings.map(({ isRepairable = false, next = '' }) => [isRepairable, next]),
    [
      [true, ''],
      [false, 'Set `disableAllHooks` to false there.'],
      [false, 'Run: copilot plugin uninstall tidemark@tidemark'],
    ],
  );
  await installer.install(setting);
  assert.equal((await installer.status(setting)).findings.length, 2);
});
