/** Repeated imports of history: no turn is stored twice, and the report counts known turns. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ImportReport } from '../../src/exchange/import/index.ts';
import { Machine } from '../support/machine.ts';
import { inventedDecision, SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

test('a second import reports every turn as known', async (t) => {
  const machine = Machine.open(t);
  const transcripts = ['one', 'two'].map((name) => {
    const config = machine.config;
    const transcript = new SyntheticTranscript({ config, cwd: machine.project, session: uuid(name) });
    for (const n of [1, 2, 3])
      transcript.append({ prompt: inventedDecision(`${name}-${n}`).text, answer: 'Noted.' });
    transcript.finish();
    return transcript;
  });
  const again = async () => {
    const { turns, found, sessions } = await imported(machine);
    return { turns, found, sessions };
  };
  assert.deepEqual(await again(), { turns: 6, found: 6, sessions: 2 });
  assert.deepEqual(await again(), { turns: 0, found: 6, sessions: 2 });
  transcripts[0]?.append({ prompt: inventedDecision('late').text, answer: 'Noted.' });
  transcripts[0]?.finish();
  await machine.call('sweep', {}); // a file this new may belong to a session under way
  assert.deepEqual(await again(), { turns: 0, found: 7, sessions: 2 });
  const { stdout } = await machine.cli(['import', 'history']);
  assert.match(stdout, /7 turns found, 7 of them known already/);
});

test('a dry run leaves out ignored projects and counts new sessions', async (t) => {
  const machine = Machine.open(t);
  const ignored = join(machine.root, 'ignored');
  mkdirSync(ignored);
  writeFileSync(join(ignored, '.tidemark-ignore'), '');
  for (const [name, cwd] of [
    ['kept', machine.project],
    ['away', ignored],
  ] as const) {
    const transcript = new SyntheticTranscript({ config: machine.config, cwd, session: uuid(name) });
    transcript.append({ prompt: inventedDecision(name).text, answer: 'Noted.' });
    transcript.finish();
  }
  const dryRun = async () => (await machine.cli(['import', 'history', '--dry-run'])).stdout;
  assert.match(await dryRun(), /^1 session of 1 project would be read, 1 of them new or longer/);
  assert.match((await machine.cli(['import'])).stdout, /^history\s+Claude Code: 2 sessions/);
  await imported(machine);
  assert.match(await dryRun(), /^1 session of 1 project would be read, 0 of them new or longer/);
});

test('--session imports one session, by the beginning of its id or the running one', async (t) => {
  const machine = Machine.open(t);
  for (const name of ['one', 'two']) {
    const session = uuid(name);
    const transcript = new SyntheticTranscript({ config: machine.config, cwd: machine.project, session });
    transcript.append({ prompt: inventedDecision(name).text, answer: 'Noted.' });
    transcript.finish();
  }
  const session = (args: readonly string[], env: Record<string, string> = {}) =>
    machine.cli(['import', 'history', '--session', ...args], { env });
  assert.match(
    (await session([uuid('one').slice(0, 8)])).stdout,
    /^Read 1 session of 1 project: 1 new turn\b/,
  );
  const running = await session([], { CLAUDE_CODE_SESSION_ID: uuid('two') });
  assert.match(running.stdout, /^Read 1 session of 1 project: 1 new turn\b/);
  assert.equal((await session([])).code, 2);
  const unknown = await session(['nope']);
  assert.equal(unknown.code, 3);
  assert.match(unknown.stderr, /no agent has a session nope/);
  assert.equal((await session(['x', '--all'])).code, 2);
});

async function imported(machine: Machine): Promise<ImportReport> {
  const { code, stdout, stderr } = await machine.cli(['import', 'history', '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as ImportReport;
}
