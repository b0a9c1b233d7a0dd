import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn } from '../../../core/index.ts';
import type { InstallWorld } from '../../agent.ts';
import { installer } from './index.ts';

const CONFIG = `# mine
model = "gpt-5.5"   # fav

[mcp_servers.other]
command = "true"

# about projects
[projects."/srv/app"]
trust_level = "trusted"
`;
const HOOKS = `{
  // mine
  "description": "my hooks",
  "hooks": {
    "SessionStart": [
      { "hooks": [{ "type": "command", "command": "true", "timeout": 20 }] }
    ]
  }
}
`;

interface Setting extends InstallWorld {
  readonly codex: string;
  file(name: string): string;
  read(name: string): string;
  write(name: string, text: string): void;
}

function world(t: TestContext, files: Readonly<Record<string, string>> = {}): Setting {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-codex-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const codex = join(root, 'codex home');
  const file = (name: string): string => join(codex, name);
  if (Object.keys(files).length > 0) mkdirSync(codex);
  for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
  return {
    codex,
    env: { HOME: root, PATH: '', CODEX_HOME: codex },
    places: placesIn(join(root, 'data "folder"')),
    plugin: join(root, 'plugin'),
    file,
    read: (name) => readFileSync(file(name), 'utf8'),
    write: (name, text) => writeFileSync(file(name), text),
  };
}

/** Returns the table that Codex writes when its user trusts a hook. */
function trusted(path: string, key: string): string {
  return `\n[hooks.state.${JSON.stringify(`${path}:${key}`)}]\ntrusted_hash = "sha256:1"\n`;
}

test('the client is found by its folder or its program', async (t) => {
  const { env, codex } = world(t);
  assert.equal(await installer.find(env), undefined);
  mkdirSync(codex);
  assert.deepEqual(await installer.find(env), { folder: codex });
  const bin = join(env['HOME'] ?? '', '.local', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'codex'), '#!/bin/sh\necho codex-cli 0.166.0\n', { mode: 0o755 });
  assert.deepEqual(await installer.find(env), {
    folder: codex,
    path: join(bin, 'codex'),
    version: '0.166.0',
  });
});

test('install does what the plan lists, and nothing the second time', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG, 'hooks.json': HOOKS });
  assert.equal((await installer.status(setting)).state, 'absent');
  assert.equal((await installer.plan(setting)).length, 3);
  assert.equal(setting.read('config.toml'), CONFIG, 'a plan changes nothing');
  assert.equal((await installer.install(setting)).length, 3);
  assert.deepEqual(await installer.plan(setting), []);
  assert.deepEqual(await installer.install(setting), []);
  const { state, evidence } = await installer.status(setting);
  assert.deepEqual(
    [state, evidence],
    ['installed', `9 hooks in ${setting.file('hooks.json')}, the program codex was not found`],
  );
});

test('the entries of the user come first and keep their bytes', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG, 'hooks.json': HOOKS });
  await installer.install(setting);
  assert.ok(setting.read('config.toml').startsWith(CONFIG));
  assert.match(
    setting.read('config.toml'),
    /\[mcp_servers\.tidemark\]\ncommand = "sh"\nargs = \[".*agent\.sh","mcp","--agent","codex"\]\n$/,
  );
  const [before = ''] = HOOKS.split('    ]');
  assert.ok(setting.read('hooks.json').startsWith(before.trimEnd()));
});

test('an update changes no byte, so that no hook has to be trusted again', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG });
  await installer.install(setting);
  const before = ['config.toml', 'hooks.json'].map(setting.read);
  await installer.install({ ...setting, plugin: join(setting.plugin, '..', 'tidemark-9.9.9') });
  assert.deepEqual(['config.toml', 'hooks.json'].map(setting.read), before);
});

test('removal restores the files byte for byte, with their modes', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG, 'hooks.json': HOOKS });
  chmodSync(setting.file('config.toml'), 0o644);
  await installer.install(setting);
  assert.equal((await installer.remove(setting)).length, 3);
  assert.deepEqual([setting.read('config.toml'), setting.read('hooks.json')], [CONFIG, HOOKS]);
  assert.equal(statSync(setting.file('config.toml')).mode & 0o777, 0o644);
  assert.deepEqual(readdirSync(setting.codex).toSorted(), ['config.toml', 'hooks.json']);
  assert.deepEqual(await installer.remove(setting), []);
});

