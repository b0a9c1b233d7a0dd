/** `tidemark why`: what was injected and why, or why nothing was. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Moment } from '../../src/recall/index.ts';
import { Machine } from '../support/machine.ts';

const TITLE = 'Refresh tokens rotate on every use';

test('a session lists for its brief and each prompt what was recalled and why', async (t) => {
  const { machine, session, memory } = await recalled(t);
  const moments = await why(machine, []);
  assert.deepEqual(
    moments.map(({ where }) => where),
    ['brief', 'prompt', 'prompt'],
  );
  const [brief, prompt, trivial] = moments;
  assert.deepEqual(
    brief?.memories.map(({ id }) => id),
    [memory.id],
  );
  assert.deepEqual(
    prompt?.memories.map((one) => one.memory?.title),
    [TITLE],
  );
  assert.match(trivial?.reason ?? '', /too short/);
  for (const moment of moments) assert.equal(moment.session, session);
});

test('a memory lists its injections; opened ones are marked', async (t) => {
  const { machine, session, memory } = await recalled(t);
  await machine.call('opened', { session, memories: [memory.id] });
  const moments = await why(machine, [memory.id]);
  assert.equal(moments.length, 2);
  for (const { memories } of moments) assert.equal(memories[0]?.opened, true);
});

test('a memory that was never injected is reported as unused', async (t) => {
  const { machine } = await recalled(t);
  const kept = await machine.cli(['remember', '--json', '--', 'Buoys report every ten minutes']);
  const { stderr, code } = await machine.cli(['why', (JSON.parse(kept.stdout) as { id: string }).id]);
  assert.equal(stderr, 'Not used in a session yet.\n');
  assert.equal(code, 0);
});

test('a rebuilt index gives the same answers, also as text', async (t) => {
  const { machine } = await recalled(t);
  const before = await why(machine, []);
  await machine.call('reindex', {});
  assert.deepEqual(await why(machine, []), before);
  const { stdout } = await machine.cli(['why']);
  assert.match(stdout, /The brief {2}1 memory/);
  assert.match(
    stdout,
    new RegExp(`^ {2}\\w+ {2}decision +${TITLE}\n {4}In the brief: a decision in force$`, 'm'),
  );
  assert.doesNotMatch(stdout, /\d\.\d\d/);
  assert.match(stdout, /nothing injected: the prompt is too short/);
});

test('an unknown session is not found', async (t) => {
  const { machine } = await recalled(t);
  const { code, stderr } = await machine.cli(['why', 'nope']);
  assert.equal(code, 3);
  assert.match(stderr, /no memory, session or prompt matches nope/);
});

async function recalled(t: TestContext) {
  const machine = Machine.open(t);
  await machine.up();
  // Longer than the brief allows, so that a prompt may inject it in full.
  const body = 'A stolen one is worth a single request. '.repeat(12);
  const draft = { kind: 'decision' as const, title: TITLE, body, facts: [], concepts: [], files: [] };
  const memory = await machine.call('remember', { draft, dir: machine.project });
  const session = randomUUID();
  const fields = { session_id: session, transcript_path: join(machine.root, 'none.jsonl') };
  await machine.hook('SessionStart', { ...fields, source: 'startup' });
  const ask = 'Why do refresh tokens rotate on every use, and what breaks without?';
  await machine.hook('UserPromptSubmit', { ...fields, prompt: ask, prompt_id: randomUUID() });
  await machine.hook('UserPromptSubmit', { ...fields, prompt: 'thanks', prompt_id: randomUUID() });
  await machine.drained();
  return { machine, session, memory };
}

async function why(machine: Machine, args: readonly string[]): Promise<readonly Moment[]> {
  const { code, stdout, stderr } = await machine.cli(['why', ...args, '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as readonly Moment[];
}
