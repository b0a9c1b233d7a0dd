/** Fuzz target: the notes of an agent. Nothing they yield is over the limits of a memory. */
import assert from 'node:assert/strict';
import { MEMORY_KINDS, splitNotes } from '../../../src/core/index.ts';
import { parseNotes, type ParsedNotes } from '../../../src/distill/notes/parse-notes.ts';
import type { Target } from './engine.ts';
import { mutated } from './mutate.ts';

/** The limits of a note; `src/distill/notes/parse-notes.ts` cuts to them. */
const LIMITS = { title: 140, text: 2000, quote: 400, ends: 10 };

const ANSWERS: readonly [string, ...string[]] = [
  'Done.\n\nNoted (decision): Refresh tokens rotate on every use, because theft must be noticed ("rotate them").',
  'It works.\n\nNoted (bugfix, ends 1ja0p3h7k2m9qx): The pool leaked. It now closes idle clients. — "it leaks"\nNoted (issue): Docs are thin',
  'See:\n```\nNoted (decision): not this one\n```\nNoted (ends "Use the old queue"): done\n---\n',
  '**Noted (dead end):** Polling the API does not scale. “too slow”\n(“we tried that”)\n\nAnd more text.',
  'Noted (pattern): 日本語のテキスト。もう一つの文。("引用")',
];

/** The notes of an answer are within the limits; the rest of the answer contains only its own lines. */
export const notes: Target = {
  name: 'note lines',
  weight: 8,
  make: (random) => mutated(random, random.pick(ANSWERS), ANSWERS),
  check: (input) => {
    const { operations, answer } = parseNotes(input);
    assertWithinLimits(operations);
    assert.ok(answer.length <= input.length, 'an answer without its notes is not longer');
    const own = new Set(input.split('\n').map((line) => line.trim()));
    for (const line of answer.split('\n'))
      assert.ok(line === '' || own.has(line.trim()), 'a line that the agent did not write');
    assert.equal(splitNotes(input).answer, answer);
  },
};

function assertWithinLimits(operations: ParsedNotes['operations']): void {
  for (const operation of operations) {
    assertText(operation.quote, LIMITS.quote);
    if (operation.op === 'end') continue;
    const { draft, ends } = operation;
    assert.ok(ends.length <= LIMITS.ends);
    assert.ok(MEMORY_KINDS.includes(draft.kind));
    assertText(draft.title, LIMITS.title);
    assert.doesNotMatch(draft.title, /[\n\r\t]/, 'a title is one line');
    assertText(draft.body, LIMITS.text);
    assertText(draft.reason ?? '', LIMITS.text);
  }
}

function assertText(text: string, most: number): void {
  assert.ok(text.length <= most, `${text.length} of ${most} characters`);
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(
    text,
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/,
    'no control characters',
  );
}
