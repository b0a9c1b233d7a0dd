import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { splitNotes, withoutNotes } from './note-lines.ts';

const ID = '1ja0p3h7k2m9qx';

describe('note lines', () => {
  const heads: readonly (readonly [string, string, object])[] = [
    ['the plain form', 'Noted (decision): Use pg-boss.', { kind: 'decision', ends: [] }],
    ['a replaced memory', `Noted (decision, ends ${ID}): Use pg-boss.`, { kind: 'decision', ends: [ID] }],
    ['an ended memory', `Noted (ends ${ID}): The test is stable.`, { ends: [ID] }],
    [
      'several ids',
      `Noted (bugfix, ends ${ID} and 1ja0p3h): Fixed.`,
      { kind: 'bugfix', ends: [ID, '1ja0p3h'] },
    ],
    [
      'ids with commas',
      `Noted (bugfix, ends ${ID}, 1ja0p3h): Fixed.`,
      { kind: 'bugfix', ends: [ID, '1ja0p3h'] },
    ],
    [
      'another word for ends',
      `Noted (decision, replaces ${ID}): Use pg-boss.`,
      { kind: 'decision', ends: [ID] },
    ],
    [
      'the words of a note',
      'Noted (bugfix, ends "The test is flaky"): Fixed.',
      { kind: 'bugfix', ends: ['The test is flaky'] },
    ],
    ['only the words of a note', 'Noted (ends “The test is flaky”): Fixed.', { ends: ['The test is flaky'] }],
    ['done', `Noted (done ${ID}): The test is stable.`, { ends: [ID] }],
    ['a bullet', '- Noted (issue): Fix it later.', { kind: 'issue', ends: [] }],
    ['a number', '2. Noted (issue): Fix it later.', { kind: 'issue', ends: [] }],
    ['bold', '**Noted (issue):** Fix it later.', { kind: 'issue', ends: [] }],
    ['bold outside of the colon', '**Noted (issue)**: Fix it later.', { kind: 'issue', ends: [] }],
    ['all italic', '*Noted (issue): Fix it later.*', { kind: 'issue', ends: [] }],
    ['code ticks', '`Noted (issue): Fix it later.`', { kind: 'issue', ends: [] }],
    ['ticks around the id', `Noted (ends \`${ID}\`): Fixed.`, { ends: [ID] }],
    ['a dash instead of the colon', 'Noted (issue) — Fix it later.', { kind: 'issue', ends: [] }],
    ['square brackets', 'Noted [issue]: Fix it later.', { kind: 'issue', ends: [] }],
    ['small letters', 'noted (issue): Fix it later.', { kind: 'issue', ends: [] }],
    ['two words for a kind', 'Noted (dead end): The cache was slower.', { kind: 'dead_end', ends: [] }],
    ['a dash in a kind', 'Noted (dead-end): The cache was slower.', { kind: 'dead_end', ends: [] }],
    ['another word for a kind', 'Noted (rule): Tabs only.', { kind: 'preference', ends: [] }],
    ['a translated word', 'Notiert (preference): Immer Tabs.', { kind: 'preference', ends: [] }],
    ['wide punctuation', 'Noted（preference）：一律使用 pnpm。', { kind: 'preference', ends: [] }],
    ['an id that is none', 'Noted (decision, ends m3): Use it.', { kind: 'decision', ends: [] }],
  ];
  for (const [name, line, wanted] of heads) {
    test(`reads ${name}`, () => {
      const { notes, answer } = splitNotes(`Done.\n\n${line}`);
      assert.equal(answer, 'Done.');
      const [{ text = '', ...head } = {}, ...more] = notes;
      assert.deepEqual(head, wanted);
      assert.equal(more.length, 0);
      assert.doesNotMatch(text, /[*`]$/);
    });
  }

  const nothing: readonly (readonly [string, string])[] = [
    ['prose with the word', 'Noted, I will use tabs from now on.'],
    ['the word with a colon', 'Noted: use tabs.'],
    ['an unknown kind', 'Noted (by the reviewer): the test is slow.'],
    ['no kind and no id', 'Noted (ends soon): the sale.'],
    ['an empty text', 'Noted (decision):   '],
    ['a block quote', '> Noted (decision): Use Redis.'],
    ['a code block', 'Like this:\n\n```\nNoted (decision): Use Redis.\n```'],
    ['a code block that is not closed', '~~~md\nNoted (decision): Use Redis.'],
    ['an indented code block', '    Noted (decision): Use Redis.'],
    ['a line inside a paragraph', 'The README says\nNoted (decision): Use Redis.\nand that is wrong.'],
    ['an example after a colon', 'The form is:\n\nNoted (decision): Use Redis.\n\nOne line per note.'],
    ['code ticks inside the text', 'First.\n\n`Noted (decision): Use Redis.`\n\nThat is the form.'],
    ['the form in the middle of a line', 'End with Noted (decision): and a sentence.'],
  ];
  for (const [name, answer] of nothing) {
    test(`finds nothing in ${name}`, () => assert.deepEqual(splitNotes(answer), { notes: [], answer }));
  }

  test('finds several lines at the end, in order', () => {
    const { notes, answer } = splitNotes(
      'All green.\n\n---\nNoted (decision): One.\nNoted (issue): Two.\n\nNoted (preference): Three.\n',
    );
    assert.deepEqual(
      notes.map(({ text }) => text),
      ['One.', 'Two.', 'Three.'],
    );
    assert.equal(answer, 'All green.');
  });

  test('finds a paragraph of notes before closing words', () => {
    const { notes, answer } = splitNotes('Fixed.\n\nNoted (bugfix): One.\n\nShall I commit?');
    assert.equal(notes.length, 1);
    assert.equal(answer, 'Fixed.\n\nShall I commit?');
  });

  test('adds a quote on the next line to its note', () => {
    const { notes, answer } = splitNotes('Fixed.\n\nNoted (bugfix): One.\n  ("it works now")');
    assert.equal(notes[0]?.text, 'One. ("it works now")');
    assert.equal(answer, 'Fixed.');
  });

  test('never throws, removes only note lines, and finds nothing twice', () => {
    const random = seeded(7);
    const parts = [
      'Noted (decision): Use it. ("yes")',
      'Noted (ends 1ja0p3h7k2m9qx): Over.',
      'Noted',
      '(',
      ')',
      '（',
      '：',
      ':',
      '"',
      '“',
      '```',
      '~~~',
      '> ',
      '- ',
      '**',
      '`',
      '\n',
      '\n\n',
      '    ',
      '---',
      'text',
      '。',
      '\ud83d',
      'ends',
      '1ja0p3h',
      '\u0000',
      '',
    ];
    for (let i = 0; i < 4000; i++) {
      const answer = Array.from({ length: random(14) }, () => parts[random(parts.length)]).join('');
      const { notes, answer: rest } = splitNotes(answer);
      assert.ok(rest.length <= answer.length);
      if (notes.length === 0) assert.equal(rest, answer);
      for (const line of rest.split('\n')) assert.ok(answer.includes(line));
      for (const { kind, ends } of notes) assert.ok(kind !== undefined || ends.length > 0);
    }
  });

  test('is quick with long and hostile answers', () => {
    for (const text of [
      'Noted ('.repeat(50_000),
      `Noted (decision): ${'a "'.repeat(50_000)}`,
      'Noted (x'.repeat(9) + ' '.repeat(90_000),
    ])
      assert.equal(withoutNotes(text), text);
  });
});

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
