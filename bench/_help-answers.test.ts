import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { known, leave, record, recordedIn, type Asked } from './_help-answers.ts';

const asked = (hash: string): Asked => ({
  hash,
  project: 't-01',
  task: { id: 'a', prompt: 'p', needs: [], must: [['x']] },
  condition: 'none',
  kind: 'control',
  tokens: 0,
  request: { system: 's', prompt: 'p', session: 't-01' },
});

test('an answer in the folder comes before a recorded one, and both are recorded in one file', (t) => {
  const folder = temporary(t);
  record(join(folder, 'answers.json'), 'c1', [
    { ...asked('one'), answer: 'first' },
    { ...asked('two'), answer: 'second' },
  ]);
  leave(folder, [asked('two'), asked('three')]);
  writeFileSync(join(folder, 'two.reply.txt'), 'newer\n');
  const recorded = recordedIn(folder);
  assert.equal(recorded.commit, 'c1');
  const answers = known([asked('one'), asked('two'), asked('three')], recorded, folder);
  assert.deepEqual(
    answers.map(({ hash, answer }) => [hash, answer]),
    [
      ['one', 'first'],
      ['two', 'newer'],
    ],
  );
});

test('a request waits in the folder under its hash', (t) => {
  const folder = temporary(t);
  leave(folder, [asked('one')]);
  assert.deepEqual(readdirSync(folder), ['one.request.json']);
  assert.deepEqual(known([asked('one')], recordedIn(folder), folder), []);
});

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'help-answers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
