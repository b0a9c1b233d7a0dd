import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseNotes } from './parse-notes.ts';

const ID = '1ja0p3h7k2m9qx';

function only(line: string) {
  const { operations } = parseNotes(`Done.\n\n${line}`);
  assert.equal(operations.length, 1);
  const [operation] = operations;
  assert.ok(operation);
  return operation;
}

function added(line: string) {
  const operation = only(line);
  assert.ok(operation.op === 'add');
  return operation;
}

describe('notes of the agent', () => {
  const forms: readonly (readonly [string, string, string])[] = [
    ['brackets', '("yeah let\'s go with pg-boss")', "yeah let's go with pg-boss"],
    ['curly quotation marks', '(“yeah, pg-boss”)', 'yeah, pg-boss'],
    ['German quotation marks', '(„ja, pg-boss“)', 'ja, pg-boss'],
    ['wide brackets', '（「就用 pg-boss」）', '就用 pg-boss'],
    ['the speaker', '(user: "yeah, pg-boss")', 'yeah, pg-boss'],
    ['a dash', '— "yeah, pg-boss"', 'yeah, pg-boss'],
    ['nothing around it', '"yeah, pg-boss"', 'yeah, pg-boss'],
    ['a bracket inside', '("yeah (I think) pg-boss")', 'yeah (I think) pg-boss'],
  ];
  for (const [name, tail, quote] of forms) {
    test(`reads a quote with ${name}`, () => {
      const { draft, quote: found } = added(`Noted (decision): Use pg-boss for the job queue. ${tail}`);
      assert.equal(found, quote);
      assert.equal(draft.title, 'Use pg-boss for the job queue');
    });
  }

  test('keeps a quoted word that is part of the sentence', () => {
    const { draft, quote } = added('Noted (preference): The button says "Save"');
    assert.equal(draft.title, 'The button says "Save"');
    assert.equal(quote, '');
  });

  test('takes the reason from "because" and the body from a second sentence', () => {
    const { draft } = added(
      'Noted (decision): Use pg-boss for the job queue, because it needs no Redis. Workers stay in the API process.',
    );
    assert.equal(draft.title, 'Use pg-boss for the job queue');
    assert.equal(draft.reason, 'it needs no Redis');
    assert.equal(draft.body, 'Workers stay in the API process.');
  });

  test('keeps the cause in the title of an issue', () => {
    const { draft } = added(
      'Noted (issue): Ingest is slow because deliveries has no index on next_at. ("no index")',
    );
    assert.equal(draft.title, 'Ingest is slow because deliveries has no index on next_at');
    assert.equal(draft.reason, undefined);
  });

  test('cuts a long title at a whole phrase, and keeps no body that repeats the title', () => {
    const long = `The pool holds 20 connections ${'for each worker of a region '.repeat(4)}because the database`;
    assert.match(added(`Noted (discovery): ${long}`).draft.title, /worker…$/);
    assert.equal(added('Noted (discovery): The pool holds 20. The pool holds 20.').draft.body, '');
  });

  test('does not cut a title at a version or a file name', () => {
    const { draft } = added(
      'Noted (discovery): Node 22.13 is the first with node:sqlite in src/db.ts enabled. ("22.13")',
    );
    assert.equal(draft.title, 'Node 22.13 is the first with node:sqlite in src/db.ts enabled');
  });

  test('ends the named memory, and adds nothing without a kind', () => {
    const operation = only(
      `Noted (ends ${ID}): The waitlist test is no longer flaky. ("ran it 50 times, all green")`,
    );
    assert.deepEqual(operation, {
      op: 'end',
      id: ID,
      quote: 'ran it 50 times, all green',
    });
  });

  test('names the memories that a new one ends', () => {
    const operation = added(
      `Noted (decision, ends ${ID}): Sessions are stored in Memcached. ("Memcached instead")`,
    );
    assert.deepEqual(operation.ends, [ID]);
    assert.equal(operation.draft.kind, 'decision');
  });

  test('an answer without notes stays as it is', () => {
    const answer = 'Noted, I will use tabs.\n';
    assert.deepEqual(parseNotes(answer), { operations: [], answer });
  });
});
