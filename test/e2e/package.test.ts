/**
 * The package as npm makes it: its files, an install without a network into an empty prefix, a dry run of publishing,
 * and the program in an environment like a container's. The upgrade from an older package is in upgrade.test.ts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../support/claude.ts';
import { endAll, processesWith } from '../support/left-behind.ts';
import { runProgram, type Ran } from '../support/run-program.ts';

/** `npx tidemark` downloads all of it. */
const LARGEST_MB = 32;
/** Every file of the package matches one of these. */
const WANTED = [
  /^(?:package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
  /^\.claude-plugin\/marketplace\.json$/,
  /^bin\/(?:tidemark|package\.json)$/,
  /^deploy\/(?:Containerfile|tidemark-server\.service|grafana-dashboard\.json|alerts\.yml)$/,
  /^plugin\/(?:LICENSE|README\.md|\.mcp\.json|bin\/tidemark|\.claude-plugin\/(?:plugin\.json|icon\.png))$/,
  /^plugin\/commands\/\w+\.md$/,
  /^plugin\/dist\/(?:\w+\.cjs|LICENSES\.txt|embed\/[\w.-]+\.(?:mjs|wasm)|hub\/[\w-]+\.(?:html|css|js|svg))$/,
  /^plugin\/hooks\/(?:hook\.sh|hooks\.json|README\.md)$/,
  /^plugin\/model\/(?:[\w-]+\.(?:onnx|json|txt|bin)|README\.md)$/,
  /^plugin\/sample\/projects\/[\w./-]+\.(?:jsonl|md)$/,
  /^plugin\/skills\/[\w-]+\/SKILL\.md$/,
];
/** Without these it does not work, or may not be distributed. */
const NEEDED = [
  'LICENSE',
  'bin/tidemark',
  '.claude-plugin/marketplace.json',
  'plugin/LICENSE',
  'plugin/.claude-plugin/plugin.json',
  'plugin/.mcp.json',
  'plugin/bin/tidemark',
  'plugin/commands/help.md',
  'plugin/hooks/hook.sh',
  'plugin/hooks/hooks.json',
  'plugin/model/LICENSE-base.txt',
  'plugin/skills/memory-recall/SKILL.md',
  'plugin/dist/LICENSES.txt',
  'plugin/dist/embed/ort-wasm-simd-threaded.wasm',
  'plugin/dist/hub/index.html',
  'plugin/dist/hub/main.js',
  ...builtPrograms(),
];
/** A user id without an entry in the user database, as with `docker run --user`. */
const STRANGER = 54_321;
const isRoot = process.getuid?.() === 0;

const place = mkdtempSync('/tmp/tm-package-'); // the temp folder of a test run is closed to other users
const prefix = join(place, 'prefix');
const PATH = [join(place, 'bin'), '/usr/bin', '/bin'].join(delimiter);
const program = join(prefix, 'bin', 'tidemark');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
let packed: { filename: string; size: number; unpackedSize: number };

before(async () => {
  for (const name of ['home', 'bin', 'client', 'project']) mkdirSync(join(place, name));
  for (const name of ['', 'bin', 'client', 'project']) chmodSync(join(place, name), 0o755);
  cpSync(process.execPath, join(place, 'bin', 'node')); // the clone may be in a folder that a stranger cannot read
  writeFileSync(join(place, 'client', 'claude'), '#!/bin/sh\necho "2.1.325 (Claude Code)"\n', {
    mode: 0o755,
  });
  // `npm test` has built it; that prepack builds is seen in upgrade.test.ts.
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', place]);
  packed = (JSON.parse(stdout) as (typeof packed)[])[0]!; // one package
  await npm(['install', '--global', '--offline', '--prefix', prefix, join(place, packed.filename)]);
});
after(() => {
  endAll(processesWith('TEST_PLACE', place));
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
});

test('the package has the files that it needs and no others', (t) => {
  // npm's own list hides ids in file names.
  const listed = execFileSync('tar', ['-tzf', join(place, packed.filename)], { encoding: 'utf8' });
  const files = listed
    .trim()
    .split('\n')
    .map((file) => file.replace(/^package\//, ''));
  assert.deepEqual(
    files.filter((file) => !WANTED.some((one) => one.test(file))),
    [],
    'files that do not belong in the package',
  );
  assert.deepEqual(
    NEEDED.filter((file) => !files.includes(file)),
    [],
    'missing files',
  );
  const ofModel = readdirSync(join(ROOT, 'plugin', 'model')).filter(
    (file) => !files.includes(`plugin/model/${file}`),
  );
  assert.deepEqual(ofModel, [], 'missing files of the model');
  const megabytes = packed.size / 1e6;
  t.diagnostic(
    `${files.length} files, ${megabytes.toFixed(1)} MB, ${(packed.unpackedSize / 1e6).toFixed(1)} MB unpacked`,
  );
  assert.ok(megabytes < LARGEST_MB, `${megabytes} MB`);
});

test('installed offline into an empty prefix, it says its version, plans an install and passes doctor', async () => {
  const env = { HOME: join(place, 'home'), PATH: [join(place, 'client'), PATH].join(delimiter) };
  assert.equal((await tidemark(['--version'], env)).stdout, `${version}\n`);
  const plan = await tidemark(['install', '--dry-run'], env);
  assert.equal(plan.code, 0, plan.stderr);
  assert.match(plan.stdout, /^Claude Code\n {2}claude plugin marketplace add /);
  const doctor = await tidemark(['doctor'], env);
  assert.equal(doctor.code, 0, doctor.stdout);
  assert.match(doctor.stdout, /built-in model +\S+, \d+ MB, hash verified/);
  assert.match(doctor.stdout, /No problems/);
  assert.ok(!existsSync(join(place, 'home', '.tidemark')), 'none of these creates the data folder');
});

test('a trial of the team server names the command that installs its database', async () => {
  const env = { HOME: join(place, 'home') };
  const { code, stderr } = await tidemark(['server', 'start', '--dev'], env);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /not installed\nhint: Install it: npm install --prefix \S+\/\.tidemark @electric-sql\/pglite@/,
  );
  assert.ok(!existsSync(join(place, 'home', '.tidemark')), 'nothing is created');
});

test('npm publish --dry-run accepts the package without a network', async () => {
  const { stdout, stderr } = await npm([
    'publish',
    join(place, packed.filename),
    '--dry-run',
    '--offline',
    '--json',
  ]);
  assert.match(stdout, new RegExp(`"id": "tidemark@${version}"`), stderr);
});

describe('in a container', () => {
  const volume = join(place, 'volume');
  const closed = join(place, 'closed');
  const onVolume = { HOME: closed, TIDEMARK_HOME: join(volume, 'tidemark') };

  before(() => {
    mkdirSync(volume);
    if (isRoot) chownSync(volume, STRANGER, STRANGER);
    mkdirSync(closed, { mode: 0o555 });
  });

  test('a user without a name, with a read-only home and no terminal, keeps memories on a volume', async () => {
    const said = 'We decided to store amounts in cents because floats lose them.';
    await succeeds(['remember', said], onVolume);
    await succeeds(['stop'], onVolume);
    assert.match(await succeeds(['search', 'amounts cents'], onVolume), /store amounts in cents/);
    assert.match(await succeeds(['doctor'], onVolume), /No problems/);
    assert.deepEqual(readdirSync(closed), []);
    await succeeds(['stop'], onVolume);
  });

  test('a user without HOME needs only TIDEMARK_HOME', async () => {
    const { TIDEMARK_HOME } = onVolume;
    assert.match(await succeeds(['search', 'amounts cents'], { TIDEMARK_HOME }), /store amounts in cents/);
    await succeeds(['stop'], { TIDEMARK_HOME });
  });

  test('a data folder that cannot be written is named, with the variable that moves it', async () => {
    for (const args of [['remember', 'x'], ['start'], ['install', '--yes']]) {
      const { code, stderr } = await asStranger(args, { HOME: closed });
      assert.equal(code, 1, stderr);
      assert.match(stderr, /closed\/\.tidemark cannot be written\nhint: Set TIDEMARK_HOME to a folder/);
    }
    const doctor = await asStranger(['doctor'], { HOME: closed });
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /✗ data folder +\S+ cannot be written/);
  });

  test('root leaves the data of another user alone', { skip: !isRoot && 'needs root' }, async () => {
    const refused = await tidemark(['search', 'amounts'], onVolume);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`belongs to another user \\(uid ${STRANGER}\\)`));
    const daemon = join(prefix, 'lib', 'node_modules', 'tidemark', 'plugin', 'dist', 'daemon.cjs');
    const started = await runProgram(join(place, 'bin', 'node'), [daemon], {
      cwd: place,
      env: environment(onVolume),
    });
    assert.equal(started.code, 1, 'a daemon that cannot start ends, and releases the lock');
    assert.match(await succeeds(['search', 'amounts cents'], onVolume), /store amounts in cents/);
    assert.match(await succeeds(['doctor'], onVolume), /No problems/);
    await succeeds(['stop'], onVolume);
  });
});

