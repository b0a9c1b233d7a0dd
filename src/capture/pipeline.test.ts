import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SyntheticTranscript, uuid } from '../../test/support/synthetic-transcript.ts';
import { placesIn, type HookName, type SpooledEvent } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import { openStores } from './open-stores.ts';
import { Pauses } from './pauses.ts';
import { Pipeline } from './pipeline.ts';
import { EVERYWHERE } from './projects/projects.ts';

const FIXTURES = join(import.meta.dirname, '../../test/fixtures/agents/copilot');

test('a subagent that stops twice with the same answer is read after its second turn is written', async (t) => {
  const { pipeline, stores, subagent, stop } = await open(t);
  const first = subagent.lines({ prompt: 'run the tests', answer: 'Done.' });
  const second = subagent.lines({ prompt: 'run them again', answer: 'Done.' });

  appendFileSync(subagent.path, `${first.join('\n')}\n`);
  assert.equal(await pipeline.process(stop(0), false), 'done');
  assert.equal(await pipeline.process(stop(1), false), 'too-early');
  appendFileSync(subagent.path, `${second.join('\n')}\n`);
  assert.equal(await pipeline.process(stop(1), false), 'done');
  assert.ok(stores.index.hasTurn(subagent.turnId(1)));
});

test('a session whose hooks do not name its transcript is read all the same', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'pipeline-'));
  const { pipeline, stores, cwd } = await open(t, { COPILOT_HOME: home });
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const session = 'ee826581-4d77-49b4-b458-97279ab8ab7a';
  const folder = join(home, 'session-state', session);
  mkdirSync(folder, { recursive: true });
  cpSync(join(FIXTURES, 'interrupted.jsonl'), join(folder, 'events.jsonl'));
  const event = (hook_event_name: HookName, more = {}): SpooledEvent => ({
    id: hook_event_name,
    at: '2026-11-17T02:40:00.000Z',
    agent: 'copilot',
    input: { session_id: session, hook_event_name, cwd, ...more },
  });
  await pipeline.process(event('SessionStart', { source: 'startup' }), false);
  await pipeline.process(event('UserPromptSubmit', { prompt: 'Please interrupt me here' }), false);
  await pipeline.process(event('SessionEnd', { reason: 'user_exit' }), false);
  assert.deepEqual(
    stores.index.turnsIn(session).map(({ id, outcome }) => [id.slice(0, 8), outcome]),
    [
      ['3142aae5', 'interrupted'],
      ['58984bad', 'answered'],
    ],
  );
});

async function open(t: TestContext, env: NodeJS.ProcessEnv = {}) {
  const home = mkdtempSync(join(tmpdir(), 'pipeline-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(() => stores.index.close());
  const pauses = new Pauses();
  const scope = EVERYWHERE;
  const onCaptured = (): void => {};
  const pipeline = new Pipeline({ stores, distiller: localDistiller, pauses, scope, env, onCaptured });
  const session = uuid('main');
  const start = '2025-01-01T00:00:00.000Z';
  const subagent = new SyntheticTranscript({ config: home, cwd, session: uuid('subagent'), start });
  const stop = (n: number): SpooledEvent => ({
    id: `stop-${n}`,
    at: new Date().toISOString(),
    agent: 'claude-code',
    projectDir: cwd,
    input: {
      session_id: session,
      hook_event_name: 'SubagentStop',
      cwd,
      transcript_path: join(dirname(subagent.path), `${session}.jsonl`),
      agent_type: 'general-purpose',
      agent_transcript_path: subagent.path,
      last_assistant_message: 'Done.',
      prompt_id: uuid(subagent.session, 'prompt-id', n),
    },
  });
  return { pipeline, stores, subagent, stop, cwd };
}
