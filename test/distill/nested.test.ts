/** A driver that runs the client inside a session: none of our hooks fires for it, no session is added, nothing is left. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { callDaemon } from '../support/call.ts';
import { openStage, ROOT, type Stage } from '../support/claude.ts';
import { killDaemon } from '../support/daemon.ts';
import { processesWith } from '../support/left-behind.ts';
import { claudeCode, CLAUDE_CODE_VERSIONS, part } from '../support/parts.ts';
import { readLedger } from '../support/stores.ts';
import { waitFor } from '../support/wait-for.ts';
import { MEMORY, replyOf } from './_driver-stage.ts';
import { DECISION } from './_played-session.ts';

const client = claudeCode(CLAUDE_CODE_VERSIONS[0]);
const sdk = part('agent-sdk');
const LOGBOOK = 'You keep the memory of a software project';

for (const driver of ['claude', 'agent-sdk'] as const) {
  const skip = client.skip ?? (driver === 'agent-sdk' ? sdk.skip : undefined);

  test(
    `${driver}, with the plugin installed: one session, one transcript, one model's memory`,
    { skip },
    async (t) => {
      const stage = await openAsking(t, driver);
      stage.mock.rules.push({
        when: { system: LOGBOOK },
        reply: { tools: [{ name: 'StructuredOutput', input: replyOf([MEMORY]) }] },
      });
      const { session } = await stage.run(DECISION);
      await waitFor('the model to have distilled', () => isDistilledBy(stage, driver), {
        timeout: 60_000,
        explain: () => stage.logs(),
      });
      const sessions = await callDaemon(stage.places, 'read.sessions', { limit: 100 });
      assert.deepEqual(
        sessions.map(({ id }) => id),
        [session],
      );
      const transcripts = readdirSync(join(stage.config, 'projects'), { recursive: true, encoding: 'utf8' });
      assert.deepEqual(
        transcripts.filter((name) => name.endsWith('.jsonl')).map((name) => name.split('/').at(-1)),
        [`${session}.jsonl`],
      );
      const status = await callDaemon(stage.places, 'status', {});
      assert.deepEqual(
        status.sessions.map(({ id }) => id),
        [session],
        'no hook was heard of another session',
      );
      const asked = stage.mock.requests.filter(({ system }) => JSON.stringify(system).includes(LOGBOOK));
      assert.equal(asked.length, 1, 'one request for one turn');
    },
  );

  test(`${driver}: the next daemon ends a process that a killed daemon left`, { skip }, async (t) => {
    const stage = await openAsking(t, driver);
    stage.mock.rules.push({ when: { system: LOGBOOK }, reply: { text: 'late', delayMs: 600_000 } });
    await stage.run(DECISION);
    await waitFor('the nested request', () => nested(stage).length > 0, { explain: () => stage.logs() });
    const [left] = nested(stage);
    await killDaemon(stage.places);
    await startDaemon(stage);
    await waitFor('it to be gone', () => !nested(stage).some(({ pid }) => pid === left?.pid), {
      explain: () => stage.logs(),
    });
  });
}

async function openAsking(t: TestContext, driver: string): Promise<Stage> {
  const stage = await openStage(t, {
    claude: client.path,
    plugin: null,
    path: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    env: { TIDEMARK_DISTILL_DRIVER: driver, TIDEMARK_DISTILL_CONSENT: 'true' },
  });
  // Where installers put it, and where the hint says to install the SDK.
  mkdirSync(join(stage.home, '.local', 'bin'), { recursive: true });
  symlinkSync(client.path, join(stage.home, '.local', 'bin', 'claude'));
  if (driver === 'agent-sdk')
    symlinkSync(join(sdk.path, 'node_modules'), join(stage.places.home, 'node_modules'));
  for (const args of [
    ['marketplace', 'add', ROOT],
    ['install', 'tidemark@tidemark'],
  ]) {
    const { code, stderr } = await stage.claude(['plugin', ...args]);
    assert.equal(code, 0, stderr);
  }
  await startDaemon(stage);
  return stage;
}

/** Not by a hook: a daemon started by one gets no key of the user's, and the client here has no other login. */
async function startDaemon(stage: Stage): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'plugin', 'dist', 'daemon.cjs')], {
    env: stage.env(),
    stdio: 'ignore',
    detached: true,
  });
  child.unref();
  await waitFor('the daemon', () => callDaemon(stage.places, 'status', {}).catch(() => undefined));
}

function isDistilledBy(stage: Stage, driver: string): boolean {
  return readLedger(stage.places).some(({ kind, by }) => kind === 'distilled' && by === driver);
}

/** Finds the client that the driver runs: only its arguments differ from those of the user's own client. */
function nested(stage: Stage) {
  return processesWith('TIDEMARK_HOME', stage.places.home).filter(
    ({ command }) => command.includes('--no-session-persistence') && command.includes('claude'),
  );
}
