import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleMemory } from '../../../test/support/journal-sample.ts';
import { adoptIn } from './format/change.ts';
import { renderEntry } from './format/entry.ts';
import { putInto } from './format/insert.ts';
import { parseDay } from './format/parse.ts';

const context = { project: 'acme-api', date: '2026-11-15', file: 'acme-api/2026-11-15.md' };
const parse = (text: string) => parseDay(text, context);
const titles = (text: string) => parse(text).entries.map(({ memory }) => memory.title);
const reasons = (text: string) => parse(text).problems.map(({ line, reason }) => `${line}: ${reason}`);
const one = sampleMemory();
const two = sampleMemory({ at: '2026-11-15T15:00:00.000Z', title: 'Two' });

test('a heading is read with or without time and kind', () => {
  const read = (heading: string) => {
    const [entry] = parse(`${heading}\n`).entries;
    return [
      entry?.memory.at.slice(11, 16),
      entry?.memory.kind,
      entry?.memory.state,
      entry?.memory.title,
    ].join(' | ');
  };
  assert.equal(read('### something'), '00:00 | discovery | current | something');
  assert.equal(read('### 14:40 decision · use pnpm'), '14:40 | decision | current | use pnpm');
  assert.equal(read('### 9:05 use pnpm'), '09:05 | discovery | current | use pnpm');
  assert.equal(read('### Decision: use pnpm'), '00:00 | decision | current | use pnpm');
  assert.equal(read('### dead end - polling'), '00:00 | dead_end | current | polling');
  assert.equal(read('### issue: slow'), '00:00 | issue | open | slow');
  assert.equal(read('### issue (resolved) · slow'), '00:00 | issue | resolved | slow');
  assert.equal(
    read('### pattern-matching everywhere'),
    '00:00 | discovery | current | pattern-matching everywhere',
  );
  assert.equal(read('### 99:99 issue · x'), '00:00 | discovery | current | 99:99 issue · x');
  assert.equal(read('###'), '00:00 | discovery | current | ');
});

test('fields are separated without blank lines between them', () => {
  const [entry] = parse(
    '### Use pnpm\nWe use pnpm\neverywhere.\n- fast\n- strict about\n  peers\nReason: disk\nFiles: a.ts, `b c.ts`\n',
  ).entries;
  const { body, facts, reason, files } = entry?.memory ?? {};
  assert.deepEqual(
    { body, facts, reason, files },
    {
      body: 'We use pnpm\neverywhere.',
      facts: ['fast', 'strict about\npeers'],
      reason: 'disk',
      files: ['a.ts', 'b c.ts'],
    },
  );
});

test('text after the facts belongs to the body', () => {
  const [entry] = parse(
    '### t\nBefore.\n\n- fact\n\nAfter.\n\n```sh\n- no fact\n### no entry\n```\n',
  ).entries;
  assert.equal(entry?.memory.body, 'Before.\n\nAfter.\n\n```sh\n- no fact\n### no entry\n```');
  assert.deepEqual(entry?.memory.facts, ['fact']);
});

test('equal entries without an id get the same derived id, different ones another', () => {
  const id = (text: string, file = context) => parseDay(text, file).entries[0]?.memory.id;
  const text = '### 14:40 decision · use pnpm\n\nBecause.\n';
  assert.equal(id(text), id(`# x\n\n${text.replace(/\n/g, '\r\n')}`, { ...context, project: 'elsewhere' }));
  assert.notEqual(id(text), id(text.replace('Because', 'Because!')));
  const adopted = adoptIn(text, context);
  assert.equal(id(adopted), id(text));
  assert.equal(adoptIn(adopted, context), adopted);
  assert.equal(id(adopted.replace('Because', 'Edited')), id(text));
});

