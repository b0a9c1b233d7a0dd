/** The real OpenCode: forks, subagents, commands, a missing daemon and our own calls of a model. */
import assert from 'node:assert/strict';
import { delimiter, dirname } from 'node:path';
import { test } from 'node:test';
import { codingAgent } from '../../../src/agents/index.ts';
import { DEFAULT_CONFIG } from '../../../src/config/index.ts';
import { chooseDriver } from '../../../src/distill/index.ts';
import { callDaemon } from '../../support/call.ts';
import { isConversation, requestText } from '../../support/chat-stand-in.ts';
import { stopDaemon } from '../../support/daemon.ts';
import { briefsIn, openOpenCode, program, skip, turnsOf } from './_opencode.ts';
import { DECIDED, DECISION, filesIn } from './_stage.ts';

/** Files that the client writes itself. */
const BY_OPENCODE = [/^\.gitignore$/];

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

test('OpenCode: without a daemon the event starts one, and nothing is lost', { skip }, async (t) => {
  const { stage, ask } = await openOpenCode(t);
  await stage.installer.install(stage.world);
  await stopDaemon(stage.claude.places);
  const { session } = await ask(DECISION);
  await stage.remembered(DECIDED);
  assert.equal((await turnsOf(stage, session, 1)).length, 1);
});

test('OpenCode: our own calls of a model leave no trace', { skip }, async (t) => {
  const { stage, ask } = await openOpenCode(t);
  await stage.installer.install(stage.world);
  const pure = await ask('First.', ['--pure']);
  await stage.run(['run', 'Second.'], { TIDEMARK_NESTED: '1' });
  const { session } = await ask('Third.');
  await turnsOf(stage, session, 1);
  const sessions = await callDaemon(stage.claude.places, 'read.sessions', { dir: stage.project });
  assert.deepEqual(
    sessions.map(({ id }) => id),
    [session],
  );
  assert.equal(briefsIn(pure.requests[0]), 0);
});

test('OpenCode: a request for distilling answers and leaves no trace', { skip }, async (t) => {
  const { stage, model, folder } = await openOpenCode(t);
  const { places } = stage.claude;
  await stage.installer.install(stage.world);
  const before = filesIn(folder, BY_OPENCODE);
  const config = {
    ...DEFAULT_CONFIG,
    'distill.consent': true,
    'distill.driver': 'opencode',
    'distill.model': ['opencode=standin/m'],
    'distill.prices': ['standin/m=1/2'],
  } as const;
  const env = { ...stage.env(), PATH: `${dirname(program)}${delimiter}${stage.env()['PATH']}` };
  const context = { places, env, programFolders: [] };
  const signal = AbortSignal.timeout(120_000);
  const unpriced = await chooseDriver({ ...config, 'distill.prices': [] }, context, signal);
  assert.ok(unpriced.kind === 'local' && unpriced.why === 'none-works', 'no price, no plan');

  const choice = await chooseDriver(config, context, signal);
  assert.ok(choice.kind === 'model', JSON.stringify(choice));
  const system = 'Distil "this".\nIn {env:HOME} and <xml>.';
  const request = { session: 's', system, prompt: 'The turn.', schema: {}, asText: 'As XML.' };
  const answer = await choice.driver.ask(request, signal);
  assert.ok(answer.kind === 'answered', JSON.stringify(answer));
  assert.equal(answer.text, 'A short title');
  assert.ok(answer.usage.inputTokens > 0);
  const [sent, ...others] = model.requests;
  assert.deepEqual(others, [], 'one request, and none for a title');
  assert.ok(sent && !isConversation(sent), 'no tools');
  assert.ok(requestText(sent).startsWith(system), requestText(sent));
  assert.match(requestText(sent), /The turn\.\n\nAs XML\./);

  assert.deepEqual(filesIn(folder, BY_OPENCODE), before);
  assert.deepEqual(sessionsIn(stage.env()), [], 'no session');
  await callDaemon(places, 'drain', {});
  assert.deepEqual(await callDaemon(places, 'read.sessions', { dir: stage.project }), []);
});

function sessionsIn(env: NodeJS.ProcessEnv): readonly object[] {
  const reader = codingAgent('opencode')?.reader;
  assert.ok(reader);
  return reader.find(reader.folder(env)).files;
}
