/** Hooks that name their agent, and questions at tool calls. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { answerWith, input, World, type Ran } from './_world.ts';

test('a named agent is part of the request, and nothing of the environment is', async (t) => {
  const world = await World.open(t);
  await world.serve();
  await hookOf(world, 'Stop', 'codex', '{}', { CLAUDE_PID: '1', CLAUDE_CODE_SESSION_ATTENDED: '0' });
  const [received] = world.received;
  assert.equal(received?.url, '/v1/hook/Stop/codex');
  assert.doesNotMatch(received.body.toString(), /project-dir|pid:|unattended/);
});

test('an event with an invalid name of an agent is not sent, and leaves a row for doctor', async (t) => {
  const world = await World.open(t);
  await world.serve();
  for (const name of ['../x y', 'Claude Code']) printed(await hookOf(world, 'Stop', name, '{}'), '');
  assert.deepEqual(world.received, []);
  assert.deepEqual(
    world.log().map(({ outcome, reason }) => [outcome, reason]),
    [
      ['failed', 'invalid agent name'],
      ['failed', 'invalid agent name'],
    ],
  );
});

test('without the daemon an event of an unknown agent is ignored', async (t) => {
  const world = await World.open(t);
  printed(await hookOf(world, 'Stop', 'nobody', input('Stop')), '');
  assert.deepEqual(world.kept(), []);
  assert.match(JSON.stringify(world.log()), /does not know/);
});

test('a question at a tool call gets an answer, and without the daemon none', async (t) => {
  const world = await World.open(t);
  printed(await hookOf(world, 'PostToolUse', 'qwen', '{}'), '');
  assert.deepEqual([world.kept(), world.log()], [[], []]);
  await world.serve(answerWith('{"additionalContext":"x"}'));
  printed(await hookOf(world, 'PostToolUse', 'qwen', '{}'), '{"additionalContext":"x"}\n');
});

function printed(ran: Ran, stdout: string): void {
  assert.deepEqual([ran.code, ran.stdout], [0, stdout]);
}

function hookOf(
  world: World,
  event: string,
  agent: string,
  body: string,
  env: Readonly<Record<string, string>> = {},
) {
  return world.run('sh', [join(world.plugin, 'hooks', 'hook.sh'), event, agent], body, env);
}
