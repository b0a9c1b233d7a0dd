/** Turns that did not end: what the user said in them is remembered, once, and again when they end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SyntheticTranscript, uuid } from '../../test/support/synthetic-transcript.ts';
import { placesIn, type HookName, type SpooledEvent } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import { startTimeOf } from '../files/index.ts';
import { openStores } from './open-stores.ts';
import { Pauses } from './pauses.ts';
import { Pipeline } from './pipeline.ts';
import { sweep } from './sweep.ts';
import { UnfinishedReads } from './unfinished-reads.ts';

/** An hour ago: the sweep compares with the times of files, which are written now. */
const START = new Date(Math.floor(Date.now() / 60_000 - 60) * 60_000).toISOString();
const SAID = 'From now on we never use floats for money. Move the prices to integers.';

test('an unfinished turn is stored after a few minutes, and its statement is remembered once', async (t) => {
  const world = await open(t);
  const { transcript, stores } = world;
  await world.event('SessionStart', 0, { source: 'startup' });
  const [prompt = '', ...rest] = transcript.lines({
    prompt: SAID,
    answer: 'All prices are integers now. I also found that we cannot represent tax rates this way.',
    tools: [{ name: 'Edit', input: { file_path: '/projects/app/price.ts' }, output: 'ok' }],
  });
  transcript.write([prompt]);
  await world.event('UserPromptSubmit', 60, { prompt: SAID });
  await world.sweep(2 * 60);
  assert.deepEqual(stores.index.turnsIn(transcript.session), [], 'it may end any moment');

  await world.sweep(5 * 60);
  assert.deepEqual(world.turns(), [['open', SAID]]);
  const [first, ...others] = world.live();
  assert.match(first?.title ?? '', /floats/);
  assert.deepEqual(others, []);

  transcript.write(rest.slice(0, 2));
  await world.sweep(9 * 60);
  assert.deepEqual(world.live(), [first], 'growing changes nothing');

  transcript.write(rest.slice(2));
  transcript.finish();
  await world.event('Stop', 10 * 60, { last_assistant_message: 'All prices are integers now.' });
  assert.deepEqual(world.turns(), [['answered', SAID]]);
  const kept = world.live();
  assert.equal(kept.filter(({ id }) => id === first?.id).length, 1, 'the same id');
  assert.equal(kept.filter(({ title }) => /floats/.test(title)).length, 1, 'no duplicate');
  assert.equal(stores.index.distilledBy(transcript.turnId(0)), 'local');
});

test('text that the user adds to a long turn is remembered too', async (t) => {
  const world = await open(t);
  const { transcript } = world;
  await world.event('SessionStart', 0, { source: 'startup' });
  const [prompt = ''] = transcript.lines({ prompt: 'Move the prices to integers.', answer: '' });
  transcript.write([prompt]);
  await world.sweep(5 * 60);
  assert.deepEqual(world.live(), []);
  const queued = {
    type: 'attachment',
    uuid: uuid('queued'),
    parentUuid: transcript.turnId(0),
    sessionId: transcript.session,
    timestamp: at(6 * 60),
    attachment: {
      type: 'queued_command',
      prompt: 'We never use floats for money here.',
      commandMode: 'prompt',
    },
  };
  appendFileSync(transcript.path, `${JSON.stringify(queued)}\n`);
  await world.sweep(7 * 60);
  assert.match(world.live()[0]?.title ?? '', /floats/);
});

test('the agent’s text in an interrupted turn is not remembered', async (t) => {
  const world = await open(t);
  const { transcript } = world;
  await world.event('SessionStart', 0, { source: 'startup' });
  const answer = 'I decided to use SQLite because it needs no server. The parser is still broken on Windows.';
  const [prompt = '', said = ''] = transcript.lines({
    prompt: 'Pick a database for the cache please.',
    answer,
  });
  const unended = said.replace('"stop_reason":"end_turn"', '"stop_reason":null');
  transcript.write([prompt, unended]);
  await world.sweep(3 * 60 * 60);
  assert.deepEqual(world.turns(), [['interrupted', 'Pick a database for the cache please.']]);
  assert.deepEqual(world.live(), []);
});

test('a session whose client was killed is over at the next sweep, or when a session of the project starts', async (t) => {
  for (const by of ['sweep', 'start'] as const) {
    const world = await open(t);
    const { transcript, stores } = world;
    const client = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    t.after(() => client.kill('SIGKILL'));
    await once(client, 'spawn');
    const pid = client.pid ?? 0;
    const process_ = { pid, startTime: startTimeOf(pid) ?? '' };
    await world.event('SessionStart', 0, { source: 'startup' }, process_);
    const [prompt = ''] = transcript.lines({ prompt: SAID, answer: '' });
    transcript.write([prompt]);
    await world.sweep(90);
    assert.equal(stores.index.session(transcript.session)?.status, 'active', 'the client runs');

    client.kill('SIGKILL');
    await once(client, 'exit');
    if (by === 'sweep') await world.sweep(100);
    else await world.event('SessionStart', 100, { source: 'startup', session_id: uuid('another') });
    assert.deepEqual(world.turns(), [['interrupted', SAID]]);
    assert.match(world.live()[0]?.title ?? '', /floats/);
    const { status, reason } = stores.index.session(transcript.session) ?? {};
    assert.deepEqual([status, reason], ['interrupted', 'killed']);
    await world.sweep(200);
    assert.equal(world.live().length, 1);
  }
});

