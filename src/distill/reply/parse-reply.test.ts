import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MEMORY_KINDS, SUMMARY_FIELDS } from '../../core/index.ts';
import { parseOperations, parseSummary, MAX_REPLY, type ReplyOperation } from './parse-reply.ts';

const MEMORY = {
  op: 'add',
  kind: 'decision',
  title: 'Refresh tokens rotate on every use',
  body: 'A stolen token dies at first reuse.',
  reason: 'Theft must be noticed',
  facts: ['seven days'],
  concepts: ['auth'],
  files: ['src/auth.ts'],
  quote: 'rotate them on every use',
};
const SUMMARY_XML = `<summary>
  <request>Add JWT</request><investigated>middleware</investigated><learned></learned>
  <completed>refresh flow</completed><next_steps/>
  <files_read></files_read>
  <files_edited><file>src/auth.ts</file><file>src/routes.ts</file></files_edited>
  <notes>secret in .env</notes>
</summary>`;

describe('JSON', () => {
  test('a reply that fits the schema is valid, alone or in a fence with prose around', () => {
    const json = JSON.stringify({ operations: [MEMORY] });
    for (const reply of [
      json,
      `\`\`\`json\n${json}\n\`\`\``,
      `Here you are:\n\`\`\`\n${json}\n\`\`\`\nDone.`,
    ]) {
      const parsed = parseOperations(reply);
      assert.ok(parsed.valid, reply);
      assert.equal(parsed.value[0]?.draft?.title, MEMORY.title);
      assert.equal(parsed.value[0]?.draft?.reason, MEMORY.reason);
      assert.equal(parsed.value[0]?.quote, MEMORY.quote);
    }
  });

  test('no memories at all is a valid answer', () => {
    assert.deepEqual(parseOperations('{"operations":[]}'), { valid: true, value: [] });
  });

  test('a missing field, a wrong type, an unknown kind or half a reply is invalid', () => {
    const { title: _, ...untitled } = MEMORY;
    const wrong = [
      { operations: [untitled] },
      { operations: [{ ...MEMORY, title: ' ' }] },
      { operations: [{ ...MEMORY, facts: 'one' }] },
      { operations: [{ ...MEMORY, kind: 'gossip' }] },
      { operations: [MEMORY, { ...MEMORY, kind: 'DECISION' }] },
      { memory: MEMORY },
      [MEMORY],
    ];
    for (const value of wrong) assert.equal(parseOperations(JSON.stringify(value)).valid, false);
    const whole = JSON.stringify({ operations: [MEMORY] });
    for (let end = 0; end < whole.length; end += 7)
      assert.equal(parseOperations(whole.slice(0, end)).valid, false);
  });

  test('operations on remembered entries need an id only, and a revision may keep the kind', () => {
    const parsed = parseOperations(
      JSON.stringify({
        thinking: 'm1 is fixed',
        operations: [
          { op: 'resolve', id: ' m1 ', quote: 'fixed' },
          { op: 'supersede', id: 'm2', kind: '', title: '' },
          { op: 'revise', id: 'm3', title: 'Tokens live 30 minutes' },
          { ...MEMORY, ends: ['m4', 'm4'] },
        ],
      }),
    );
    assert.deepEqual(
      parsed.valid &&
        parsed.value.map(({ op, id, ends, draft }) => [op, id, ends, draft?.kind, draft?.title]),
      [
        ['resolve', 'm1', [], undefined, undefined],
        ['supersede', 'm2', [], undefined, undefined],
        ['revise', 'm3', [], undefined, 'Tokens live 30 minutes'],
        ['add', '', ['m4'], 'decision', MEMORY.title],
      ],
    );
  });

  test('a body that only repeats the title is dropped', () => {
    const operations = [{ ...MEMORY, body: `${MEMORY.title}.` }];
    const parsed = parseOperations(JSON.stringify({ operations }));
    assert.equal(parsed.valid && parsed.value[0]?.draft?.body, '');
  });

  test('what is long is cut, and more than twelve operations are not kept', () => {
    const long = {
      ...MEMORY,
      title: 't'.repeat(5000),
      facts: Array.from({ length: 99 }, (_, i) => `fact ${i}`),
    };
    const parsed = parseOperations(JSON.stringify({ operations: Array.from({ length: 19 }, () => long) }));
    assert.ok(parsed.valid);
    assert.equal(parsed.value.length, 12);
    assert.ok((parsed.value[0]?.draft?.title.length ?? 0) <= 140);
    assert.equal(parsed.value[0]?.draft?.facts.length, 10);
    assert.equal(parseOperations('x'.repeat(MAX_REPLY + 1)).valid, false);
  });
});

