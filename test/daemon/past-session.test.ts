/** The end of a past session is injected with a prompt: once per session, also after a restart, and `why` explains it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Moment } from '../../src/recall/index.ts';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
/** Nothing here is worth a memory by the rules. */
const TALKS: readonly (readonly [string, string])[] = [
  ['The seat map is slow on old phones.', 'It draws every seat again on each tap.'],
  [
    'Passengers complain that the refund for a cancelled sailing is smaller than the ticket.',
    `The refund leaves out the harbour fee. I looked it up with ${SECRET}.`,
  ],
  ['Norwegian is missing in the language menu.', 'It is there, at the end of the list.'],
  ['The nightly report shows no freight.', 'Freight is filtered by vehicle length.'],
  ['The timetable import is late.', 'The old server starts it at five.'],
];
const PROMPT =
  'Support says a passenger got the refund for a cancelled sailing, but the harbour fee is missing and the amount is smaller than the ticket.';

test('a prompt gets the end of the session that is about it, redacted, and once', async (t) => {
  const { machine, about } = await withTalks(t);
  const session = uuid('now');
  const first = await ask(machine, session, PROMPT);
  assert.match(first, new RegExp(`## Conversation of session ${about}, `));
  assert.match(first, /Agent: The refund leaves out the harbour fee/);
  assert.doesNotMatch(first, /ghp_/);
  assert.equal(await ask(machine, session, PROMPT), '');
  await machine.drained();
  await machine.stopDaemon();
  await machine.up();
  assert.equal(await ask(machine, session, PROMPT), '');
  assert.match(await ask(machine, uuid('other'), PROMPT), /## Conversation of session/);
});

test('prompts that need nothing get nothing', async (t) => {
  const { machine } = await withTalks(t);
  for (const prompt of ['run the tests again please', 'commit this with a short message', 'ok, go on then'])
    assert.equal(await ask(machine, uuid(prompt), prompt), '', prompt);
});

test('why explains the conversation, also after the index was rebuilt', async (t) => {
  const { machine, about } = await withTalks(t);
  const session = uuid('now');
  await ask(machine, session, PROMPT);
  await machine.drained();
  await machine.call('reindex', {});
  const moments = JSON.parse((await machine.cli(['why', session, '--json'])).stdout) as readonly Moment[];
  assert.equal(moments[0]?.conversation?.session, about);
  const { stdout } = await machine.cli(['why', session]);
  assert.match(stdout, new RegExp(`the end of session ${about.slice(0, 8)}`));
  assert.match(stdout, /It shares the words .*refund/);
  assert.equal(await ask(machine, session, PROMPT), '');
});

/** Sessions of some weeks ago, one turn each. */
async function withTalks(t: TestContext): Promise<{ readonly machine: Machine; readonly about: string }> {
  const machine = Machine.open(t);
  await machine.up();
  const places = { config: machine.config, cwd: machine.project };
  const sessions = TALKS.map(([prompt, answer], i) => {
    const transcript = new SyntheticTranscript({ ...places, session: uuid('talk', i) });
    transcript.append({ prompt, answer });
    transcript.finish();
    return transcript.session;
  });
  const { code, stderr } = await machine.cli(['import', 'history']);
  assert.equal(code, 0, stderr);
  return { machine, about: sessions[1] ?? '' };
}

async function ask(machine: Machine, session: string, prompt: string): Promise<string> {
  const { stdout } = await machine.hook('UserPromptSubmit', { session_id: session, prompt });
  if (stdout === '') return '';
  const answer = JSON.parse(stdout) as {
    readonly hookSpecificOutput?: { readonly additionalContext?: string };
  };
  return answer.hookSpecificOutput?.additionalContext ?? '';
}