test('text between entries, other sections and headings stay byte for byte', () => {
  const before =
    '\ufeffhello\n\n# Notes  \n\n\n## My plan\n- [ ] a\n\n#### deep\n\n   \n### by hand\ntext\n\n\n\n## Other\n\nend';
  const { text } = putInto(before, { memories: [{ memory: one, known: false }], heads: [] }, context);
  const without = text
    ?.replace(renderEntry(one), '')
    .replace(/## Session\n<!--.*-->\n/, '')
    .replace(/<!-- tidemark .*by=person.*-->\n/, '');
  assert.equal(without?.trimEnd(), before);
});

test('both sides of a merge conflict are read, and it is reported with its line', () => {
  const base = renderEntry(one);
  const text = `# 2026-11-15 · acme-api\n\n<<<<<<< HEAD\n${base}\n||||||| base\n### 01:00 issue · neither\n=======\n${renderEntry(two)}\n>>>>>>> theirs\n`;
  assert.deepEqual(titles(text), [one.title, 'Two']);
  assert.deepEqual(
    parse(text).entries.map(({ memory }) => memory),
    [one, two],
  );
  assert.deepEqual(reasons(text), [
    '3: a merge conflict: both sides are kept; resolve it and remove the marks',
  ]);
});

test('a conflict inside an entry keeps both texts as two entries', () => {
  const inside = renderEntry(one).replace(
    'The store keeps only the newest.',
    '<<<<<<< a\nLeft.\n=======\nRight.\n>>>>>>> b',
  );
  assert.equal(parse(inside).entries[0]?.memory.body, 'Left.\nRight.');
  const versions = `<<<<<<< a\n${renderEntry(one)}=======\n${renderEntry({ ...one, body: 'Other.' })}>>>>>>> b\n`;
  const { entries } = parse(versions);
  assert.deepEqual(
    entries.map(({ memory }) => memory.body),
    [one.body, 'Other.'],
  );
  assert.equal(entries[0]?.memory.id, one.id);
  assert.notEqual(entries[1]?.memory.id, one.id);
});

test('new entries are added after a conflict, which is not changed', () => {
  const text = `<<<<<<< a\n${renderEntry(one)}=======\n### by hand\n>>>>>>> b\n`;
  const work = {
    memories: [
      { memory: { ...one, title: 'Better' }, known: true },
      { memory: two, known: false },
    ],
    heads: [],
  };
  const { text: after } = putInto(text, work, context);
  assert.ok(after?.startsWith(text.trimEnd()));
  assert.deepEqual(titles(after ?? ''), [one.title, 'by hand', 'Two']);
});

test('an equal copy is reported, a changed copy gets its own id at the next write', () => {
  const entry = renderEntry(one);
  const changed = entry.replace('The store', 'Another store');
  const text = `${entry}\n${entry}\n${changed}`;
  const { entries, problems } = parse(text);
  assert.deepEqual(
    entries.map(({ memory }) => memory.body.split(' ')[0]),
    ['The', 'Another'],
  );
  assert.equal(problems.length, 1);
  assert.match(problems[0]?.reason ?? '', /copy of the entry on line 1/);
  const adopted = adoptIn(text, context);
  assert.deepEqual(
    parse(adopted).entries.map(({ memory }) => memory.id),
    entries.map(({ memory }) => memory.id),
  );
  assert.equal(parse(adopted).entries[1]?.derived, false);
});

test('an unreadable comment is reported and not changed, and its entry is read', () => {
  const text = renderEntry(one).replace(one.id, 'oops');
  assert.deepEqual(titles(text), [one.title]);
  assert.deepEqual(reasons(text), ['2: a tidemark comment that cannot be read']);
  assert.equal(adoptIn(text, context), text);
  const broken = renderEntry(one).replace('by=local', 'by=%zz');
  assert.deepEqual(reasons(broken), ['1: cannot read by in the comment']);
  const open = renderEntry(one).replace(' -->', '');
  assert.deepEqual(titles(`${open}\n${renderEntry(two)}`), [one.title, 'Two']);
});

test('unknown words in the comment survive a change', () => {
  const text = renderEntry(one).replace(' -->', ' color=red x y="1" -->');
  const work = { memories: [{ memory: { ...one, title: 'Better' }, known: true }], heads: [] };
  const { text: after } = putInto(text, work, context);
  assert.match(after ?? '', /### 14:32 decision · Better\n<!-- tidemark .* sum=\w+ color=red x y="1" -->/);
});

test('an entry that lost its heading keeps its id and text', () => {
  const text = `${renderEntry(one)}\n${renderEntry(two).replace(/^### .*\n/, '')}`;
  assert.deepEqual(
    parse(text).entries.map(({ memory }) => [memory.id, memory.title, memory.body]),
    [
      [one.id, one.title, one.body],
      [two.id, '', two.body],
    ],
  );
  assert.match(reasons(text)[0] ?? '', /has lost its heading/);
});

test('an unclosed fence ends before the next entry', () => {
  const text = `${renderEntry(one).replace('The store', '```\nThe store')}\n${renderEntry(two)}`;
  assert.deepEqual(titles(text), [one.title, 'Two']);
  assert.deepEqual(reasons(text), ['3: a code fence that is not closed']);
});

test('a comment that an editor wrapped over several lines is read', () => {
  const text = renderEntry(one).replace(/ (session|by)=/g, '\n$1=');
  assert.deepEqual(
    parse(text).entries.map(({ memory }) => memory),
    [one],
  );
});

test('the time in the heading can be changed', () => {
  const text = renderEntry(one).replace('14:32', '08:15');
  assert.equal(parse(text).entries[0]?.memory.at, '2026-11-15T08:15:00.000Z');
});
