import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesIn, withIds } from './_notes.ts';
import { projectNamed, recordingOf } from './_projects.ts';
import { referenceStore } from './_reference.ts';
import { score, total } from './_score.ts';

test('the reference store remembers what the notes of the first four projects say', () => {
  const scores = ['p-1', 'p-2', 'p-3', 'p-4'].map((name) =>
    score(projectNamed(name), referenceStore(recordingOf(name, 'recorded'))),
  );
  assert.deepEqual(total(scores), {
    'in force, remembered': { count: 28, of: 30 },
    'open right': { count: 4, of: 4 },
    'ended, still live': { count: 0, of: 10 },
    noise: { count: 4, of: 35 },
    'kind right': { count: 27, of: 31 },
    'title carries the point': { count: 30, of: 31 },
  });
});

test('the ids of a note become those of another run, its words and triggers stay', () => {
  const answer = 'Done.\nNoted (preference, ends 644beex, "no push", before "git push"): Ask first.';
  const [note] = notesIn(answer);
  assert.deepEqual(note?.targets, [{ id: '644beex' }, { words: 'no push' }]);
  assert.equal(
    withIds(answer, (id) => `new-${id}`),
    answer.replace('644beex', 'new-644beex'),
  );
});
