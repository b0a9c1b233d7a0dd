import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { filesIn } from '../../../../test/support/files-in.ts';
import { placesIn } from '../../../core/index.ts';
import type { InstallWorld } from '../../agent.ts';
import { installer } from './index.ts';

/** As the client writes it after it has loaded two extensions. */
const STATE = `{
  "version": 2,
  "generation": 0,
  "extensions": {
    "aaaa": {
      "name": "other",
      "defaultActivation": "enabled",
      "workspaceOverrides": {}
    },
    "eebe": {
      "name": "tidemark",
      "defaultActivation": "enabled",
      "workspaceOverrides": {}
    }
  }
}`;
const PLUGIN_HOOKS =
  '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"sh \\"${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh\\" Stop"}]}]}}';

interface Setting extends InstallWorld {
  readonly home: string;
  at(name: string): string;
  put(name: string, text: string): void;
}

function world(t: TestContext, files: Readonly<Record<string, string>> = {}): Setting {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-qwen-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'qwen home');
  const at = (name: string): string => join(home, ...name.split('/'));
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  for (const [name, text] of Object.entries(files)) put(name, text);
  return {
    home,
    at,
    put,
    env: { HOME: root, PATH: '', QWEN_HOME: home },
    places: placesIn(join(root, 'data "folder"')),
    plugin: join(root, 'plugin'),
  };
}

test('the client is found by its folder or its program', async (t) => {
  const { env, home } = world(t);
  assert.equal(await installer.find(env), undefined);
  mkdirSync(home);
  assert.deepEqual(await installer.find(env), { folder: home });
});

test('install does what the plan lists, and nothing the second time', async (t) => {
  const setting = world(t, { 'settings.json': '{ "mine": 1 }' });
  const folder = setting.at('extensions/tidemark');
  assert.equal((await installer.status(setting)).state, 'absent');
  assert.deepEqual(await installer.plan(setting), [`write the extension ${folder}`]);
  assert.deepEqual(Object.keys(filesIn(setting.home)), ['settings.json'], 'a plan changes nothing');
  assert.deepEqual(await installer.install(setting), [`wrote the extension ${folder}`]);
  assert.deepEqual(await installer.plan(setting), []);
  assert.deepEqual(await installer.install(setting), []);
  assert.deepEqual(await installer.status(setting), {
    state: 'installed',
    evidence: `7 hooks in ${folder}`,
    findings: [],
  });
});

test('the hooks are commands that name the agent, and one is limited to reads', async (t) => {
  const setting = world(t);
  await installer.install(setting);
  const { hooks } = JSON.parse(readFileSync(setting.at('extensions/tidemark/hooks/hooks.json'), 'utf8')) as {
    hooks: Record<string, { matcher?: string; hooks: { command: string; args?: unknown }[] }[]>;
  };
  for (const [event, groups] of Object.entries(hooks)) {
    const [group] = groups;
    assert.equal(group?.matcher, event === 'PostToolUse' ? 'read_file' : undefined);
    assert.match(group?.hooks[0]?.command ?? '', new RegExp(`^sh ".*agent\\.sh" ${event} qwen$`));
    assert.equal(group?.hooks[0]?.args, undefined);
  }
});

test('removal leaves every other byte, also in the list that the client keeps', async (t) => {
  const setting = world(t, {
    'settings.json': '{ "mine": 1 }',
    'extensions/other/qwen-extension.json': '{}',
  });
  const before = filesIn(setting.home);
  await installer.install(setting);
  setting.put('extension-store/state.json', STATE);
  setting.put('extensions/extension-enablement.json', '{ "tidemark": { "overrides": [] }, "other": {} }');
  assert.deepEqual(await installer.remove(setting), [
    `removed the extension ${setting.at('extensions/tidemark')}`,
  ]);
  const after = filesIn(setting.home, [/^extension-store|enablement/]);
  assert.deepEqual(after, before);
  const read = (name: string): object => JSON.parse(readFileSync(setting.at(name), 'utf8')) as object;
  const { extensions } = read('extension-store/state.json') as { extensions: object };
  assert.deepEqual(Object.keys(extensions), ['aaaa']);
  assert.deepEqual(read('extensions/extension-enablement.json'), { other: {} });
  assert.deepEqual(await installer.remove(setting), []);
});

test('a folder that did not exist goes again', async (t) => {
  const setting = world(t);
  await installer.install(setting);
  await installer.remove(setting);
  assert.ok(!existsSync(setting.home));
});

test('a copy of the plugin for Claude Code is replaced', async (t) => {
  const setting = world(t, {
    'extensions/tidemark/.qwen-extension-install.json': '{}',
    'extensions/tidemark/qwen-extension.json': '{"name":"tidemark","version":"0.1.0"}',
    'extensions/tidemark/hooks/hooks.json': PLUGIN_HOOKS,
    'extensions/tidemark/dist/hook.cjs': '',
  });
  const folder = setting.at('extensions/tidemark');
  assert.deepEqual(installer.copies?.(setting.env), [folder]);
  const { state, findings } = await installer.status(setting);
  assert.deepEqual([state, findings.length, findings[0]?.isRepairable], ['installed', 1, true]);
  assert.equal((await installer.plan(setting)).length, 2);
  assert.equal((await installer.install(setting)).length, 2);
  assert.ok(!existsSync(join(folder, 'dist')));
  assert.deepEqual(installer.copies?.(setting.env), []);
  assert.equal((await installer.status(setting)).findings.length, 0);
});

test('an extension of someone else with our name is left alone', async (t) => {
  const files = {
    'extensions/tidemark/.qwen-extension-install.json': '{}',
    'extensions/tidemark/qwen-extension.json': '{"name":"tidemark","version":"7"}',
  };
  const setting = world(t, files);
  const before = filesIn(setting.home);
  assert.equal((await installer.status(setting)).state, 'absent');
  await assert.rejects(() => installer.install(setting), { code: 'settings-unreadable' });
  assert.deepEqual(await installer.remove(setting), []);
  assert.deepEqual(filesIn(setting.home), before);
});

test('status names what is missing or disabled', async (t) => {
  const setting = world(t, { 'settings.json': '{ "disableAllHooks": true } // mine' });
  await installer.install(setting);
  rmSync(setting.at('extensions/tidemark/skills'), { recursive: true });
  // As `qwen extensions disable tidemark` writes it.
  setting.put('extensions/extension-enablement.json', '{"tidemark":{"overrides":["!/home/me/*"]}}');
  const { state, findings } = await installer.status(setting);
  assert.equal(state, 'faulty');
  assert.deepEqual(
    findings.map(({ isRepairable = false, next = '' }) => [isRepairable, next]),
    [
      [true, ''],
      [false, 'Run: qwen extensions enable tidemark'],
      [false, 'Set `disableAllHooks` to false there.'],
    ],
  );
});
