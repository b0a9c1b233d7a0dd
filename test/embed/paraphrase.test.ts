/**
 * A prompt that shares no word with a stored dead end gets it, if the small model is sure: through the real daemon, with
 * the shipped model. A prompt that the model does not answer in time is decided by words, so it is asked again.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { MemoryKind } from '../../src/core/index.ts';
import { queryWords, tokensOf } from '../../src/database/index.ts';
import { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';

const DEAD_END = 'Do not store image uploads in PostgreSQL; the dumps became huge and slow';
const PARAPHRASE = 'let us put the photos of our customers straight into the database as blobs';
const UNRELATED = [
  'Why does the sidebar flicker when the window is resized?',
  'please rename the button on the settings page',
  'explain how the calendar widget picks its first weekday',
];
/** Other memories of the project: what is near is judged by them. */
const OTHERS: readonly (readonly [MemoryKind, string])[] = [
  ['decision', 'Prices include VAT everywhere in the shop'],
  ['preference', 'Small commits, one idea each'],
  ['dead_end', 'Sending newsletters from our own mail server: all went to spam'],
  ['decision', 'Dates are stored in UTC and shown in the zone of the branch office'],
];

test('the examples share no word', () => {
  const tokens = (text: string) => new Set(queryWords(text).flatMap(tokensOf));
  const stored = tokens(DEAD_END);
  for (const prompt of [PARAPHRASE, ...UNRELATED])
    assert.deepEqual(
      [...tokens(prompt)].filter((token) => stored.has(token)),
      [],
      prompt,
    );
});

async function machineWith(t: Parameters<typeof Machine.open>[0], driver: string): Promise<Machine> {
  const machine = Machine.open(t, { TIDEMARK_EMBED_DRIVER: driver });
  await machine.up();
  for (const [kind, title] of [['dead_end', DEAD_END] as const, ...OTHERS])
    await machine.call('remember', {
      draft: { kind, title, body: '', facts: [], concepts: [], files: [] },
      dir: machine.project,
    });
  await machine.call('sweep', {});
  return machine;
}

/** The context that a prompt gets in a session of its own. No brief, which would contain everything. */
async function asked(machine: Machine, prompt: string): Promise<{ session: string; context: string }> {
  const session = randomUUID();
  const { stdout } = await machine.hook('UserPromptSubmit', {
    session_id: session,
    transcript_path: `${machine.root}/${session}.jsonl`,
    prompt,
    prompt_id: randomUUID(),
  });
  return { session, context: stdout };
}

test('a paraphrase without a shared word is found, an unrelated prompt stays silent', async (t) => {
  const machine = await machineWith(t, 'local');
  await waitFor('every vector to be made', async () => {
    const { memory } = (await machine.call('embed.health', {})).counts;
    return memory.have === OTHERS.length + 1 && memory.wanted === 0;
  });
  const found = () =>
    waitFor('the paraphrase to be found', async () => {
      const answer = await asked(machine, PARAPHRASE);
      return answer.context.includes(DEAD_END) ? answer : undefined;
    });
  const { session, context } = await found();
  for (const [, title] of OTHERS) assert.ok(!context.includes(title), title);
  // The model answers in time by now.
  for (const prompt of UNRELATED) assert.equal((await asked(machine, prompt)).context.trim(), '', prompt);
  await found();

  const { stdout } = await machine.cli(['why', session]);
  assert.match(stdout, /The small model judged it relevant/);
});

test('without a model a paraphrase is not found', async (t) => {
  const machine = await machineWith(t, 'none');
  assert.equal((await asked(machine, PARAPHRASE)).context.trim(), '');
  const direct = await asked(machine, 'can we store image uploads in PostgreSQL, or do the dumps get huge?');
  assert.match(direct.context, /Do not store image uploads/);
});
