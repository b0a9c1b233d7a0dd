import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { MemoryIndex, type IndexedCommit } from '../database/index.ts';
import { filesTouched, searchCommits, shortSha } from './commits.ts';
import { search } from './search.ts';

const NOW = new Date('2026-11-15T12:00:00Z');

test('commits are found by their subject, body and files', (t) => {
  const index = open(t);
  for (const query of ['uploads retry', 'idle minute', 'upload.ts'])
    assert.deepEqual(found(index, query), ['a'], query);
  assert.deepEqual(found(index, 'garden shed'), []);
});

test('the file, time and project filters apply; kinds and sessions have no commits', (t) => {
  const index = open(t);
  assert.deepEqual(found(index, 'file:upload.ts connections'), ['a']);
  assert.deepEqual(found(index, 'file:load.ts connections'), []);
  assert.deepEqual(found(index, 'since:2026-11-05 connections'), ['b']);
  assert.deepEqual(found(index, 'project:q connections'), ['c']);
  assert.deepEqual(found(index, 'kind:decision connections'), []);
  assert.deepEqual(found(index, 'session:x connections'), []);
});

test('the excerpt starts with the sentence that matches best', (t) => {
  const index = open(t);
  const body = `${'The first part is about something else. '.repeat(20)}\nA kettle boils over at noon. It is small.`;
  const [commit] = searchCommits(index, 'idle minute', { now: NOW, project: 'p' });
  assert.equal(commit?.excerpt, 'The server closes idle connections after a minute.');
  index.putCommits([{ ...(commit?.commit as IndexedCommit), sha: 'd', body }]);
  const [long] = searchCommits(index, 'kettle', { now: NOW, project: 'p' });
  assert.equal(long?.excerpt, '… A kettle boils over at noon. It is small.');
});

test('a commit is found by its meaning where the index has vectors', (t) => {
  const index = open(t);
  index.setVectorModel('m');
  const wanted = index.unembedded(10);
  assert.deepEqual(new Set(wanted.map(({ tier }) => tier)), new Set(['git_commit']));
  const vectorOf = (text: string) => new Float32Array(text.startsWith('Retry') ? [1, 0, 0] : [0, 1, 0.5]);
  index.putVectors(
    'm',
    wanted.map(({ text, ...row }) => ({ ...row, vector: vectorOf(text) })),
  );
  assert.equal(index.unembedded(10).length, 0);
  const vector = { model: 'm', vector: new Float32Array([1, 0, 0]) };
  assert.deepEqual(
    searchCommits(index, 'zzz', { now: NOW, project: 'p', vector }).map(({ commit }) => commit.sha),
    ['a'],
  );
});

test('a commit is never among the memories, and a removed one is not found', (t) => {
  const index = open(t);
  assert.deepEqual(search(index, 'connections', { now: NOW, project: 'p' }).considered, []);
  assert.equal(index.removeCommits('p', ['a', 'unknown']), 1);
  assert.deepEqual(found(index, 'connections'), ['b']);
  assert.deepEqual(index.commitShas('p'), ['b']);
});

test('a line of results names a few files and a short hash', () => {
  assert.equal(filesTouched({ files: ['a', 'b', 'c', 'd'], moreFiles: 2 }), 'a, b, c and 3 more files');
  assert.equal(filesTouched({ files: [], moreFiles: 1 }), '1 more file');
  assert.equal(filesTouched({ files: ['a'], moreFiles: 0 }), 'a');
  assert.equal(shortSha({ sha: '0123456789abcdef' }), '0123456789');
});

function found(index: MemoryIndex, query: string): readonly string[] {
  return searchCommits(index, query, { now: NOW, project: 'p' }).map(({ commit }) => commit.sha);
}

function open(t: TestContext): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  const base: IndexedCommit = {
    project: 'p',
    sha: 'a',
    at: '2026-11-01T10:00:00.000Z',
    subject: 'Retry uploads',
    body: 'The server closes idle connections after a minute.',
    files: ['src/upload.ts'],
    moreFiles: 0,
  };
  index.putCommits([
    base,
    {
      ...base,
      sha: 'b',
      at: '2026-11-10T10:00:00.000Z',
      subject: 'Pool them',
      body: 'Connections are few.',
      files: [],
    },
    { ...base, project: 'q', sha: 'c' },
  ]);
  return index;
}