test('resuming a session shows that its unfinished turn was interrupted; compaction shows nothing', async (t) => {
  const world = await open(t);
  const { transcript } = world;
  await world.event('SessionStart', 0, { source: 'startup' });
  const [prompt = ''] = transcript.lines({ prompt: SAID, answer: '' });
  transcript.write([prompt]);
  await world.event('SessionStart', 90, { source: 'compact' });
  assert.deepEqual(world.turns(), []);
  await world.event('SessionStart', 100, { source: 'resume' });
  assert.deepEqual(world.turns(), [['interrupted', SAID]]);
});

test('a turn that was taken for interrupted and goes on is distilled again', async (t) => {
  const world = await open(t);
  const { transcript, stores } = world;
  await world.event('SessionStart', 0, { source: 'startup' });
  const [prompt = '', ...rest] = transcript.lines({ prompt: SAID, answer: 'All prices are integers now.' });
  transcript.write([prompt]);
  await world.sweep(3 * 60 * 60);
  const [first] = world.live();
  transcript.write(rest);
  transcript.finish();
  await world.sweep(3 * 60 * 60 + 60);
  assert.deepEqual(world.turns(), [['answered', SAID]]);
  assert.deepEqual(
    world.live().filter(({ title }) => /floats/.test(title)),
    [first],
  );
  assert.equal(stores.index.distilledBy(transcript.turnId(0)), 'local');
});

test('without a transcript, a prompt whose Stop never arrives is an interrupted turn', async (t) => {
  const world = await open(t);
  const missing = { transcript_path: join(world.home, 'missing.jsonl') };
  await world.event('SessionStart', 0, { source: 'startup', ...missing });
  await world.event('UserPromptSubmit', 60, { prompt: SAID, prompt_id: 'p1', ...missing });
  await world.event('UserPromptSubmit', 60, { prompt: SAID, prompt_id: 'p1', ...missing });
  assert.deepEqual(world.turns(), [], 'the same event twice');
  await world.sweep(5 * 60);
  assert.deepEqual(world.turns(), [['open', SAID]]);
  const next = 'Now rename the module to money please.';
  await world.event('UserPromptSubmit', 6 * 60, { prompt: next, prompt_id: 'p2', ...missing });
  assert.deepEqual(world.turns(), [['interrupted', SAID]]);
  await world.event('Stop', 7 * 60, { prompt_id: 'p2', last_assistant_message: 'Renamed.', ...missing });
  await world.event('UserPromptSubmit', 8 * 60, { prompt: '/tidemark:undo', prompt_id: 'p3', ...missing });
  await world.event('SessionEnd', 9 * 60, missing);
  assert.deepEqual(world.turns(), [
    ['interrupted', SAID],
    ['answered', next],
  ]);
  assert.equal(world.live().filter(({ title }) => /floats/.test(title)).length, 1);
});

function at(seconds: number): string {
  return new Date(Date.parse(START) + seconds * 1000).toISOString();
}

async function open(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'interrupted-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const places = placesIn(join(home, 'data'));
  const { stores } = await openStores(places);
  t.after(() => stores.index.close());
  mkdirSync(places.run, { recursive: true });
  const session = uuid('interrupted');
  const cwd = join(home, 'app');
  mkdirSync(cwd);
  const transcript = new SyntheticTranscript({ config: home, cwd, session, start: START });
  const pipeline = new Pipeline({
    stores,
    distiller: localDistiller,
    pauses: new Pauses(),
    scope: { ignore: [], isEnabled: () => true },
    onCaptured: () => {},
  });
  const reads = new UnfinishedReads({ file: join(places.run, 'reads.json') });
  let events = 0;
  return {
    home,
    stores,
    transcript,
    async event(
      name: HookName,
      seconds: number,
      fields: Partial<SpooledEvent['input']>,
      client?: SpooledEvent['client'],
    ) {
      const processed = await pipeline.process(
        {
          id: `event-${String(events++).padStart(8, '0')}`,
          at: at(seconds),
          agent: 'claude-code',
          projectDir: cwd,
          ...(client ? { client } : {}),
          input: { session_id: session, transcript_path: transcript.path, hook_event_name: name, ...fields },
        },
        true,
      );
      assert.equal(processed, 'done');
    },
    sweep: (seconds: number) =>
      sweep(stores, pipeline, {
        now: new Date(at(seconds)),
        reads,
        onProblem: (_, error) => assert.fail(String(error)),
      }),
    turns: () => stores.index.turnsIn(session).map(({ outcome, prompt }) => [outcome, prompt]),
    live: () =>
      stores.index
        .memoriesBy({ session, state: ['current', 'open'], limit: 50 })
        .map(({ id, title, state }) => ({ id, title, state })),
  };
}
