/**
 * Install, upgrade under an open session and uninstall, with the real client and two built versions: from the package
 * that npm packed, and from a marketplace, where the client itself updates the plugin.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Stage } from '../support/claude.ts';
import { daemonPid, isAlive, killDaemon } from '../support/daemon.ts';
import { processesWith } from '../support/left-behind.ts';
import { oldHooks } from '../support/old-hooks.ts';
import { claudeCode, part, TESTED_VERSIONS } from '../support/parts.ts';
import { makeRelease, nextRelease, type Release } from '../support/release.ts';
import { runProgram, type Ran } from '../support/run-program.ts';
import { Terminal } from '../support/tmux.ts';
import { waitFor } from '../support/wait-for.ts';
import { assertToldAnew, decisionStored, makeDecision, startAnew } from './_decision.ts';
import { openInstallStage, SETTINGS, settingsOf, succeed, tracesIn } from '../support/install-stage.ts';
import { memoriesStored } from '../support/memories-stored.ts';

const tmux = part('tmux');
let folder = '';
let older: Release;
let newer: Release;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rel-'));
  older = await makeRelease('0.8.1', folder);
  newer = await nextRelease(older, '0.9.0', folder);
});
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

for (const version of TESTED_VERSIONS) {
  const { path: claude, skip: missing } = claudeCode(version);
  const skip = missing ?? tmux.skip;

  describe(`Claude Code ${version}`, () => {
    test('from the package: install, use, upgrade under an open session, uninstall', { skip }, async (t) => {
      const stage = await openInstallStage(t, claude);
      const installed = await npx(stage, older, ['install', '--yes', '--json']);
      assert.equal(installed.code, 0, installed.stderr);
      const { agents } = JSON.parse(installed.stdout) as { agents: { isNew: boolean }[] };
      assert.equal(agents[0]?.isNew, true);
      assert.equal(daemonVersion(stage), '0.8.1');
      assert.equal(
        readFileSync(stage.places.program, 'utf8'),
        `${join(stage.places.app, 'plugin', 'dist')}\n`,
      );

      const kept = 'Keep the audit log for seven years because the law says so.';
      assert.equal((await tidemark(stage, ['config', 'set', 'recall.briefTokens', '1234'])).code, 0);
      assert.equal((await tidemark(stage, ['remember', kept])).code, 0);
      const settings = readFileSync(stage.places.config, 'utf8');

      const terminal = await openSession(t, stage, claude);
      await say(terminal, 'We decided to keep amounts as integers because floats lose cents.');
      const first = daemonPid(stage.places);
      const codex = copyForCodex(stage);
      for (const path of manifestsOf(stage)) writeFileSync(path, oldHooks());
      assert.ok(manifestsOf(stage).includes(codex) && manifestsOf(stage).length > 2);

      const upgraded = await npx(stage, newer, ['install', '--yes', '--json']);
      assert.equal(upgraded.code, 0, upgraded.stderr);
      const result = JSON.parse(upgraded.stdout) as {
        replaced: string;
        repaired: readonly string[];
        agents: { repaired: readonly string[] }[];
      };
      assert.equal(result.replaced, '0.8.1');
      assert.deepEqual(result.agents[0]?.repaired, ['the client has 0.8.1, this is 0.9.0']);
      assert.match(result.repaired.join('\n'), /unsafe hooks of an older version/);
      assert.deepEqual(manifestsOf(stage).filter(isUnsafe), []);
      assert.ok(first !== undefined);
      await waitFor('the old daemon to leave', () => !isAlive(first));
      assert.equal(daemonVersion(stage), '0.9.0');
      assert.equal(readFileSync(stage.places.config, 'utf8'), settings);
      const value = await tidemark(stage, ['config', 'get', 'recall.briefTokens', '--json']);
      assert.match(value.stdout, /\b1234\b/, value.stderr);
      assert.match((await tidemark(stage, ['search', 'audit log'])).stdout, /audit log for seven years/);

      await say(terminal, 'We decided to store every time in UTC because servers move.');
      await memoriesStored(stage, /amounts as integers/i, /every time in UTC/i);
      await terminal.submit('/exit');
      await waitFor('the session to end', async () => !(await terminal.isRunning()));
      await makeDecision(stage);
      await decisionStored(stage);
      await assertToldAnew(stage);
      assert.equal(daemonVersion(stage), '0.9.0');

      const gone = await npx(stage, newer, ['uninstall', '--json']);
      assert.equal(gone.code, 0, gone.stderr);
      assert.equal(settingsOf(stage), SETTINGS);
      assert.deepEqual(tracesIn(stage), []);
      assert.deepEqual(processesWith('TIDEMARK_HOME', stage.places.home), []);
      assert.ok(!existsSync(stage.places.app));

      assert.equal((await npx(stage, newer, ['install', '--yes'])).code, 0);
      assert.match(
        (await tidemark(stage, ['search', '--all', 'refresh', 'tokens'])).stdout,
        /rotate refresh tokens/i,
      );
      assert.equal((await tidemark(stage, ['uninstall', '--purge', '--yes'])).code, 0);
      assert.equal(settingsOf(stage), SETTINGS);
      assert.ok(!existsSync(stage.places.home));
      assert.deepEqual(processesWith('TIDEMARK_HOME', stage.places.home), []);
    });

    test(
      'from a marketplace: the client updates it, the daemon hands over, the user gets one notice',
      { skip },
      async (t) => {
        const stage = await openInstallStage(t, claude);
        const market = join(stage.home, 'market');
        offer(market, older);
        await succeed(stage, 'plugin', 'marketplace', 'add', market);
        await succeed(stage, 'plugin', 'install', 'tidemark@tidemark');
        await makeDecision(stage);
        await decisionStored(stage);
        assert.equal(daemonVersion(stage), '0.8.1');

        const codex = copyForCodex(stage);
        offer(market, newer);
        await succeed(stage, 'plugin', 'marketplace', 'update', 'tidemark');
        await succeed(stage, 'plugin', 'update', 'tidemark@tidemark');
        const terminal = await openSession(t, stage, claude);
        await terminal.waitFor('Tidemark updated 0.8.1 → 0.9.0.');
        await waitFor('the newer daemon', () => daemonVersion(stage) === '0.9.0', {
          explain: () => stage.logs(),
        });
        assert.match(readFileSync(stage.places.log, 'utf8'), /successor started/);
        await waitFor('the unsafe hooks to be replaced', () => !isUnsafe(codex), {
          explain: () => stage.logs(),
        });
        await terminal.submit('/exit');
        await waitFor('the session to end', async () => !(await terminal.isRunning()));
        await assertToldAnew(stage);
        const again = await openSession(t, stage, claude);
        assert.doesNotMatch(await again.screen(), /Tidemark updated/);
      },
    );
  });
}

test('an older version refuses data of a later format, and the CLI says why', async (t) => {
  const { path: claude, skip } = claudeCode('2.1.325');
  if (skip) return t.skip(skip);
  const stage = await openInstallStage(t, claude);
  await tidemark(stage, ['install', '--no-history'], join(older.folder, 'plugin', 'dist'));
  await makeDecision(stage);
  await decisionStored(stage);
  await killDaemon(stage.places);
  writeFileSync(stage.places.format, JSON.stringify({ format: 99, version: '7.0.0' }));
  const { code, stderr } = await tidemark(stage, ['search', 'tokens']);
  assert.equal(code, 1);
  assert.match(stderr, /written by Tidemark 7\.0\.0[^]*hint: Update Tidemark/);
  await startAnew(stage); // the session works nevertheless
  assert.equal(daemonPid(stage.places), undefined);
});

/** Runs the CLI as a user does: npm fetches the package and runs its command. */
function npx(stage: Stage, { tarball }: Release, args: readonly string[]): Promise<Ran> {
  const PATH = [join(stage.home, 'bin'), stage.env()['PATH']].join(delimiter);
  const env = stage.env({
    PATH,
    npm_config_cache: join(folder, 'npx-cache'), // shared, so that each release is unpacked once
    npm_config_update_notifier: 'false',
  });
  return runProgram(
    'npm',
    ['exec', '--yes', '--offline', `--package=${tarball}`, '--', 'tidemark', ...args],
    {
      cwd: stage.project,
      env,
    },
  );
}

