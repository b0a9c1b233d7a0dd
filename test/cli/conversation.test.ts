/** `transcript`, `sessions <id>` and `show`: from a memory to its conversation, its session and its neighbours. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { shortId, type Memory } from '../../src/core/index.ts';
import { Machine } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';

const PROMPTS = [
  'We decided to rotate refresh tokens on every use because stolen ones must die.',
  'Which port does the metrics endpoint listen on?',
  'We decided to store sessions in Redis because they must expire.',
  'Thanks, that is all for today.',
];

test('transcript accepts a memory, a turn or a session, by id or the start of one', async (t) => {
  const { machine, session, turns, memories } = await withSession(t);
  const [, metrics = ''] = turns;
  const [rotation] = memories;
  const prompts = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await machine.cli(['transcript', ...args]);
    assert.equal(code, 0, stderr);
    return PROMPTS.filter((prompt) => stdout.includes(prompt));
  };
  for (const id of [rotation?.id ?? '', shortId(rotation?.id ?? '')])
    assert.deepEqual(await prompts(id), PROMPTS.slice(0, 1));
  for (const id of [metrics, metrics.slice(0, 8)]) assert.deepEqual(await prompts(id), PROMPTS.slice(1, 2));
  for (const id of [session, session.slice(0, 8)]) assert.deepEqual(await prompts(id), PROMPTS);
  assert.deepEqual(await prompts(metrics, '--around', '1'), PROMPTS.slice(0, 3));
  const around = await machine.cli(['transcript', metrics, '--around', '1']);
  assert.match(around.stdout, /^.*turn \S+ · answered {2}← this one\n\nUser\nWhich port/m);
  assert.equal(around.stdout.match(/← this one/g)?.length, 1);
  assert.match(around.stderr, /^This session has 1 turn after\. .*tidemark transcript/);
});

test('transcript --tools shows the stored output of each tool call', async (t) => {
  const { machine, turns } = await withSession(t);
  const [, metrics = ''] = turns;
  const without = await machine.cli(['transcript', metrics]);
  assert.match(without.stdout, /\nTools\n✓ Bash ss -ltn\n\nAgent/);
  const whole = await machine.cli(['transcript', metrics, '--tools']);
  assert.match(whole.stdout, /✓ Bash ss -ltn\n {4}LISTEN 0 511 127\.0\.0\.1:9464\n/);
});

test('an unknown id is not found, and an ambiguous start lists the candidates', async (t) => {
  const { machine } = await withSession(t);
  const unknown = await machine.cli(['transcript', 'zzzz']);
  assert.equal(unknown.code, 3);
  assert.match(unknown.stderr, /no memory, turn or session zzzz/);
  const several = await machine.cli(['transcript', '1']);
  assert.equal(several.code, 3);
  assert.match(several.stderr, /ids begin with 1\nhint: Write more of the id: memory 1\w{13}, /);
});

test('sessions <id> lists the turns of that session', async (t) => {
  const { machine, session, turns } = await withSession(t);
  const { stdout } = await machine.cli(['sessions', session.slice(0, 6)]);
  const [head = '', ...lines] = stdout.trim().split('\n');
  assert.match(head, new RegExp(`^${session.slice(0, 8)} {2}.* {2}project · .* · 4 turns · `));
  assert.deepEqual(
    lines.map((line) => line.split('  ')[0]),
    turns.map((id) => id.slice(0, 8)),
  );
  assert.match(lines[1] ?? '', / {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}Which port .* {2}1 tool call$/);
  const found = JSON.parse((await machine.cli(['sessions', session, '--json'])).stdout) as {
    session: { id: string };
    turns: readonly { id: string }[];
  };
  assert.equal(found.session.id, session);
  assert.deepEqual(
    found.turns.map(({ id }) => id),
    turns,
  );
});

test('sessions <id> --markdown is a page with every turn and memory, brief --markdown that of the project', async (t) => {
  const { machine, session, memories } = await withSession(t);
  const { stdout: page } = await machine.cli(['sessions', session.slice(0, 6), '--markdown']);
  for (const prompt of PROMPTS) assert.ok(page.includes(prompt), page);
  for (const { id } of memories) assert.ok(page.includes(`\`${shortId(id)}\``), page);
  const { stdout: project } = await machine.cli(['brief', '--markdown']);
  assert.match(project, /^# project: what to know now\n\n## Decisions\n\n- .*Redis/m);
  await machine.cli(['forget', memories[0]?.id ?? '']);
  const after = await machine.cli(['sessions', session, '--markdown']);
  assert.ok(!after.stdout.includes(PROMPTS[0] ?? ''), after.stdout);
});

test('show names the neighbours in the session, what replaced it, and its search phrases', async (t) => {
  const { machine, memories } = await withSession(t);
  const [rotation, redis] = memories;
  assert.ok(rotation && redis);
  await machine.cli(['edit', rotation.id, '--concept', 'stolen session', '--concept', 'login expires']);
  const first = (await machine.cli(['show', rotation.id])).stdout;
  assert.match(first, /\nSearch phrases: stolen session, login expires\n/);
  assert.match(
    first,
    new RegExp(`\nIn the same session:\nAfter it:  ${shortId(redis.id)} decision: .*Redis`),
  );
  assert.match(first, new RegExp(` · full id ${rotation.id}\n`));
  await machine.cli(['supersede', rotation.id, redis.id]);
  const replaced = (await machine.cli(['show', shortId(rotation.id)])).stdout;
  assert.match(replaced, new RegExp(`\nReplaced by ${shortId(redis.id)} decision: .*Redis`));
  const other = (await machine.cli(['show', shortId(redis.id)])).stdout;
  assert.match(other, new RegExp(`\nReplaces ${shortId(rotation.id)} decision: .* \\(superseded\\)`));
  assert.match(other, new RegExp(`\nBefore it: ${shortId(rotation.id)} decision: `));
});

async function withSession(t: TestContext) {
  const machine = Machine.open(t);
  await machine.up();
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid('conversation'),
    start: '2026-11-02T09:00:00.000Z',
  });
  const command = { name: 'Bash', input: { command: 'ss -ltn' }, output: 'LISTEN 0 511 127.0.0.1:9464' };
  for (const [i, prompt] of PROMPTS.entries())
    transcript.append({ prompt, answer: 'Done.', ...(i === 1 ? { tools: [command] } : {}) });
  transcript.finish();
  const { session, path: transcript_path } = transcript;
  await machine.deliver('SessionEnd', { session_id: session, transcript_path, reason: 'other' });
  await machine.drained();
  const memories: readonly Memory[] = await machine.call('read.memories', { limit: 10 });
  const turns = PROMPTS.map((_, i) => transcript.turnId(i));
  return { machine, session, turns, memories: memories.toReversed() };
}
