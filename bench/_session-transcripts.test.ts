import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { claudeCode } from '../src/agents/claude-code/index.ts';
import type { LabelledProject } from './labelled-sessions.ts';
import { writeTranscripts } from './_session-transcripts.ts';

const PROJECT: LabelledProject = {
  name: 'x-01',
  labels: [],
  end: { never: [] },
  sessions: [
    {
      id: 's1',
      at: '2026-03-02T09:10:00Z',
      branch: 'feat/queue',
      turns: [
        {
          user: 'run the tests',
          tools: [
            { name: 'Bash', input: { command: 'npm test' }, output: 'Tests  1 failed | 3 passed' },
            {
              name: 'Edit',
              input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' },
              output: 'ok',
            },
          ],
          assistant: 'One test failed.',
        },
        { user: '/compact', assistant: '' },
        { user: '[Request interrupted by user]', assistant: '' },
        { user: 'thanks', assistant: 'You are welcome.' },
      ],
    },
  ],
};

test('a labelled session is read back as its turns, with tools, branch and times', async (t) => {
  const { turns, file } = await written(t, '/home/dev/x-01');
  assert.deepEqual(
    turns.map(({ prompt, answer }) => [prompt, answer]),
    [
      ['run the tests', 'One test failed.'],
      ['thanks', 'You are welcome.'],
    ],
  );
  const [bash, edit] = turns[0]?.tools ?? [];
  assert.equal(bash?.status, 'error');
  assert.equal(edit?.target, '/home/dev/x-01/src/a.ts');
  assert.match(file, /"gitBranch":"feat\/queue"/);
  assert.match(file, /"timestamp":"2026-03-02T09:10:00/);
});

test('the ids of turns do not depend on the folder, so that model requests stay the same', async (t) => {
  const one = await written(t, '/home/dev/x-01');
  const other = await written(t, '/srv/x-01');
  assert.deepEqual(
    one.turns.map(({ id }) => id),
    other.turns.map(({ id }) => id),
  );
  assert.deepEqual([...one.names], [...other.names]);
  assert.deepEqual(
    one.turns.map(({ id }) => one.names.get(id)),
    ['s1.1', 's1.4'],
  );
});

async function written(t: TestContext, cwd: string) {
  const config = mkdtempSync(join(tmpdir(), 'bt-'));
  t.after(() => rmSync(config, { recursive: true, force: true }));
  const { turns: names } = writeTranscripts(PROJECT, { config, cwd });
  const folder = join(config, 'projects');
  const [path = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.jsonl'),
  );
  const turns = [];
  for await (const { turn } of claudeCode.reader.readTurns(join(folder, path)))
    if (turn.answer !== '') turns.push(turn);
  return { turns, names, file: readFileSync(join(folder, path), 'utf8') };
}
