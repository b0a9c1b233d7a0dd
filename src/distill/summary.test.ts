import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bash, call, edit, sampleTurn } from '../../test/support/sample-turn.ts';
import { SUMMARY_FIELDS } from '../core/index.ts';
import { sessionTitle, summarizeTurns } from './summary.ts';

const ROOT = '/home/ada/engine';

const turns = [
  sampleTurn({ prompt: 'hi', answer: 'Hello!' }),
  sampleTurn({
    prompt:
      'Uploads fail when the network drops, please make them try again. Always use pnpm. We decided to give up after three tries because users wait.',
    answer: 'Done. I added a retry with backoff to the upload client.',
    tools: [
      call({ read: [`${ROOT}/src/upload.ts`] }),
      call({ name: 'Grep', target: 'fetch(' }),
      call({ name: 'WebFetch', target: 'https://example.org/backoff' }),
      edit(`${ROOT}/src/upload.ts`),
      bash('pnpm test', 'error'),
    ],
  }),
  sampleTurn({
    prompt: 'and then?',
    answer: 'I ran everything once more to be sure. Still open: the e2e suite fails on Node 20.',
    outcome: 'interrupted',
  }),
];

describe('summarizeTurns', () => {
  it('fills the eight fields from what happened', () => {
    assert.deepEqual(summarizeTurns(turns), {
      request:
        'Uploads fail when the network drops, please make them try again. Always use pnpm. We decided to give up after three tries because users wait.',
      investigated: 'read 1 file; searched for fetch(; fetched https://example.org/backoff',
      learned: 'Give up after three tries',
      completed: 'Added a retry with backoff to the upload client',
      next_steps: 'The e2e suite fails on Node 20',
      files_read: 'src/upload.ts',
      files_edited: 'src/upload.ts',
      notes: 'Always use pnpm; the last turn was interrupted; `pnpm test` was failing at the end',
    });
  });

  it('has every field, on one line, for no turns and for odd ones', () => {
    const odd = sampleTurn({ prompt: 'a\n\nb\r\nc '.repeat(200), answer: '\u0000\n'.repeat(50) });
    for (const summary of [summarizeTurns([]), summarizeTurns([odd])]) {
      assert.deepEqual(Object.keys(summary), [...SUMMARY_FIELDS]);
      for (const value of Object.values(summary)) assert.doesNotMatch(value, /\n/);
      assert.ok(summary.request.length <= 200);
    }
  });

  it('takes no request from a prompt no person wrote', () => {
    assert.equal(
      summarizeTurns([sampleTurn({ origin: 'task', prompt: 'a task has reported its result' })]).request,
      '',
    );
  });
});

describe('sessionTitle', () => {
  it('names the work, else the decision, else the request', () => {
    assert.equal(sessionTitle(turns), 'Added a retry with backoff to the upload client');
    assert.equal(
      sessionTitle([
        sampleTurn({ prompt: "ok, let's go with one sessions.db per project", answer: 'Good.' }),
      ]),
      'Use one sessions.db per project',
    );
    assert.equal(
      sessionTitle([sampleTurn({ prompt: 'why is the build so slow today?' })]),
      'Why is the build so slow today?',
    );
    assert.equal(sessionTitle([sampleTurn({ prompt: 'go on' })]), 'go on');
    assert.equal(sessionTitle([]), 'Session without a prompt');
  });

  it('ends with a whole phrase', () => {
    const prompt = 'why does the nightly export of all invoices take so much longer than the import of them?';
    assert.equal(
      sessionTitle([sampleTurn({ prompt })]),
      'Why does the nightly export of all invoices take so much longer…',
    );
  });
});
