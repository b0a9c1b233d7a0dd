/** No secret reaches the stores, the spool, the logs or the run folder, and no hook or verb prints one. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { plantedSecrets, type PlantedSecret } from '../corpus/secrets.ts';
import { isAnywhereIn, leaksIn, leaksInText, type Needle } from '../support/leaks.ts';
import { Machine, type Env, type HookFields, type Ran } from '../support/machine.ts';
import { runQueue } from '../support/queue.ts';
import { stored } from '../support/stored.ts';
import {
  inventedDecision,
  SyntheticTranscript,
  uuid,
  type SyntheticTurn,
} from '../support/synthetic-transcript.ts';

const SECRETS = plantedSecrets(42);
const NEEDLES: readonly Needle[] = SECRETS.flatMap(({ type, needles }) =>
  needles.map((text) => ({ name: type, text })),
);
/** Secrets in the prompt of one hook. A real prompt rarely has more than one, and each hook takes time. */
const IN_ONE_PROMPT = 12;
/** Few and short: a session that starts without a daemon waits for one until its time ends. */
const STARTS = 4;
const START_S = '2';
/** Sessions at a time. */
const LANES = 4;

test('secrets in transcripts reach no file and no screen', async (t) => {
  const machine = Machine.open(t);
  const transcript = transcriptOf(machine);
  await machine.up();
  const session = { session_id: transcript.session, transcript_path: transcript.path };
  const printed = [
    await machine.hook('SessionStart', { ...session, source: 'startup' }),
    await machine.hook('SessionEnd', { ...session, reason: 'other' }),
  ];
  await machine.drained();
  const { turns, memories } = await stored(machine);
  assert.equal(turns.length, SECRETS.length);
  const distilled = memories.reduce((sum, { seen = 1 }) => sum + seen, 0);
  assert.ok(distilled > SECRETS.length / 2, 'they were distilled too');
  assert.deepEqual(leaksIn(machine.places.home, NEEDLES), []);

  printed.push(await machine.hook('SessionStart', { session_id: uuid('next'), source: 'startup' }));
  for (const args of [
    ['search', 'kind:decision', '--limit', '50'],
    ['sessions'],
    ['projects'],
    ['brief'],
    ['transcript', transcript.turnId(3)],
    ['transcript', transcript.turnId(SECRETS.length - 1)],
    ['logs', '--lines', '1000'],
    ['status'],
    ['doctor'],
  ]) {
    const ran = await machine.cli(args);
    assert.ok(ran.stdout.length > 0, `tidemark ${args.join(' ')} says something: ${ran.stderr}`);
    printed.push(ran);
  }
  assert.deepEqual(leaksInAnswers(printed), []);
});

test('secrets in events reach no file when the daemon is up', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const printed = await fireAll(machine);
  await runQueue(SECRETS, LANES, async ({ type, contexts }) => {
    const session_id = uuid('one', type);
    for (let i = 0; i < contexts.length; i += 2) {
      const last_assistant_message = contexts[i + 1] ?? contexts[0];
      await machine.deliver('UserPromptSubmit', { session_id, prompt: decision(contexts[i] ?? '') });
      await machine.deliver('Stop', { session_id, last_assistant_message });
    }
    await machine.deliver('SessionEnd', { session_id, reason: contexts[0] });
  });
  await machine.drained();
  assert.deepEqual(leaksIn(machine.places.home, NEEDLES), []);
  assert.deepEqual(leaksInAnswers(printed), []);
});

test('secrets in events reach no file when the daemon is down', async (t) => {
  const machine = Machine.open(t);
  mkdirSync(machine.places.run, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(machine.places.lock); // locked as a daemon locks it, so that none can start
  lock.exec('BEGIN EXCLUSIVE');
  const printed = await fireAll(machine);
  assert.ok(isAnywhereIn(machine.places.home, uuid('group', 0)), machine.logs());
  assert.deepEqual(leaksIn(machine.places.home, NEEDLES), [], 'in the events that hooks kept');
  lock.close();
  await machine.drained();
  assert.deepEqual(leaksIn(machine.places.home, NEEDLES), [], 'in the stores of the daemon');
  assert.deepEqual(leaksInAnswers(printed), []);
});

/** One turn per secret, in all places a turn has. */
function transcriptOf(machine: Machine): SyntheticTranscript {
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('secrets'),
  });
  for (const secret of SECRETS) transcript.append(turnWith(secret));
  const [first] = SECRETS.filter(({ bare }) => bare);
  const customTitle = `Deploy with ${first?.secret}`;
  transcript.write([JSON.stringify({ type: 'custom-title', customTitle, sessionId: transcript.session })]);
  transcript.finish();
  return transcript;
}