/** Runs the CLI of the installed version, which starts faster than npm. */
function tidemark(
  stage: Stage,
  args: readonly string[],
  programs: string = readFileSync(stage.places.program, 'utf8').trim(),
): Promise<Ran> {
  const PATH = [join(stage.home, 'bin'), stage.env()['PATH']].join(delimiter);
  return runProgram(process.execPath, [join(programs, 'cli.cjs'), ...args], {
    cwd: stage.project,
    env: stage.env({ PATH }),
  });
}

function offer(market: string, { folder: from }: Release): void {
  mkdirSync(market, { recursive: true });
  for (const part of ['.claude-plugin', 'plugin']) {
    rmSync(join(market, part), { recursive: true, force: true });
    cpSync(join(from, part), join(market, part), { recursive: true });
  }
}

/** Writes the unsafe hooks of an earlier version into the folder where Codex copies plugins. */
function copyForCodex(stage: Stage): string {
  const plugin = join(stage.home, '.codex', 'plugins', 'cache', 'tidemark', 'tidemark', '0.8.1');
  mkdirSync(join(plugin, 'hooks'), { recursive: true });
  const manifest = join(plugin, 'hooks', 'hooks.json');
  writeFileSync(manifest, oldHooks());
  return manifest;
}

/** Returns every hooks.json of an installed plugin. */
function manifestsOf(stage: Stage): readonly string[] {
  return [join(stage.home, '.codex'), stage.config, stage.places.home].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('hooks.json'))
      .map((name) => join(folder, name)),
  );
}

function isUnsafe(manifest: string): boolean {
  return readFileSync(manifest, 'utf8').includes('"args"');
}

async function openSession(t: TestContext, stage: Stage, claude: string): Promise<Terminal> {
  const terminal = new Terminal(tmux.path, stage);
  t.after(() => terminal.close());
  stage.beforeClose(() => terminal.close());
  await terminal.start([claude], stage.env());
  await terminal.waitFor('❯');
  return terminal;
}

async function say(terminal: Terminal, prompt: string): Promise<void> {
  await terminal.submit(prompt);
  await terminal.waitFor(`● OK: ${prompt.slice(0, 30)}`); // the mock's answer to any prompt
}

function daemonVersion(stage: Stage): string | undefined {
  try {
    return (JSON.parse(readFileSync(stage.places.daemon, 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}
