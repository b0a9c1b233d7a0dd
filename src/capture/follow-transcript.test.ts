import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SyntheticTranscript, uuid } from '../../test/support/synthetic-transcript.ts';
import { placesIn } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import { captureTranscript } from './follow-transcript.ts';
import { openStores } from './open-stores.ts';
import { notePrompt } from './without-transcript.ts';

const ANSWER = 'We use pnpm because npm is slow here.';

test('a Stop before its turn is written stores nothing, and reads the file once when it is', async (t) => {
  const { stores, transcript, request } = await open(t);
  const [prompt = '', ...rest] = transcript.lines({ prompt: 'which package manager?', answer: ANSWER });
  appendFileSync(transcript.path, `${prompt}\n`);
  const early = await captureTranscript(stores, localDistiller, request);
  assert.equal(early.tooEarly, true);
  assert.deepEqual(stores.index.turnsIn(transcript.session), []);
  assert.equal(stores.index.transcript(transcript.path), undefined);

  appendFileSync(transcript.path, `${rest.join('\n')}\n`);
  const opened = t.mock.method(fs, 'open');
  syncBuiltinESMExports();
  const written = await captureTranscript(stores, localDistiller, request);
  assert.equal(written.tooEarly, undefined);
  assert.equal(written.turns, 1);
  opened.mock.restore();
  syncBuiltinESMExports();
  const reads = opened.mock.calls.filter(({ arguments: [path] }) => path === transcript.path);
  assert.equal(reads.length, 1);
});

test('a Stop that names no prompt waits for a new turn, not for the one before it', async (t) => {
  const { stores, transcript, request } = await open(t);
  const { promptId: _, lastAnswer: __, ...unnamed } = { ...request, onlyIfWritten: {} };
  appendFileSync(transcript.path, `${transcript.lines({ prompt: 'which?', answer: ANSWER }).join('\n')}\n`);
  assert.equal((await captureTranscript(stores, localDistiller, unnamed)).turns, 1);
  assert.equal((await captureTranscript(stores, localDistiller, unnamed)).tooEarly, true);
  assert.equal(
    (await captureTranscript(stores, localDistiller, { ...unnamed, lastAnswer: ANSWER })).tooEarly,
    true,
  );
  const note = (at: string): Promise<void> =>
    notePrompt(stores, {
      id: at,
      at,
      agent: 'copilot',
      input: { session_id: transcript.session, hook_event_name: 'UserPromptSubmit', prompt: 'which?' },
    });
  await note('2000-01-01T00:00:00.000Z');
  const late = await captureTranscript(stores, localDistiller, unnamed);
  assert.equal(late.tooEarly, undefined, 'it is the turn of the last prompt, read by an earlier event');
  await note('2029-01-01T00:00:00.000Z');
  assert.equal((await captureTranscript(stores, localDistiller, unnamed)).tooEarly, true);
  appendFileSync(
    transcript.path,
    `${transcript.lines({ prompt: 'and why?', answer: 'Speed.' }).join('\n')}\n`,
  );
  assert.equal((await captureTranscript(stores, localDistiller, unnamed)).turns, 1);
});

test('without the wait, the answer of the Stop completes the turn', async (t) => {
  const { stores, transcript, request } = await open(t);
  const [prompt = ''] = transcript.lines({ prompt: 'which package manager?', answer: ANSWER });
  appendFileSync(transcript.path, `${prompt}\n`);
  const { onlyIfWritten: _, ...atOnce } = request;
  const captured = await captureTranscript(stores, localDistiller, atOnce);
  assert.equal(captured.turns, 1);
  const location = stores.index.turn(transcript.turnId(0))?.location;
  assert.ok(location);
  assert.equal((await stores.turns.get(location))?.answer, ANSWER);
});

async function open(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'follow-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(() => stores.index.close());
  const transcript = new SyntheticTranscript({ config: home, cwd: '/projects/app', session: uuid('follow') });
  const { path, session } = transcript;
  const request = {
    agent: 'claude-code' as const,
    path,
    session,
    project: 'sample',
    stoppedAt: '2030-01-01T00:00:00.000Z',
    lastAnswer: ANSWER,
    promptId: uuid(session, 'prompt-id', 0),
    onlyIfWritten: { promptId: uuid(session, 'prompt-id', 0) },
  };
  return { stores, transcript, request };
}
