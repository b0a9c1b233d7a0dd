/** A turn is taken in at its own Stop, though the client writes it down only moments later: whole, once, by itself. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { memoriesOf, stored, titled } from '../support/stored.ts';
import { inventedDecision, SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

const ANSWER = 'Noted.';

test('a prompt and an answer written after the Stop are captured without another event', async (t) => {
  const { machine, transcript, say, stop } = await open(t, 'late');
  transcript.append(say(0));
  await stop(0);
  await machine.drained();
  // The same answer as before: only the prompt tells that the file does not hold this turn yet.
  await stop(1);
  await machine.hasBegun();
  assert.equal((await stored(machine)).turns.length, 1);
  transcript.append(say(1));
  await isKept(machine, 'late-1');
  await machine.drained();
  assert.deepEqual(
    (await stored(machine)).turns.map(({ id, answer }) => [id, answer]),
    [0, 1].map((n) => [transcript.turnId(n), ANSWER]),
  );
});

test('a transcript created after the first Stop is captured without another event', async (t) => {
  const { machine, transcript, say, stop } = await open(t, 'unmade');
  await stop(0);
  await machine.hasBegun();
  transcript.append(say(0));
  await isKept(machine, 'unmade-0');
});

test('a Stop that the hook spooled is captured without another event', async (t) => {
  const { machine, transcript, say, fields } = await open(t, 'kept');
  transcript.append(say(0));
  const left = { until: Date.now() + 10_000, pid: null }; // as after an answer that came too late
  writeFileSync(machine.places.leaveAlone, JSON.stringify(left));
  await machine.hook('Stop', { ...fields, last_assistant_message: ANSWER, stop_hook_active: false });
  await isKept(machine, 'kept-0');
});

test('waiting for one session does not block others', async (t) => {
  const { machine, transcript, say, stop } = await open(t, 'slow');
  const other = sessionOf(machine, 'other');
  other.transcript.append(other.say(0));
  await stop(0);
  await other.stop(0);
  await isKept(machine, 'other-0');
  assert.equal((await stored(machine)).turns.length, 1);
  transcript.append(say(0));
  await isKept(machine, 'slow-0');
});

test('an answer missing from the transcript is taken from the Stop, also after the session ends', async (t) => {
  const { machine, transcript, say, stop, fields } = await open(t, 'cut');
  const [prompt = '', answer = ''] = transcript.lines(say(0));
  transcript.write([prompt]);
  await stop(0);
  await machine.deliver('SessionEnd', { ...fields, reason: 'other' });
  await machine.drained();
  const whole = async () =>
    (await stored(machine)).turns.map(({ id, answer: said, outcome }) => [id, said, outcome]);
  const expected = [[transcript.turnId(0), ANSWER, 'answered']];
  assert.deepEqual(await whole(), expected);
  transcript.write([answer]);
  transcript.finish();
  await machine.call('sweep', {});
  assert.deepEqual(await whole(), expected);
  assert.equal((await memoriesOf(machine)).length, 1);
});

test('a daemon that was killed while it waited for a transcript waits again after a restart', async (t) => {
  const { machine, transcript, say, stop } = await open(t, 'killed');
  await stop(0);
  await machine.hasBegun();
  await machine.killDaemons();
  await machine.up();
  transcript.append(say(0));
  await isKept(machine, 'killed-0');
  await machine.drained();
  assert.deepEqual(
    (await stored(machine)).turns.map(({ answer }) => answer),
    [ANSWER],
  );
});

async function open(t: Parameters<typeof Machine.open>[0], name: string) {
  const machine = Machine.open(t);
  await machine.up();
  return { machine, ...sessionOf(machine, name) };
}

function sessionOf(machine: Machine, name: string) {
  const session = uuid(name);
  const transcript = new SyntheticTranscript({ config: machine.config, cwd: machine.project, session });
  const fields = { session_id: session, transcript_path: transcript.path };
  return {
    transcript,
    fields,
    say: (n: number) => ({ prompt: inventedDecision(`${name}-${n}`).text, answer: ANSWER }),
    stop: async (n: number) => {
      const prompt_id = uuid(session, 'prompt-id', n); // as the transcript names it
      const told = { ...fields, prompt_id, last_assistant_message: ANSWER, stop_hook_active: false };
      assert.equal((await machine.deliver('Stop', told)).status, 200);
    },
  };
}

async function isKept(machine: Machine, decision: string): Promise<void> {
  const { word } = inventedDecision(decision);
  const isThere = async () => (await titled(machine, word)).length > 0;
  await waitFor(`the memory of ${decision}`, isThere, { explain: () => machine.logs() });
}
