/** Fuzz targets: replies of a model and the notes of an agent. Nothing they yield is over the limits of a memory. */
import assert from 'node:assert/strict';
import { MEMORY_KINDS, splitNotes, SUMMARY_FIELDS } from '../../../src/core/index.ts';
import { parseNotes } from '../../../src/distill/notes/parse-notes.ts';
import {
  parseOperations,
  parseSummary,
  type ReplyOperation,
} from '../../../src/distill/reply/parse-reply.ts';
import type { Random } from '../random.ts';
import type { Target } from './engine.ts';
import { mutated, mutatedJson, scramble } from './mutate.ts';

/** The limits of a memory from a model; `src/distill/reply/_tidy-draft.ts` cuts to them. */
const LIMITS = {
  operations: 12,
  title: 140,
  text: 2000,
  quote: 400,
  item: 300,
  items: 10,
  concept: 60,
  concepts: 8,
};

const FULL = {
  operations: [
    {
      op: 'add',
      kind: 'decision',
      title: 'Refresh tokens rotate on every use',
      body: 'A stolen token dies at first reuse.',
      reason: 'Theft must be noticed',
      facts: ['seven days', 'one per device'],
      concepts: ['auth', 'token theft'],
      files: ['src/auth.ts'],
      quote: 'rotate them on every use',
    },
    { op: 'revise', id: 'm1', title: 'Another title', body: 'b', kind: '' },
    { op: 'resolve', id: 'm2', quote: 'it works now' },
    { op: 'supersede', id: 'm3', ends: ['m4', 'm5'] },
  ],
};
const SUMMARY = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, `what was ${field}`]));
const XML = FULL.operations
  .map((operation) => {
    const items = Object.entries(operation).map(([name, value]) =>
      Array.isArray(value)
        ? `<${name}>${value.map((item) => `<${name.replace(/s$/, '')}>${item}</${name.replace(/s$/, '')}>`).join('')}</${name}>`
        : `<${name}>${value}</${name}>`,
    );
    return `<operation>\n${items.join('\n')}\n</operation>`;
  })
  .join('\n');
const SUMMARY_XML = `<summary>${SUMMARY_FIELDS.map((field) => `<${field}>x &amp; y</${field}>`).join('\n')}</summary>`;

/** A reply is refused or yields operations within the limits. */
export const reply: Target = {
  name: 'model reply',
  weight: 20,
  make: (random) => {
    switch (random.below(5)) {
      case 0:
        return mutated(random, XML, [SUMMARY_XML, JSON.stringify(FULL)]);
      case 1:
        return mutated(random, SUMMARY_XML, [XML]);
      case 2:
        return `Here:\n\`\`\`json\n${json(random)}\n\`\`\`\n${scramble(random, 4)}`;
      case 3:
        return mutated(random, json(random), [XML]);
      default:
        return random.below(4) === 0 ? mutatedJson(random, SUMMARY) : json(random);
    }
  },
  check: (input) => {
    const parsed = parseOperations(input);
    if (parsed.valid) assertWithinLimits(parsed.value);
    else assert.ok(parsed.reason.length <= 250);
    const summary = parseSummary(input);
    if (!summary.valid) return;
    assert.deepEqual(Object.keys(summary.value), [...SUMMARY_FIELDS]);
    for (const text of Object.values(summary.value)) assertText(text, LIMITS.text);
  },
};

function json(random: Random): string {
  return mutatedJson(random, FULL, (own, text) => mutated(own, text));
}

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
    assertWithinLimits(operations, Infinity);
    assert.ok(answer.length <= input.length, 'an answer without its notes is not longer');
    const own = new Set(input.split('\n').map((line) => line.trim()));
    for (const line of answer.split('\n'))
      assert.ok(line === '' || own.has(line.trim()), 'a line that the agent did not write');
    assert.equal(splitNotes(input).answer, answer);
  },
};

function assertWithinLimits(operations: readonly ReplyOperation[], most = LIMITS.operations): void {
  assert.ok(operations.length <= most, `${operations.length} operations`);
  for (const { draft, quote, ends, op } of operations) {
    assertText(quote, LIMITS.quote);
    assert.ok(ends.length <= LIMITS.items);
    if (!draft) {
      assert.ok(op === 'resolve' || op === 'supersede');
      continue;
    }
    if (draft.kind !== undefined) assert.ok(MEMORY_KINDS.includes(draft.kind));
    assertText(draft.title, LIMITS.title);
    assert.doesNotMatch(draft.title, /[\n\r\t]/, 'a title is one line');
    assertText(draft.body, LIMITS.text);
    assertText(draft.reason ?? '', LIMITS.text);
    assert.ok(draft.facts.length <= LIMITS.items && draft.files.length <= LIMITS.items);
    assert.ok(draft.concepts.length <= LIMITS.concepts);
    for (const item of [...draft.facts, ...draft.files]) assertText(item, LIMITS.item);
    for (const concept of draft.concepts) assertText(concept, LIMITS.concept);
    if (op === 'add') assert.ok(draft.kind !== undefined, 'an addition has a kind');
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