test('removal leaves no folder that was made for it', async (t) => {
  const setting = world(t);
  await installer.install(setting);
  await installer.remove(setting);
  assert.ok(!existsSync(setting.codex));
});

test('removal takes the trust in our hooks along, also after other changes', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG, 'hooks.json': HOOKS });
  await installer.install(setting);
  const path = setting.file('hooks.json');
  const own = trusted(path, 'session_start:0:0');
  const ours = ['session_start:1:0', 'stop:0:0', 'pre_tool_use:0:0']
    .map((key) => trusted(path, key))
    .join('');
  const added = `\n[tui]\nx = 1\n`;
  setting.write('config.toml', `${setting.read('config.toml')}${added}\n[hooks.state]\n${own}${ours}`);
  await installer.remove(setting);
  assert.equal(setting.read('config.toml'), `${CONFIG}${added}\n[hooks.state]\n${own}`);
});

test('the heading of the trusted hooks goes with the last of them', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG });
  await installer.install(setting);
  const path = setting.file('hooks.json');
  setting.write('config.toml', `${setting.read('config.toml')}\n[hooks.state]\n${trusted(path, 'stop:0:0')}`);
  await installer.remove(setting);
  assert.equal(setting.read('config.toml'), CONFIG);
});

test('hooks that the user added behind ours stay trusted', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG });
  await installer.install(setting);
  const path = setting.file('hooks.json');
  const hooks = JSON.parse(setting.read('hooks.json')) as { hooks: Record<string, object[]> };
  hooks.hooks['Stop']?.push({ hooks: [{ type: 'command', command: 'true' }] });
  setting.write('hooks.json', JSON.stringify(hooks, null, 2));
  setting.write(
    'config.toml',
    `${setting.read('config.toml')}${trusted(path, 'stop:0:0')}${trusted(path, 'stop:1:0')}`,
  );
  await installer.remove(setting);
  assert.equal(setting.read('config.toml'), `${CONFIG}${trusted(path, 'stop:0:0')}`);
  assert.deepEqual(JSON.parse(setting.read('hooks.json')), {
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
  });
});

test('keys that were added to our server stay until removal', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG });
  await installer.install(setting);
  const text = `${setting.read('config.toml')}startup_timeout_sec = 20\n\n[mcp_servers.tidemark.tools.remember]\napproval_mode = "approve"\n`;
  setting.write('config.toml', text);
  await installer.install(setting);
  assert.equal(setting.read('config.toml'), text);
  await installer.remove(setting);
  assert.equal(setting.read('config.toml'), CONFIG);
});

test('what is missing or outdated is a fault that install repairs', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG });
  await installer.install(setting);
  rmSync(setting.file('skills'), { recursive: true });
  setting.write('config.toml', CONFIG);
  setting.write('hooks.json', setting.read('hooks.json').replace('"timeout": 10', '"timeout": 1'));
  rmSync(join(setting.places.home, 'agent.sh'));
  const { state, findings } = await installer.status(setting);
  assert.equal(state, 'faulty');
  assert.equal(findings.filter(({ isRepairable }) => isRepairable).length, 4);
  await installer.install(setting);
  assert.equal((await installer.status(setting)).state, 'installed');
  await installer.remove(setting);
  assert.equal(setting.read('config.toml'), CONFIG);
});

test('files that cannot be edited are left alone', async (t) => {
  for (const files of [
    { 'hooks.json': '{ broken' },
    { 'config.toml': 'mcp_servers = { a = { command = "x" } }\n' },
  ]) {
    const setting = world(t, files);
    await assert.rejects(installer.install(setting), { code: 'settings-unreadable' });
    for (const [name, text] of Object.entries(files)) assert.equal(setting.read(name), text);
    assert.deepEqual(await installer.remove(setting), []);
  }
});

test('our plugin beside our hooks is a fault, and without the program install refuses', async (t) => {
  const setting = world(t, { 'config.toml': CONFIG });
  await installer.install(setting);
  setting.write(
    'config.toml',
    `${setting.read('config.toml')}\n[plugins."tidemark@tidemark"]\nenabled = true\n`,
  );
  const { state, findings } = await installer.status(setting);
  assert.equal(state, 'faulty');
  assert.match(findings[0]?.text ?? '', /twice/);
  assert.equal(findings[0]?.next, 'Run: codex plugin remove tidemark@tidemark');
  assert.match((await installer.plan(setting)).join(), /remove the plugin tidemark@tidemark/);
  await assert.rejects(installer.install(setting), { code: 'double-install' });
});
