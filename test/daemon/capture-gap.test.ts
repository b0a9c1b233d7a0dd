/** When capture was down in the last session, the first line of the next one says so; otherwise nothing does. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

interface Started {
  readonly message: string;
  readonly context: string;
}

async function opened(t: TestContext): Promise<Machine> {
  const machine = Machine.open(t);
  await machine.up();
  // Installed an hour ago.
  const hourAgo = new Date(Date.now() - 60 * 60 * 1000);
  utimesSync(machine.places.program, hourAgo, hourAgo);
  return machine;
}

let sessions = 0;

/** A session of a user: written by the client, whether or not a hook arrived. */
function written(machine: Machine, entrypoint = 'cli', start = new Date(Date.now() - 10 * 60 * 1000)) {
  const session = uuid('gap', sessions++);
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session,
    start: start.toISOString(),
  });
  transcript.append({ prompt: 'Move the prices to integers please.', answer: 'They are integers now.' });
  transcript.finish();
  const text = readFileSync(transcript.path, 'utf8');
  writeFileSync(transcript.path, text.replaceAll('"entrypoint":"sdk-cli"', `"entrypoint":"${entrypoint}"`));
  return transcript;
}

async function start(machine: Machine, more: object = {}): Promise<Started> {
  const session = uuid('gap', sessions++);
  const { path } = new SyntheticTranscript({ config: machine.config, cwd: machine.project, session });
  const fields = { session_id: session, transcript_path: path, source: 'startup', ...more };
  const { body } = await machine.deliver('SessionStart', fields);
  const answer = (body === '' ? {} : JSON.parse(body)) as {
    systemMessage?: string;
    hookSpecificOutput?: { additionalContext?: string };
  };
  return {
    message: answer.systemMessage ?? '',
    context: answer.hookSpecificOutput?.additionalContext ?? '',
  };
}

async function hooked(machine: Machine, { session, path }: SyntheticTranscript): Promise<void> {
  const fields = { session_id: session, transcript_path: path };
  await machine.deliver('SessionStart', { ...fields, source: 'startup' });
  await machine.deliver('SessionEnd', { ...fields, reason: 'other' });
  await machine.drained();
}

const DOWN = /^Tidemark did not capture the last session in this folder \(.*\): run `tidemark doctor`/;

test('a session without any hook is named in the first line for the user and for the agent', async (t) => {
  const machine = await opened(t);
  await hooked(machine, written(machine));
  written(machine);
  const { message, context } = await start(machine);
  assert.match(message, DOWN);
  assert.match(context, DOWN);
  assert.ok(context.includes('Tidemark remembers'), 'the brief follows');
});

test('a session that only an import found is named', async (t) => {
  const machine = await opened(t);
  written(machine);
  await machine.call('import.history', { sources: machine.sources });
  assert.match((await start(machine)).message, /only by a later import: run `tidemark doctor`/);
});

test('a session whose events were lost is named', async (t) => {
  const machine = await opened(t);
  const last = written(machine);
  await hooked(machine, last);
  assert.equal((await start(machine)).message.includes('Tidemark lost'), false);
  const at = new Date(Date.now() - 5 * 60 * 1000).toISOString();
  const row = { at, event: 'Stop', attempt: 'x', ms: 1, outcome: 'lost', reason: 'EACCES' };
  mkdirSync(dirname(machine.places.hookLog), { recursive: true });
  writeFileSync(machine.places.hookLog, `${JSON.stringify(row)}\n`);
  assert.match((await start(machine)).message, /^Tidemark lost events of the last session in this folder/);
});

test('nothing is said about captured sessions, programs, old sessions, pauses, and sessions without a prompt', async (t) => {
  const machine = await opened(t);
  assert.equal((await start(machine)).message, '', 'the first session');

  await hooked(machine, written(machine));
  assert.doesNotMatch((await start(machine)).message, /Tidemark (?:did not|lost)/, 'captured');

  written(machine, 'sdk-cli');
  assert.doesNotMatch((await start(machine)).message, /Tidemark (?:did not|lost)/, 'started by a program');

  const fresh = await opened(t);
  written(fresh, 'cli', new Date(Date.now() - 2 * 60 * 60 * 1000));
  assert.equal((await start(fresh)).message, '', 'began before the installation');

  const lost = written(fresh);
  assert.doesNotMatch(
    (await start(fresh, { source: 'compact' })).message,
    /Tidemark (?:did not|lost)/,
    'goes on',
  );
  await fresh.call('pause', { paused: true, scope: 'everywhere' });
  assert.equal((await start(fresh)).message, '', 'capture is paused');
  await fresh.call('pause', { paused: false, scope: 'everywhere' });
  assert.match((await start(fresh)).message, DOWN);

  const empty = new SyntheticTranscript({
    config: fresh.config,
    cwd: fresh.project,
    session: uuid('gap', 'e'),
  });
  writeFileSync(empty.path, `${JSON.stringify({ type: 'last-prompt', sessionId: empty.session })}\n`);
  assert.match((await start(fresh)).message, DOWN, 'opened and closed again: the session before counts');
  await hooked(fresh, lost);
  assert.doesNotMatch((await start(fresh)).message, /Tidemark (?:did not|lost)/);
});
