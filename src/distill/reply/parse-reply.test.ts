import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MEMORY_KINDS, SUMMARY_FIELDS } from '../../core/index.ts';
import { parseMemories, parseSummary, MAX_REPLY } from './parse-reply.ts';

const MEMORY = {
  kind: 'decision',
  title: 'Refresh tokens rotate on every use',
  body: 'A stolen token dies at first reuse.',
  reason: 'Theft must be noticed',
  facts: ['seven days'],
  concepts: ['auth'],
  files: ['src/auth.ts'],
  state: '',
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
    const json = JSON.stringify({ memories: [MEMORY] });
    for (const reply of [
      json,
      `\`\`\`json\n${json}\n\`\`\``,
      `Here you are:\n\`\`\`\n${json}\n\`\`\`\nDone.`,
    ]) {
      const parsed = parseMemories(reply);
      assert.ok(parsed.valid, reply);
      assert.equal(parsed.value[0]?.title, MEMORY.title);
      assert.equal(parsed.value[0]?.reason, MEMORY.reason);
      assert.equal(parsed.value[0]?.state, undefined);
    }
  });

  test('no memories at all is a valid answer', () => {
    assert.deepEqual(parseMemories('{"memories":[]}'), { valid: true, value: [] });
  });

  test('a missing field, a wrong type, an unknown kind or half a reply is invalid', () => {
    const { title: _, ...untitled } = MEMORY;
    const wrong = [
      { memories: [untitled] },
      { memories: [{ ...MEMORY, title: ' ' }] },
      { memories: [{ ...MEMORY, facts: 'one' }] },
      { memories: [{ ...MEMORY, kind: 'gossip' }] },
      { memories: [MEMORY, { ...MEMORY, kind: 'DECISION' }] },
      { memory: MEMORY },
      [MEMORY],
    ];
    for (const value of wrong) assert.equal(parseMemories(JSON.stringify(value)).valid, false);
    const whole = JSON.stringify({ memories: [MEMORY] });
    for (let end = 0; end < whole.length; end += 7)
      assert.equal(parseMemories(whole.slice(0, end)).valid, false);
  });

  test('an issue is open unless the reply says resolved', () => {
    const parsed = parseMemories(
      JSON.stringify({
        memories: [
          { ...MEMORY, kind: 'issue' },
          { ...MEMORY, kind: 'issue', state: 'resolved' },
        ],
      }),
    );
    assert.deepEqual(parsed.valid && parsed.value.map(({ state }) => state), ['open', 'resolved']);
  });

  test('what is long is cut, and more than six memories are not kept', () => {
    const long = {
      ...MEMORY,
      title: 't'.repeat(5000),
      facts: Array.from({ length: 99 }, (_, i) => `fact ${i}`),
    };
    const parsed = parseMemories(JSON.stringify({ memories: Array.from({ length: 9 }, () => long) }));
    assert.ok(parsed.valid);
    assert.equal(parsed.value.length, 6);
    assert.ok((parsed.value[0]?.title.length ?? 0) <= 140);
    assert.equal(parsed.value[0]?.facts.length, 10);
    assert.equal(parseMemories('x'.repeat(MAX_REPLY + 1)).valid, false);
  });
});

describe('XML', () => {
  test('the short form, several blocks, prose and fences around', () => {
    const parsed = parseMemories(`I looked at it.
\`\`\`xml
<observation>
  <type>feature</type>
  <text>Implemented JWT token refresh flow with 7-day expiry. It rotates.</text>
</observation>
\`\`\`
And one more: <observation><type> bugfix </type><text>Race in middleware &amp; store, List&lt;Token&gt; shared</text></observation>`);
    assert.ok(parsed.valid);
    assert.deepEqual(
      parsed.value.map(({ kind, title }) => [kind, title]),
      [
        ['feature', 'Implemented JWT token refresh flow with 7-day expiry'],
        ['bugfix', 'Race in middleware & store, List<Token> shared'],
      ],
    );
  });

  test('the long form, with lists, attributes and text that is no XML', () => {
    const parsed = parseMemories(`<observation id="1">
<type>discovery</type><title>Map<string, T> is shared</title><subtitle>ignored</subtitle>
<narrative>Use <T> & never \`a < b\`.</narrative>
<facts><fact>one</fact>
<fact>two</fact></facts><concepts>
- caching
- maps
</concepts>
<files_read><file>a.ts</file></files_read><files_modified><file>b.ts</file></files_modified></observation>`);
    assert.ok(parsed.valid);
    const [memory] = parsed.value;
    assert.equal(memory?.title, 'Map<string, T> is shared');
    assert.equal(memory?.body, 'Use <T> & never `a < b`.');
    assert.deepEqual(memory?.facts, ['one', 'two']);
    assert.deepEqual(memory?.concepts, ['caching', 'maps']);
    assert.deepEqual(memory?.files, ['b.ts', 'a.ts']);
  });

  test('an unknown type, an empty block, an open block or plain prose is invalid', () => {
    for (const reply of [
      '<observation><type>gossip</type><text>x</text></observation>',
      '<observation><text>no type</text></observation>',
      '<observation><type>bugfix</type></observation>',
      '<observation><type>bugfix</type><text>cut o',
      '<observation><type>bugfix</type><text>ok</text></observation><observation><type>bugfix</type>',
      'OK, noted.',
      '',
    ])
      assert.equal(parseMemories(reply).valid, false, reply);
  });

  test('<none/> says that nothing is worth remembering', () => {
    assert.deepEqual(parseMemories('Routine.\n<none/>'), { valid: true, value: [] });
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
  const TAGS = 'observation type text title facts fact summary notes'.split(' ');
  const JSON_PIECES = ['{"memories":[', '{"kind":"bugfix",', '"title":"x"', ']}', '}', '```', '```json\n'];
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
      const parsed = parseMemories(reply);
      if (!parsed.valid) assert.equal(typeof parsed.reason, 'string');
      else for (const memory of parsed.value) assertMemory(memory, reply);
      parseSummary(reply);
    }
  });

  test('a valid reply cut anywhere or with one character changed is valid or not, never a throw', () => {
    const next = random(SEED);
    const whole = `prose ${JSON.stringify({ memories: [MEMORY] })} ${SUMMARY_XML} <observation><type>bugfix</type><text>t</text></observation>`;
    for (let round = 0; round < ROUNDS; round++) {
      const at = next(whole.length);
      const reply = next(2)
        ? whole.slice(0, at)
        : `${whole.slice(0, at)}${PIECES[next(PIECES.length)]}${whole.slice(at + 1)}`;
      const parsed = parseMemories(reply);
      if (parsed.valid) for (const memory of parsed.value) assertMemory(memory, reply);
      parseSummary(reply);
    }
  });

  function assertMemory(memory: { kind: string; title: string; body: string }, reply: string): void {
    assert.ok((MEMORY_KINDS as readonly string[]).includes(memory.kind), reply);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(memory.title + memory.body, /[\u0000-\u0008\u202e]/, reply);
  }

  function random(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }
});
