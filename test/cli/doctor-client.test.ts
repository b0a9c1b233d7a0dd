/** The checks of `doctor` for the client: its version, our plugin, its hooks, its own memory and other memories. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { DIST, Machine } from '../support/machine.ts';
import { currentHooks, oldHooks } from '../support/old-hooks.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';
import { doctor, put, putClient } from './_doctor.ts';

const ON = { enabledPlugins: { 'tidemark@tidemark': true } };

test('the installed version and the last seen one are shown', async (t) => {
  // Without the folders where a developer's own agents are.
  const machine = Machine.open(t, { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) });
  const none = (await doctor(machine)).check('client');
  assert.equal(none.verdict, 'note');
  assert.match(none.evidence, /^none found; looked for Claude Code/);
  putClient(machine, '2.1.100');
  assert.match((await doctor(machine)).check('client').evidence, /^2\.1\.100 installed, no session seen yet/);
  put(
    join(machine.config, 'projects', '-p', 'a.jsonl'),
    '{"type":"mode"}\n{"type":"user","version":"2.1.325"}\n',
  );
  const { verdict, evidence, next } = (await doctor(machine)).check('client');
  assert.match(evidence, /^2\.1\.100 installed, last seen 2\.1\.325/);
  assert.equal(verdict, 'wrong');
  assert.match(next ?? '', /claude update/);
});

for (const [what, file, settings, verdict, evidence] of [
  ['absent', 'user', {}, 'note', /not installed/],
  ['on in the settings but nowhere else', 'user', ON, 'wrong', /the client has no copy/],
  ['off', 'user', { enabledPlugins: { 'tidemark@tidemark': false } }, 'wrong', /turned off/],
  [
    'on while hooks are turned off',
    'user',
    { ...ON, disableAllHooks: true },
    'wrong',
    /turns every hook off/,
  ],
  ['on in the project alone', 'project', ON, 'wrong', /the client has no copy/],
] as const) {
  test(`the plugin is ${what}`, async (t) => {
    const machine = Machine.open(t);
    putClient(machine);
    const path = file === 'user' ? machine.config : join(machine.project, '.claude');
    put(join(path, 'settings.json'), settings);
    const found = (await doctor(machine)).check('installation');
    assert.equal(found.verdict, verdict);
    assert.match(found.evidence, evidence);
  });
}

test('the plugin is fine if the client took a complete program from another folder', async (t) => {
  const machine = Machine.open(t);
  const { app } = machine.places;
  put(join(machine.config, 'settings.json'), ON);
  put(join(app, 'package.json'), { version: '0.0.9' });
  symlinkSync(join(DIST, '..'), join(app, 'plugin'));
  const copy = { version: '0.0.9', installPath: join(app, 'plugin') };
  const plugins = join(machine.config, 'plugins');
  put(join(plugins, 'installed_plugins.json'), { plugins: { 'tidemark@tidemark': [copy] } });
  const source = { source: 'directory', path: app };
  put(join(plugins, 'known_marketplaces.json'), { tidemark: { source } });
  const found = (await doctor(machine)).check('installation');
  assert.equal(found.verdict, 'well', found.evidence);
  assert.match(found.evidence, /tidemark@tidemark 0\.0\.9 is installed and on, from /);
  rmSync(join(app, 'plugin'));
  assert.equal((await doctor(machine)).check('installation').verdict, 'wrong');
});

test('hooks: when each arrived, which were never sent and why', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  await machine.hook('SessionStart', { session_id: uuid('h'), source: 'startup' });
  await machine.hook('UserPromptSubmit', { session_id: uuid('h'), prompt: 'Which colour has the moon?' });
  await machine.drained(); // a hook that was not answered in time has kept its event itself
  const heard = async () => (await doctor(machine)).check('hooks received');
  await waitFor('both to be recorded', async () =>
    /UserPromptSubmit just now/.test((await heard()).evidence),
  );
  const { verdict, evidence } = await heard();
  assert.equal(verdict, 'well');
  assert.match(
    evidence,
    /SessionStart just now, UserPromptSubmit just now; never sent: .*PreCompact \(sent only when a conversation is compacted\)/,
  );
});

test('a recall without results counts as working', async (t) => {
  const machine = Machine.open(t);
  await machine.drained();
  await machine.call('read.brief', { dir: machine.project, tokens: 500 }); // so that the index is open
  await machine.deliver('UserPromptSubmit', {
    session_id: uuid('q'),
    prompt: 'Which colour has the moon tonight?',
  });
  const recall = async () => (await doctor(machine)).checks.find(({ name }) => name === 'recall');
  await waitFor('the recall check', async () => (await recall()) !== undefined, {
    explain: () => machine.logs(),
  });
  assert.equal((await recall())?.verdict, 'well');
  assert.match((await recall())?.evidence ?? '', /0 of 1 request of the last session .* got memories/);
});

test('a hook is reported as soon as it arrives', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  await machine.deliver('UserPromptSubmit', { session_id: uuid('now'), prompt: 'Hello there.' });
  const { verdict, evidence } = (await doctor(machine)).check('hooks received');
  assert.equal(verdict, 'well');
  assert.match(evidence, /^UserPromptSubmit just now/);
});

test('a session without hooks proves that they do not work', async (t) => {
  const machine = Machine.open(t);
  put(join(machine.config, 'settings.json'), ON);
  const hour = 60 * 60 * 1000;
  put(join(machine.places.run, 'heard.json'), { Stop: new Date(Date.now() - 2 * hour).toISOString() });
  const session = (name: string, start: number): void =>
    new SyntheticTranscript({
      config: machine.config,
      cwd: machine.project,
      session: uuid(name),
      start: new Date(start).toISOString(),
    }).append({ prompt: 'Hello there.', answer: 'Hello.' });
  session('older', Date.now() - 3 * hour);
  assert.equal(
    (await doctor(machine)).check('last event').verdict,
    'well',
    'an earlier session proves nothing',
  );
  session('newer', Date.now() - hour);
  const { verdict, evidence } = (await doctor(machine)).check('last event');
  assert.equal(verdict, 'wrong');
  assert.match(evidence, /^Stop, 2h ago; a session began .*, but none of its hooks arrived/);
});

test('hooks that lost an event are reported with their reasons', async (t) => {
  const machine = Machine.open(t);
  const row = {
    at: new Date().toISOString(),
    event: 'Stop',
    attempt: 'x',
    ms: 3,
    outcome: 'lost',
    reason: 'ENOSPC',
  };
  put(machine.places.hookLog, `${JSON.stringify(row)}\n${JSON.stringify({ ...row, outcome: 'spooled' })}\n`);
  const { verdict, evidence } = (await doctor(machine)).check('failed hooks');
  assert.equal(verdict, 'wrong');
  assert.match(evidence, /1 hook of the last week failed \(lost: ENOSPC 1×\)/);
});

test("the client's own memory: its size, and that Tidemark never writes there", async (t) => {
  const machine = Machine.open(t);
  putClient(machine);
  put(join(machine.project, 'CLAUDE.md'), 'Use tabs.'.repeat(8));
  const plain = (await doctor(machine)).check("client's own memory");
  assert.equal(plain.verdict, 'well');
  assert.match(
    plain.evidence,
    /CLAUDE\.md ~18 tokens, auto memory on, empty here; Tidemark searches these files and never writes there/,
  );
  const autoMemory = join(
    machine.config,
    'projects',
    machine.project.replace(/[^A-Za-z0-9]/g, '-'),
    'memory',
    'MEMORY.md',
  );
  put(autoMemory, 'Prefers tabs.');
  const filled = (await doctor(machine)).check("client's own memory");
  assert.equal(filled.verdict, 'well', 'both may be on');
  assert.match(filled.evidence, /auto memory on, ~3 tokens/);
  put(join(machine.config, 'settings.json'), { autoMemoryEnabled: false });
  assert.match((await doctor(machine)).check("client's own memory").evidence, /auto memory off/);
  put(join(machine.project, 'CLAUDE.md'), '<claude-mem-context>\nold\n</claude-mem-context>');
  assert.match((await doctor(machine)).check("client's own memory").evidence, /written by claude-mem/);
  assert.equal(readFileSync(autoMemory, 'utf8'), 'Prefers tabs.');
});

for (const [name, settings, expected] of [
  [
    'claude-mem',
    { enabledPlugins: { 'claude-mem@thedotmack': true } },
    /claude-mem \(plugin claude-mem@thedotmack\).*both inject/,
  ],
  ['memsearch', { enabledPlugins: { 'memsearch@memsearch-plugins': true } }, /memsearch/],
  ['EverMem', { enabledPlugins: { 'evermem@evermem': true } }, /EverMem/],
  ['crabshell', { enabledPlugins: { 'crabshell@crabshell': true } }, /Memory Keeper/],
  [
    'a hook of mem0',
    { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'python3 ~/.mem0/stop.py' }] }] } },
    /mem0 \(1 hook\)/,
  ],
  ['one that is off', { enabledPlugins: { 'claude-mem@thedotmack': false } }, /no other memory plugin is on/],
  ['none', {}, /no other memory plugin is on/],
] as const) {
  test(`other memories: ${name}`, async (t) => {
    const machine = Machine.open(t);
    putClient(machine);
    put(join(machine.config, 'settings.json'), settings);
    assert.match((await doctor(machine)).check('other memories').evidence, expected);
  });
}

test('an MCP server of a peer is found too, and no secret of the settings is shown', async (t) => {
  const machine = Machine.open(t);
  putClient(machine);
  put(join(machine.config, '.claude.json'), {
    mcpServers: { hindsight: { command: 'hindsight-mcp', args: ['--key', 'hunter2hunter2'] } },
  });
  const { evidence } = (await doctor(machine)).check('other memories');
  assert.match(evidence, /Hindsight \(1 MCP server\)/);
  assert.ok(!evidence.includes('hunter2'));
});

test('unsafe hooks of an older version are replaced in the copies of every agent', async (t) => {
  const machine = Machine.open(t);
  const codex = join(machine.home, '.codex', 'plugins', 'cache', 'tidemark', 'tidemark', '0.1.0');
  const qwen = join(machine.home, '.qwen', 'extensions', 'tidemark');
  const manifests = [codex, qwen].map((plugin) => join(plugin, 'hooks', 'hooks.json'));
  for (const path of manifests) put(path, oldHooks());
  const { verdict, evidence, next } = (await doctor(machine)).check('hook form');
  assert.equal(verdict, 'note');
  for (const path of manifests) {
    assert.ok(evidence.includes(path), evidence);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), JSON.parse(currentHooks()));
  }
  assert.match(next ?? '', /review the change/);
  assert.ok(!(await doctor(machine)).checks.some(({ name }) => name === 'hook form'));

  for (const path of manifests) put(path, oldHooks());
  const { fixed, checks } = await doctor(machine, '--fix');
  assert.match(fixed.find(({ name }) => name === 'hook form')?.done ?? '', /were replaced in .*\.codex/);
  assert.ok(!checks.some(({ name }) => name === 'hook form'));
});