describe('XML', () => {
  test('several blocks, prose and fences around; the title may be missing', () => {
    const parsed = parseOperations(`I looked at it.
\`\`\`xml
<operation>
  <op>add</op><kind>feature</kind>
  <body>Implemented JWT token refresh flow with 7-day expiry. It rotates.</body>
</operation>
\`\`\`
And one more: <operation><kind> bugfix </kind><body>Race in middleware &amp; store, List&lt;Token&gt; shared</body></operation>`);
    assert.ok(parsed.valid);
    assert.deepEqual(
      parsed.value.map(({ op, draft }) => [op, draft?.kind, draft?.title]),
      [
        ['add', 'feature', 'Implemented JWT token refresh flow with 7-day expiry'],
        ['add', 'bugfix', 'Race in middleware & store, List<Token> shared'],
      ],
    );
  });

  test('lists, attributes and text that is no XML', () => {
    const parsed = parseOperations(`<thinking>m2 ends</thinking><operation n="1">
<op>add</op><id></id><ends><id>m2</id><id>m3</id></ends>
<kind>discovery</kind><title>Map<string, T> is shared</title><subtitle>ignored</subtitle>
<body>Use <T> & never \`a < b\`.</body>
<facts><fact>one</fact>
<fact>two</fact></facts><concepts>
- caching
- maps
</concepts>
<files><file>a.ts</file><file>b.ts</file></files></operation>
<operation><op>resolve</op><id>m1</id></operation>`);
    assert.ok(parsed.valid);
    const [first, second] = parsed.value;
    assert.deepEqual([first?.id, first?.ends], ['', ['m2', 'm3']]);
    assert.equal(first?.draft?.title, 'Map<string, T> is shared');
    assert.equal(first?.draft?.body, 'Use <T> & never `a < b`.');
    assert.deepEqual(first?.draft?.facts, ['one', 'two']);
    assert.deepEqual(first?.draft?.concepts, ['caching', 'maps']);
    assert.deepEqual(first?.draft?.files, ['a.ts', 'b.ts']);
    assert.deepEqual([second?.op, second?.id, second?.draft], ['resolve', 'm1', undefined]);
  });

  test('an unknown kind or operation, an empty block, an open block or plain prose is invalid', () => {
    for (const reply of [
      '<operation><kind>gossip</kind><body>x</body></operation>',
      '<operation><op>delete</op><id>m1</id></operation>',
      '<operation><body>no kind</body></operation>',
      '<operation><kind>bugfix</kind></operation>',
      '<operation><kind>bugfix</kind><body>cut o',
      '<operation><kind>bugfix</kind><body>ok</body></operation><operation><kind>bugfix</kind>',
      'OK, noted.',
      '',
    ])
      assert.equal(parseOperations(reply).valid, false, reply);
  });

  test('<none/> says that nothing is worth remembering', () => {
    assert.deepEqual(parseOperations('Routine.\n<none/>'), { valid: true, value: [] });
  });

  test('a summary needs all eight elements; any may be empty', () => {
    const parsed = parseSummary(`Here:\n\`\`\`xml\n${SUMMARY_XML}\n\`\`\``);
    assert.ok(parsed.valid);
    assert.equal(parsed.value.files_read, '');
    assert.equal(parsed.value.files_edited, 'src/auth.ts, src/routes.ts');
    assert.equal(parsed.value.next_steps, '');
    for (const field of SUMMARY_FIELDS) {
      const without = SUMMARY_XML.replace(new RegExp(`<${field}(?:/>|>[\\s\\S]*?</${field}>)`), '');
      assert.equal(parseSummary(without).valid, false, field);
    }
  });

  test('a summary may come as JSON, files as a list', () => {
    const json = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, field]));
    const parsed = parseSummary(JSON.stringify({ ...json, files_read: ['a.ts', 'b.ts'] }));
    assert.equal(parsed.valid && parsed.value.files_read, 'a.ts, b.ts');
    assert.equal(parseSummary(JSON.stringify({ request: 'x' })).valid, false);
  });
});

describe('fuzz', () => {
  const SEED = 4_711;
  const ROUNDS = process.env['TIDEMARK_TEST_LONG'] === '1' ? 200_000 : 5000;
  const TAGS = 'operation kind body title facts fact ends id op summary notes'.split(' ');
  const JSON_PIECES = [
    '{"operations":[',
    '{"op":"add","kind":"bugfix",',
    '"title":"x"',
    ']}',
    '}',
    '```',
    '```json\n',
  ];
  const ODD = ['<![CDATA[', ']]>', '&#x1F600;', '&#0;', '&#55296;', '&amp;lt;', '\u0000', '\ud800', '\u202e'];
  const PIECES = [
    ...MEMORY_KINDS,
    ...TAGS.flatMap((tag) => [`<${tag}>`, `</${tag}>`]),
    ...JSON_PIECES,
    ...ODD,
    '<none/>',
    '漢字',
    '\n',
    ' ',
    'words',
    '<',
    '>',
  ];

  test(`${ROUNDS} replies of random pieces: never a throw, and what is valid is a memory`, () => {
    const next = random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const reply = Array.from({ length: 1 + next(24) }, () => PIECES[next(PIECES.length)]).join('');
      const parsed = parseOperations(reply);
      if (!parsed.valid) assert.equal(typeof parsed.reason, 'string');
      else for (const { draft } of parsed.value) assertDraft(draft, reply);
      parseSummary(reply);
    }
  });

  test('a valid reply cut anywhere or with one character changed is valid or not, never a throw', () => {
    const next = random(SEED);
    const whole = `prose ${JSON.stringify({ operations: [MEMORY] })} ${SUMMARY_XML} <operation><kind>bugfix</kind><body>t</body></operation>`;
    for (let round = 0; round < ROUNDS; round++) {
      const at = next(whole.length);
      const reply = next(2)
        ? whole.slice(0, at)
        : `${whole.slice(0, at)}${PIECES[next(PIECES.length)]}${whole.slice(at + 1)}`;
      const parsed = parseOperations(reply);
      if (parsed.valid) for (const { draft } of parsed.value) assertDraft(draft, reply);
      parseSummary(reply);
    }
  });

  function assertDraft(draft: ReplyOperation['draft'], reply: string): void {
    if (!draft) return;
    assert.ok(draft.kind === undefined || MEMORY_KINDS.includes(draft.kind), reply);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(draft.title + draft.body, /[\u0000-\u0008\u202e]/, reply);
  }

  function random(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }
});
