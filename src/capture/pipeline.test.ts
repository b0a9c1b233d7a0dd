import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SyntheticTranscript, uuid } from '../../test/support/synthetic-transcript.ts';
import { placesIn, type SpooledEvent } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import { openStores } from './open-stores.ts';
import { Pauses } from './pauses.ts';
import { Pipeline } from './pipeline.ts';
import { EVERYWHERE } from './projects/projects.ts';

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

async function open(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'pipeline-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(() => stores.index.close());
  const pauses = new Pauses();
  const scope = EVERYWHERE;
  const pipeline = new Pipeline({ stores, distiller: localDistiller, pauses, scope, onCaptured: () => {} });
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
  return { pipeline, stores, subagent, stop };
}
