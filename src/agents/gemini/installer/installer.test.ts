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
import { geminiWire } from '../wire.ts';
import { installer } from './index.ts';

function world(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-gemini-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const gemini = join(root, '.gemini');
  mkdirSync(gemini);
  const settings = '{\n  // mine\n  "ui": {}\n}\n';
  writeFileSync(join(gemini, 'settings.json'), settings);
  const places = placesIn(join(root, 'data "folder"'));
  const extension = join(gemini, 'extensions', 'tidemark');
  return { root, gemini, extension, settings, env: { HOME: root, PATH: '' }, places, plugin: '' };
}

test('installing writes one folder, once, and removal leaves nothing behind', async (t) => {
  const it = world(t);
  assert.deepEqual(await installer.plan(it), [`write the extension ${it.extension}`]);
  assert.equal((await installer.status(it)).state, 'absent');
  assert.deepEqual(await installer.install(it), [`wrote the extension ${it.extension}`]);
  assert.deepEqual([await installer.plan(it), await installer.install(it)], [[], []]);
  const { state, evidence, findings } = await installer.status(it);
  assert.deepEqual([state, evidence, findings], ['installed', `6 hooks in ${it.extension}`, []]);
  assert.deepEqual(await installer.remove(it), [`removed the extension ${it.extension}`]);
  assert.deepEqual(readdirSync(it.gemini), ['settings.json']);
  assert.equal(readFileSync(join(it.gemini, 'settings.json'), 'utf8'), it.settings);
});

test('a hook is one command string for a shell, with a timeout in milliseconds', async (t) => {
  const it = world(t);
  await installer.install(it);
  const { hooks } = JSON.parse(readFileSync(join(it.extension, 'hooks', 'hooks.json'), 'utf8'));
  const listed = Object.entries(hooks).map(([event, groups]) => {
    const [group] = groups as { matcher?: string; hooks: { command: string; timeout: number }[] }[];
    const [hook] = group?.hooks ?? [];
    assert.ok(hook && hook.timeout >= 1000);
    return [event, group?.matcher, hook.command.replace(/^sh ".*agent\.sh" /, '')];
  });
  assert.deepEqual(listed, [
    ['SessionStart', undefined, 'SessionStart gemini'],
    ['BeforeAgent', undefined, 'UserPromptSubmit gemini'],
    ['AfterTool', '^read_file$', 'PostToolUse gemini'],
    ['AfterAgent', undefined, 'Stop gemini'],
    ['PreCompress', 'manual', 'SessionStart gemini'],
    ['SessionEnd', undefined, 'SessionEnd gemini'],
  ]);
});

test('the text of a command is recognised when the client sends it as a prompt', async (t) => {
  const it = world(t);
  await installer.install(it);
  const commands = join(it.extension, 'commands', 'tidemark');
  for (const name of readdirSync(commands)) {
    const [, text = ''] = /'''\n([\s\S]*?)\n'''/.exec(readFileSync(join(commands, name), 'utf8')) ?? [];
    const prompt = text.replace('{{args}}', 'job queue');
    const input = geminiWire.toInput('UserPromptSubmit', { prompt });
    assert.equal(Object(input)['prompt'], `/tidemark:${name.replace('.toml', '')}`);
  }
});

test('status names what keeps the hooks from running', async (t) => {
  const it = world(t);
  await installer.install(it);
  const of = async (file: string, text: string): Promise<readonly string[]> => {
    const path = join(it.gemini, file);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    writeFileSync(path, text);
    const { state, findings } = await installer.status(it);
    assert.equal(state, 'faulty');
    if (before === undefined) rmSync(path);
    else writeFileSync(path, before);
    return findings.map((finding) => finding.text);
  };
  const settings = join(it.gemini, 'settings.json');
  assert.deepEqual(await of('settings.json', '{"hooksConfig":{"enabled":false}} // off'), [
    `hooks are switched off in ${settings}`,
  ]);
  assert.deepEqual(await of('settings.json', '{"hooksConfig":{"disabled":["tidemark"]}}'), [
    `our hooks are disabled in ${settings}`,
  ]);
  assert.deepEqual(await of('settings.json', '{"security":{"allowedExtensions":["https://x"]}}'), [
    `${settings} allows only extensions from certain sources, so ours is not loaded`,
  ]);
  assert.deepEqual(
    await of('extensions/extension-enablement.json', '{"tidemark":{"overrides":["!/home/dev/*"]}}'),
    ['the extension is disabled in /home/dev/*'],
  );
  const command = JSON.stringify(`sh "${it.places.home}/agent.sh" Stop gemini`);
  assert.deepEqual(
    await of('settings.json', `{"hooks":{"AfterAgent":[{"hooks":[{"command":${command}}]}]}}`),
    [`${settings} has our hooks too: every event arrives twice`],
  );
  rmSync(join(it.extension, 'hooks', 'hooks.json'));
  const { findings } = await installer.status(it);
  assert.deepEqual(
    findings.map(({ isRepairable }) => isRepairable),
    [true],
  );
});

test('settings of a project that cannot be read hinder nothing', async (t) => {
  const at = world(t);
  const project = mkdtempSync(join(tmpdir(), 'project-'));
  t.after(() => rmSync(project, { recursive: true }));
  await installer.install(at);
  mkdirSync(join(project, '.gemini', 'settings.json'), { recursive: true });
  assert.equal((await installer.status({ ...at, cwd: project })).state, 'installed');
});

test('removal takes the switch of our extension along, and leaves those of others', async (t) => {
  const it = world(t);
  await installer.install(it);
  const file = join(it.gemini, 'extensions', 'extension-enablement.json');
  writeFileSync(file, '{\n  "other": { "overrides": [] },\n  "tidemark": { "overrides": ["!/x/*"] }\n}\n');
  await installer.remove(it);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { other: { overrides: [] } });
  await installer.install(it);
  writeFileSync(file, '{"tidemark":{"overrides":[]}}');
  await installer.remove(it);
  assert.deepEqual(readdirSync(it.gemini), ['settings.json']);
});

test('the client is found by its program or its sessions', async (t) => {
  const it = world(t);
  assert.equal(await installer.find(it.env), undefined);
  mkdirSync(join(it.gemini, 'tmp'));
  assert.deepEqual(await installer.find(it.env), { folder: it.gemini });
});