/** Nothing inherited; the place finds processes that are left behind. */
function environment(own: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH, TEST_PLACE: place, ...own };
}

/** Returns the programs that the build lists. */
function builtPrograms(): readonly string[] {
  const { outputs } = JSON.parse(readFileSync(join(ROOT, 'plugin', 'dist', '.built'), 'utf8')) as {
    outputs: readonly string[];
  };
  return outputs.map((name) => `plugin/dist/${name}`);
}

function tidemark(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  return runProgram(program, args, { cwd: join(place, 'project'), env: environment(env) });
}

/** Runs it as the user without a name, where this user may switch. */
function asStranger(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const user = isRoot ? { user: STRANGER } : {};
  return runProgram(program, args, { cwd: join(place, 'project'), env: environment(env), ...user });
}

async function succeeds(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await asStranger(args, env);
  assert.equal(code, 0, `${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/** Runs npm with a HOME and a cache of its own. No registry answers at its address. */
async function npm(args: readonly string[]): Promise<Ran> {
  const env = {
    ...environment({ HOME: join(place, 'home') }),
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    npm_config_cache: join(place, 'npm-cache'),
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_update_notifier: 'false',
  };
  const ran = await runProgram('npm', args, { cwd: ROOT, env });
  assert.equal(ran.code, 0, ran.stderr);
  return ran;
}
