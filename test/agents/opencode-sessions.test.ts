/** The real OpenCode: forks, subagents and commands. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConversation, requestText } from '../support/chat-stand-in.ts';
import { briefsIn, openOpenCode, skip, turnsOf } from './_opencode.ts';
import { DECIDED, DECISION } from './_stage.ts';

test('OpenCode: its turns are stored once, also those that a fork copies', { skip }, async (t) => {
  const { stage, ask, model } = await openOpenCode(t);
  await stage.installer.install(stage.world);
  model.play('Run the tests', [
    { tools: [{ name: 'bash', input: { command: 'echo "1 failed"; exit 3', description: 'tests' } }] },
    { text: 'One of them fails.' },
  ]);
  const { session } = await ask('Run the tests, "all" of them.');
  const { requests } = await ask('Go on, please.', ['--session', session]);
  assert.equal(briefsIn(requests[0]), 1, 'the client stores no brief, so a continued session gets one');
  const fork = await ask('Try something else.', ['--session', session, '--fork']);
  assert.notEqual(fork.session, session);
  const stored = await turnsOf(stage, session, 2);
  assert.deepEqual(
    stored.map(({ agent, prompt, answer, outcome }) => [agent, prompt, answer, outcome]),
    [
      ['opencode', 'Run the tests, "all" of them.', 'One of them fails.', 'answered'],
      ['opencode', 'Go on, please.', 'Done.', 'answered'],
    ],
  );
  assert.deepEqual(
    stored[0]?.tools.map(({ name, command, status, exit }) => [name, command, status, exit]),
    [['Bash', 'echo "1 failed"; exit 3', 'error', 3]],
  );
  assert.deepEqual(
    (await turnsOf(stage, fork.session, 1)).map(({ prompt }) => prompt),
    ['Try something else.'],
  );
});

test('OpenCode: a subagent is read with its session, and gets no brief', { skip }, async (t) => {
  const { stage, ask, model } = await openOpenCode(t);
  await stage.installer.install(stage.world);
  await ask(DECISION);
  await stage.remembered(DECIDED);
  const task = { description: 'look', prompt: 'Look around in the folder.', subagent_type: 'general' };
  model.play('Find out more', [{ tools: [{ name: 'task', input: task }] }, { text: 'It is empty.' }]);
  const { requests, session } = await ask('Find out more, please.');
  const [main, subagent] = requests;
  assert.equal(briefsIn(main), 1);
  assert.match(subagent ? requestText(subagent) : '', /Look around in the folder/);
  assert.equal(briefsIn(subagent), 0);
  const turns = await turnsOf(stage, session, 2);
  const [mine, its] = turns.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
  assert.deepEqual([mine?.origin, its?.origin, its?.prompt], ['person', 'subagent', task.prompt]);
  assert.equal(its?.continues, mine?.id);
});

test('OpenCode: our commands and its own titles are no content', { skip }, async (t) => {
  const { stage, ask, model } = await openOpenCode(t);
  await stage.installer.install(stage.world);
  const { requests, session } = await ask('job queue', ['--command', 'tidemark-search']);
  assert.match(requestText(requests[0]), /Search the memory of earlier sessions[\s\S]*job queue/);
  await ask('We ship on Fridays.', ['--session', session]);
  const prompts = (await turnsOf(stage, session, 1)).map(({ prompt }) => prompt);
  assert.deepEqual(prompts, ['We ship on Fridays.']);
  const titles = model.requests.filter((request) => !isConversation(request));
  assert.ok(titles.length > 0);
  assert.ok(titles.every((request) => briefsIn(request) === 0));
});
