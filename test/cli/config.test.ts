/** `tidemark config`: where values come from, and an editor that may break the file. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { put } from './_doctor.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample', 'projects');

test('the first of flag, environment, project, user and default with a value wins and is named', async (t) => {
  const machine = Machine.open(t);
  const key = 'recall.briefTokens';
  const told = async (env: Record<string, string> = {}, ...args: string[]) => {
    const { stdout } = await machine.cli(['config', 'get', key, '--json', ...args], { env });
    const { value, origin } = JSON.parse(stdout) as { value: number; origin: string };
    return [value, origin];
  };
  assert.deepEqual(await told(), [1500, 'default']);
  await machine.cli(['config', 'set', key, '1000']);
  assert.deepEqual(await told(), [1000, 'user']);
  put(join(machine.project, '.tidemark.json'), { [key]: 900 });
  assert.deepEqual(await told(), [900, 'project']);
  const env = { TIDEMARK_RECALL_BRIEF_TOKENS: '800' };
  assert.deepEqual(await told(env), [800, 'environment']);
  assert.deepEqual(await told(env, '--set', `${key}=700`), [700, 'flag']);
  const { stdout } = await machine.cli(['config'], { env });
  assert.match(stdout, /recall\.briefTokens +800 {2}TIDEMARK_RECALL_BRIEF_TOKENS/);
  const set = await machine.cli(['config', 'set', key, '950']);
  assert.match(set.stderr, /\.tidemark\.json overrides it here/);
  await machine.cli(['config', 'unset', key]);
  assert.ok(!readFileSync(machine.places.config, 'utf8').includes(key));
});

for (const [args, hint] of [
  [['config', 'set', 'recall.breifTokens', '1'], /hint: Did you mean "recall\.briefTokens"\?/],
  [
    ['config', 'set', 'recall.briefTokens', '7'],
    /error: "recall\.briefTokens" must be a whole number from 100 to/,
  ],
  [['config', 'set', 'distill.driver', 'x'], /hint: Nothing replaces it/],
  [['config', 'set', 'recall.briefTokens'], /hint: tidemark config set recall\.briefTokens <value>/],
  [['brief', '--set', 'recall.briefTokens'], /hint: Write: --set key=value/],
  [['brief', '--set', 'recal.briefTokens=3'], /hint: Did you mean "recall\.briefTokens"\?/],
  [['config', 'eddit'], /hint: See: tidemark config --help/],
] as const) {
  test(`wrong use: ${args.join(' ')}`, async (t) => {
    const { code, stderr } = await Machine.open(t).cli(args);
    assert.equal(code, 2);
    assert.match(stderr, hint);
  });
}

test('config path prints the path, as JSON on request', async (t) => {
  const machine = Machine.open(t);
  const path = machine.places.config;
  assert.equal((await machine.cli(['config', 'path'])).stdout, `${path}\n`);
  assert.deepEqual(JSON.parse((await machine.cli(['config', 'path', '--json'])).stdout), { path });
});

test('config edit refuses a broken copy with file and line, keeps it, and continues with it', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['config', 'set', 'recall.briefTokens', '1000']);
  const before = readFileSync(machine.places.config, 'utf8');
  const copy = `${machine.places.config}.edit.json`;
  const edit = (script: string) =>
    machine.cli(['config', 'edit'], { env: { EDITOR: writeEditor(machine, script) } });

  const unset = await machine.cli(['config', 'edit']);
  assert.equal(unset.code, 2);
  assert.match(unset.stderr, /hint: Set EDITOR/);

  const broken = await edit('printf \'{\\n  "recall.briefTokens": 1000,\\n  oops\\n}\\n\' > "$1"');
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /config\.json\.edit\.json:3: is not valid JSON/);
  assert.equal(readFileSync(machine.places.config, 'utf8'), before);
  assert.match(readFileSync(copy, 'utf8'), /oops/);

  const misspelt = await edit('sed -i -e s/oops/\\"recall.promptLimt\\":2/ "$1"');
  assert.match(
    misspelt.stderr,
    /edit\.json:3: "recall\.promptLimt" is not a setting\nhint: Did you mean "recall\.promptLimit"\?/,
  );

  const good = await edit('sed -i -e s/promptLimt/promptLimit/ "$1"');
  assert.equal(good.code, 0, good.stderr);
  assert.deepEqual(JSON.parse(readFileSync(machine.places.config, 'utf8')), {
    'recall.briefTokens': 1000,
    'recall.promptLimit': 2,
  });
  assert.ok(!existsSync(copy));
  assert.match((await edit('true "$1"')).stderr, /Nothing changed/);
  assert.equal((await edit('false "$1"')).code, 1);
  assert.ok(!existsSync(copy), 'an editor that failed before anything was changed leaves nothing');
});

test('a broken file is named with its line by config and doctor', async (t) => {
  const machine = Machine.open(t);
  put(machine.places.config, '{\n  "hub.port": 1,\n}\n');
  for (const verb of ['config', 'doctor']) {
    const { stdout, stderr } = await machine.cli([verb]);
    assert.match(stdout + stderr, /config\.json:3: is not valid JSON/, verb);
  }
  assert.match(
    (await machine.cli(['config', 'set', 'hub.port', '2'])).stderr,
    /config\.json:3 is not valid JSON/,
  );
});

function writeEditor(machine: Machine, script: string): string {
  const path = join(machine.root, 'editor.sh');
  writeFileSync(path, `${script}\n`);
  return `sh ${path}`;
}

test('a change of capture.ignore takes effect in a running daemon at once', async (t) => {
  const machine = Machine.open(t);
  cpSync(SAMPLE, join(machine.config, 'projects'), { recursive: true });
  const { pid } = await machine.up();
  const imported = async () => {
    const { stdout } = await machine.cli(['import', 'history', '--json']);
    return (JSON.parse(stdout) as { turns: number }).turns;
  };
  const set = await machine.cli(['config', 'set', 'capture.ignore', '/sample/harbor-api']);
  assert.equal(set.stderr, 'warning: there is no folder /sample/harbor-api\nSet.\n');
  assert.equal(await imported(), 0);
  await machine.cli(['config', 'unset', 'capture.ignore']);
  assert.ok((await imported()) > 0);
  assert.equal((await machine.up()).pid, pid);
});

test('config set mentions a restart only for settings that the daemon reads at its start', async (t) => {
  const machine = Machine.open(t);
  const later = /The running daemon uses log\.level after a restart: tidemark stop/;
  assert.doesNotMatch((await machine.cli(['config', 'set', 'log.level', 'debug'])).stderr, later);
  await machine.up();
  assert.match((await machine.cli(['config', 'set', 'log.level', 'warn'])).stderr, later);
  assert.equal((await machine.cli(['config', 'set', 'recall.verbose', 'true'])).stderr, 'Set.\n');
});

test('a list setting is changed item by item, and replacing it names what was removed', async (t) => {
  const machine = Machine.open(t);
  const [one, two] = [join(machine.root, 'one'), join(machine.root, 'two')];
  for (const folder of [one, two]) mkdirSync(folder);
  const config = (...args: string[]) => machine.cli(['config', ...args]);
  const value = async () => JSON.parse((await config('get', 'capture.ignore')).stdout) as unknown;
  assert.equal((await config('set', 'capture.ignore', one, two)).stderr, 'Set.\n');
  assert.deepEqual(await value(), [one, two]);
  const replaced = await config('set', 'capture.ignore', two);
  assert.ok(replaced.stderr.includes(`Removed from the list: ${one}.`), replaced.stderr);
  assert.match(replaced.stderr, /tidemark config add capture\.ignore <value>/);
  await config('add', 'capture.ignore', one);
  await config('add', 'capture.ignore', one);
  assert.deepEqual(await value(), [two, one]);
  assert.match(
    (await config('add', 'capture.ignore', '~/nowhere')).stderr,
    /warning: there is no folder ~\/nowhere/,
  );
  assert.equal((await config('remove', 'capture.ignore', '~/nowhere', two)).code, 0);
  assert.deepEqual(await value(), [one]);
  const missing = await config('remove', 'capture.ignore', two);
  assert.deepEqual([missing.code, missing.stderr.includes(`It contains: ${one}`)], [3, true]);
  assert.equal((await config('add', 'log.level', 'debug')).code, 2);
  assert.equal((await config('set', 'log.level', 'debug', 'info')).code, 2);
  assert.equal((await config('get', 'log.level', 'debug')).code, 2);
});