/** Uses each way of writing the secret: there are more places than ways. */
function turnWith({ contexts }: PlantedSecret): SyntheticTurn {
  const way = (place: number): string => contexts[place % contexts.length] ?? '';
  return {
    prompt: decision(way(0)),
    answer: `It works now. I used this:\n\n${way(1)}`,
    tools: [
      { name: 'Bash', input: { command: way(2), description: way(3) }, output: way(3) },
      { name: 'Bash', input: { command: 'deploy' }, output: `Error: refused\n${way(4)}`, failed: true },
      { name: 'Write', input: { file_path: 'config/app.conf', content: way(5) }, output: 'created' },
      { name: 'Read', input: { file_path: 'config/app.conf' }, output: way(6) },
      { name: 'Edit', input: { file_path: 'a.ts', old_string: way(7), new_string: way(8) }, output: way(9) },
      { name: 'Grep', input: { pattern: way(0) }, output: way(1) },
    ],
  };
}

/** Adds a decision, so that the turn is distilled too. */
function decision(context: string): string {
  return [inventedDecision(context).text, 'These are the credentials:', context].join('\n\n');
}

/** Runs real hooks with every secret in the fields of an event. */
async function fireAll(machine: Machine): Promise<readonly Ran[]> {
  const printed: Ran[] = [];
  const fire = async (
    name: 'SessionStart' | 'UserPromptSubmit' | 'Stop' | 'SessionEnd',
    fields: HookFields,
  ) => {
    const env: Env = name === 'SessionStart' ? { TIDEMARK_ANSWER_S: START_S } : {};
    const ran = await machine.hook(name, fields, { env });
    assert.equal(ran.code, 0);
    printed.push(ran);
  };
  // A secret that opens a private span without closing it would hide the others.
  const open = SECRETS.filter(({ contexts }) => contexts.some((context) => /<\s*private/i.test(context)));
  const groups = [
    ...chunks(SECRETS.filter((secret) => !open.includes(secret))),
    ...open.map((secret) => [secret]),
  ];
  await runQueue([...groups.entries()], LANES, async ([i, group]) => {
    const session_id = uuid('group', i);
    const ways = group.map(({ contexts }) => contexts[i % contexts.length]).join('\n\n');
    await fire('UserPromptSubmit', { session_id, prompt: decision(ways), prompt_id: uuid('prompt', i) });
    await fire('Stop', { session_id, last_assistant_message: ways, stop_hook_active: false });
  });
  await runQueue(SECRETS.filter(({ bare }) => bare).slice(0, STARTS), LANES, async ({ type, secret }) => {
    const session_id = uuid('fields', type);
    await fire('SessionStart', {
      session_id,
      source: 'startup',
      session_title: `Use ${secret}`,
      cwd: `/srv/${secret}/app`,
    });
    await fire('SessionEnd', { session_id, reason: secret, transcript_path: `/srv/${secret}.jsonl` });
  });
  return printed;
}

function chunks(secrets: readonly PlantedSecret[]): readonly (readonly PlantedSecret[])[] {
  return Array.from({ length: Math.ceil(secrets.length / IN_ONE_PROMPT) }, (_, i) =>
    secrets.slice(i * IN_ONE_PROMPT, (i + 1) * IN_ONE_PROMPT),
  );
}

function leaksInAnswers(printed: readonly Ran[]): readonly string[] {
  return printed.flatMap(({ stdout, stderr }) => leaksInText('printed', stdout + stderr, NEEDLES));
}
