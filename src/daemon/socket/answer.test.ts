import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Question } from '../../capture/index.ts';
import type { Read } from '../../recall/index.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { answerQuestion } from './_answer.ts';

const PROMPT: Question = {
  name: 'UserPromptSubmit',
  session: 's',
  projectDir: '/home/ada/engine',
  prompt: 'why does the job queue use pg-boss',
  already: [],
  since: '',
};
const FIRST: Answer = {
  output: 'by the gate alone',
  where: 'prompt',
  project: 'engine',
  memories: [],
  considered: 2,
  captured: true,
  toRead: [{ id: 'm', prompt: 'which queue?', text: 'decision: Use pg-boss' }],
};
const { toRead, ...USED } = FIRST;
const SECOND = { ...USED, output: 'with what was read' };
const VECTOR = { model: 'm', vector: new Float32Array(1) };
const LONG_MS = 60_000;

test('memories that the gate is not sure about are read, and the answer is decided again', async () => {
  const stage = stageOf({ read: new Map([['m', 2]]) });
  assert.deepEqual(await answerQuestion(PROMPT, LONG_MS, stage), SECOND);
  assert.deepEqual(stage.readings, [[toRead, 100]]);
  assert.deepEqual(stage.asked, [
    { ...PROMPT, vector: VECTOR },
    { ...PROMPT, vector: VECTOR, read: new Map([['m', 2]]) },
  ]);
});

test('if nothing was read in time, the gate decides', async () => {
  const stage = stageOf({ read: new Map() });
  assert.deepEqual(await answerQuestion(PROMPT, LONG_MS, stage), USED);
  assert.equal(stage.asked.length, 1);
});

test('if the second answer fails or is late, the first one is used', async () => {
  const stage = stageOf({ read: new Map([['m', 2]]), fails: true });
  assert.deepEqual(await answerQuestion(PROMPT, LONG_MS, stage), USED);
});

test('no answer is asked for without a limit, however late it is', async () => {
  const late = stageOf({ read: new Map([['m', 2]]) });
  assert.deepEqual(await answerQuestion(PROMPT, -1, late), USED, 'there is no time for a second answer');
  assert.deepEqual(late.limits, [1]);
});

test('reading gets no time that the second answer needs', async () => {
  const stage = stageOf({ read: new Map() });
  await answerQuestion(PROMPT, 30, stage);
  const [[, withinMs] = []] = stage.readings;
  assert.ok(typeof withinMs === 'number' && withinMs <= 30);
});

test('a sure answer, and that of another event, needs no reading', async () => {
  const sure = stageOf({ read: new Map([['m', 2]]), first: USED });
  assert.deepEqual(await answerQuestion(PROMPT, LONG_MS, sure), USED);
  assert.deepEqual(sure.readings, []);
  const start = stageOf({ read: new Map(), first: USED });
  await answerQuestion({ ...PROMPT, name: 'SessionStart' }, LONG_MS, start);
  assert.deepEqual(start.asked, [{ ...PROMPT, name: 'SessionStart' }], 'without a vector');
});

function stageOf({
  read,
  first = FIRST,
  fails = false,
}: {
  readonly read: Read;
  readonly first?: Answer;
  readonly fails?: boolean;
}) {
  const asked: unknown[] = [];
  const limits: unknown[] = [];
  const readings: unknown[][] = [];
  const answer = async (_name: string, question: Question, limitMs?: number): Promise<Answer> => {
    asked.push(question);
    limits.push(limitMs);
    if (question.read === undefined) return first;
    if (fails) throw new Error('too late');
    return SECOND;
  };
  return {
    asked,
    limits,
    readings,
    workers: { read: answer as WorkerPool['read'] }, // only this call is made
    embedder: { ask: async () => VECTOR },
    small: {
      read: async (...args: readonly unknown[]): Promise<Read> => {
        readings.push([...args]);
        return read;
      },
    },
  };
}
