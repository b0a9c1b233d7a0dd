/** The real OpenCode without a daemon, and our own calls of its model. */
import assert from 'node:assert/strict';
import { delimiter, dirname } from 'node:path';
import { test } from 'node:test';
import { askOnce, codingAgent } from '../../src/agents/index.ts';
import { callDaemon } from '../support/call.ts';
import { isConversation, requestText } from '../support/chat-stand-in.ts';
import { stopDaemon } from '../support/daemon.ts';
import { briefsIn, openOpenCode, program, skip, turnsOf } from './_opencode.ts';
import { DECIDED, DECISION, filesIn } from './_stage.ts';

/** Files that the client writes itself. */
const BY_OPENCODE = [/^\.gitignore$/];

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

test('OpenCode: a one-shot request answers and leaves no trace', { skip }, async (t) => {
  const { stage, model, folder } = await openOpenCode(t);
  const { places } = stage.claude;
  await stage.installer.install(stage.world);
  const before = filesIn(folder, BY_OPENCODE);
  const agent = codingAgent('opencode');
  assert.ok(agent);
  const env = { ...stage.env(), PATH: `${dirname(program)}${delimiter}${stage.env()['PATH']}` };
  const system = 'Write "notes".\nIn {env:HOME} and <xml>.';
  const request = { model: 'standin/m', system, prompt: 'The turns.' };
  const signal = AbortSignal.timeout(120_000);
  const answer = await askOnce(agent, { ...request, env, cwd: places.run, signal });
  assert.ok(answer.kind === 'answered', JSON.stringify(answer));
  assert.equal(answer.text, 'A short title');
  assert.ok(answer.inputTokens > 0);
  const [sent, ...others] = model.requests;
  assert.deepEqual(others, [], 'one request, and none for a title');
  assert.ok(sent && !isConversation(sent), 'no tools');
  assert.ok(requestText(sent).startsWith(system), requestText(sent));
  assert.match(requestText(sent), /The turns\./);

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
