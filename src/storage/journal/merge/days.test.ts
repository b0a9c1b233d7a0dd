import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleHead, sampleMemory } from '../../../../test/support/journal-sample.ts';
import { nastyHead, nastyMemory, seeded, shuffled } from '../../../../test/support/nasty-memories.ts';
import type { Memory } from '../../../core/index.ts';
import { patchIn, removeFrom, restateIn } from '../format/change.ts';
import { putInto } from '../format/insert.ts';
import { tidyHead, tidyMemory } from '../format/normalise.ts';
import { parseDay } from '../format/parse.ts';
import type { SessionHead } from '../types.ts';
import { mergeDays } from './days.ts';

const ROUNDS = process.env['TIDEMARK_TEST_LONG'] ? 1_000 : 60;
const context = { project: 'acme-api', date: '2026-11-15', file: 'acme-api/2026-11-15.md' };
const [one, two, three] = ['One', 'Two', 'Three'].map((title, at) =>
  sampleMemory({ title, at: `2026-11-15T14:3${at}:00.000Z` }),
) as [Memory, Memory, Memory];

function put(text: string | null, memories: readonly Memory[], heads: readonly SessionHead[] = [sampleHead]) {
  const work = { memories: memories.map((memory) => ({ memory, known: false })), heads };
  return putInto(text, work, context).text ?? '';
}

function merged(base: string | null, ours: string, theirs: string): string {
  const text = mergeDays(base, ours, theirs, context);
  assert.ok(text !== undefined, 'merged');
  assert.deepEqual(parseDay(text, context).problems, []);
  return text;
}

const titles = (text: string): readonly string[] =>
  parseDay(text, context).entries.map(({ memory }) => memory.title);
const stateOf = (text: string, id: string) =>
  parseDay(text, context).entries.find(({ memory }) => memory.id === id)?.memory.state;

test('additions of both sides are sorted by time, with the same result on both sides', () => {
  const base = put(null, [one]);
  const [ours, theirs] = [put(base, [three]), put(base, [two])];
  assert.equal(merged(base, ours, theirs), put(base, [two, three]));
  assert.equal(merged(base, theirs, ours), put(base, [two, three]));
});

test('two files without a common version are merged', () => {
  const other = { ...sampleHead, id: 's0', startedAt: '2026-11-15T09:00:00.000Z', title: 'Earlier' };
  const early = sampleMemory({
    at: '2026-11-15T09:01:00.000Z',
    title: 'Early',
    provenance: { ...one.provenance, session: 's0' },
  });
  const [ours, theirs] = [put(null, [one]), put(null, [early], [other])];
  assert.equal(merged(null, ours, theirs), put(put(null, [one]), [early], [other]));
});

test('a change on one side wins, also over a generated change of the comment on the other', () => {
  const base = put(null, [one, two]);
  const ours = patchIn(base, one.id, { body: 'By a person.' }, context);
  const theirs = put(base, [{ ...one, seen: 3 }]);
  for (const text of [merged(base, ours, theirs), merged(base, theirs, ours)]) {
    const { memory } = parseDay(text, context).entries.find((entry) => entry.memory.id === one.id) ?? {};
    assert.equal(memory?.body, 'By a person.');
    assert.equal(memory?.seen, 3);
  }
});

test('the user’s text wins over generated text, a model’s over the rules’', () => {
  const base = put(null, [one]);
  const person = patchIn(base, one.id, { title: 'Person' }, context);
  const model = put(base, [
    { ...one, title: 'Model', provenance: { ...one.provenance, by: 'anthropic:haiku' } },
  ]);
  const rules = put(base, [{ ...one, title: 'Rules' }]);
  assert.deepEqual(titles(merged(base, model, person)), ['Person']);
  assert.deepEqual(titles(merged(base, person, model)), ['Person']);
  assert.deepEqual(titles(merged(base, rules, model)), ['Model']);
  assert.deepEqual(titles(merged(base, model, rules)), ['Model']);
});

test('two texts of users both stay, with the same result on both sides and when repeated', () => {
  const base = put(null, [one, two]);
  const a = patchIn(base, one.id, { title: 'Ada', body: 'Ada’s.' }, context);
  const b = patchIn(base, one.id, { title: 'Bob', body: 'Bob’s.' }, context);
  const [left, right] = [merged(base, a, b), merged(base, b, a)];
  assert.equal(left, right);
  assert.deepEqual(titles(left), ['Ada', 'Bob', 'Two']);
  assert.equal(new Set(parseDay(left, context).entries.map(({ memory }) => memory.id)).size, 3);
  assert.deepEqual(titles(merged(a, left, a)), ['Ada', 'Bob', 'Two']);
  assert.deepEqual(titles(merged(null, left, b)).toSorted(), ['Ada', 'Bob', 'Two']);
});

test('a state set by the user wins over a generated one', () => {
  const issue = { ...one, kind: 'issue', state: 'open' } as const;
  const base = put(null, [issue]);
  const held = restateIn(
    restateIn(base, one.id, { state: 'resolved' }, context),
    one.id,
    { state: 'open' },
    context,
  );
  const machine = put(base, [{ ...issue, state: 'superseded', supersededBy: two.id }]);
  assert.equal(stateOf(merged(base, held, machine), one.id), 'open');
  assert.equal(stateOf(merged(base, machine, held), one.id), 'open');
  assert.equal(stateOf(merged(base, machine, put(base, [two])), one.id), 'superseded');
});

test('an entry deleted on one side is removed, unless the other side changed it', () => {
  const base = put(null, [one, two]);
  const without = removeFrom(base, new Set([one.id]), context) ?? '';
  const more = put(base, [three]);
  assert.deepEqual(titles(merged(base, without, more)), ['Two', 'Three']);
  assert.deepEqual(titles(merged(base, more, without)), ['Two', 'Three']);
  const edited = patchIn(base, one.id, { title: 'Still wanted' }, context);
  assert.deepEqual(titles(merged(base, without, edited)), ['Still wanted', 'Two']);
  assert.deepEqual(titles(merged(base, edited, without)), ['Still wanted', 'Two']);
});

test('the user’s notes and sections of both sides stay', () => {
  const base = `${put(null, [one])}\n## Notes\n\nshared line\n`;
  const ours = base.replace('shared line', 'shared line\nours');
  const theirs = `${base.replace('shared line', 'theirs\nshared line')}\n## Another\n\ntext\n\n### use pnpm\n`;
  const text = merged(base, ours, theirs);
  for (const line of ['ours', 'theirs', 'shared line', '## Another', 'text'])
    assert.equal(text.split('\n').filter((other) => other === line).length, 1, `${line}\n${text}`);
  assert.deepEqual(titles(text), ['One', 'use pnpm']);
});

test('of two session heads the more complete one wins, with the notes of both', () => {
  const base = put(null, [one], [{ ...sampleHead, status: 'active' }]);
  const summary = {
    request: 'Rotate',
    investigated: '',
    learned: '',
    completed: '',
    next_steps: '',
    files_read: '',
    files_edited: '',
    notes: '',
  };
  const ours = put(base, [], [{ ...sampleHead, status: 'completed', summary }]);
  const theirs = put(base, [two], [{ ...sampleHead, title: 'Another title', status: 'active' }]).replace(
    '\n\n### 14:30',
    '\n\nmy note\n\n### 14:30',
  );
  const text = merged(base, ours, theirs);
  const [session] = parseDay(text, context).sessions;
  assert.equal(session?.status, 'completed');
  assert.equal(session?.summary?.request, 'Rotate');
  assert.match(text, /my note/);
});

test('an archive keeps its days in order', () => {
  const month = { project: 'acme-api', date: '2026-09-01', file: 'acme-api/archive/2026-09.md' };
  const day = (date: string, memory: Memory): string =>
    putInto(
      null,
      { memories: [{ memory, known: false }], heads: [{ ...sampleHead, id: date, startedAt: memory.at }] },
      { ...context, date },
    ).text ?? '';
  const at = (date: string): Memory =>
    sampleMemory({
      at: `${date}T10:00:00.000Z`,
      title: date,
      provenance: { ...one.provenance, session: date },
    });
  const [a, b, c] = ['2026-09-03', '2026-09-10', '2026-09-20'].map((date) => day(date, at(date))) as [
    string,
    string,
    string,
  ];
  const text = mergeDays(a, `${a}\n${c}`, `${a}\n${b}`, month);
  assert.equal(text, `${a}\n${b}\n${c}`);
});

test('a file with a conflict in it is not merged', () => {
  const base = put(null, [one]);
  const torn = `${base}\n<<<<<<< HEAD\n### a\n=======\n### b\n>>>>>>> other\n`;
  assert.equal(mergeDays(base, put(base, [two]), torn, context), undefined);
});

test('no text of either side is lost, whatever was written and in any order', () => {
  for (let round = 0; round < ROUNDS; round++) {
    const random = seeded(round);
    const all = Array.from({ length: 8 }, () => tidyMemory(nastyMemory(random, 's1')));
    const heads = [tidyHead(nastyHead(random, 's1', '2026-11-15T14:30:00.000Z'))];
    const base = put(null, all.slice(0, 3), heads);
    const [ours, theirs] = [
      put(base, shuffled(random, all.slice(3, 6)), heads),
      put(base, all.slice(5), heads),
    ];
    const ids = (text: string) =>
      parseDay(text, context)
        .entries.map(({ memory }) => memory.id)
        .toSorted();
    const want = [...new Set([...ids(ours), ...ids(theirs)])].toSorted();
    const [left, right] = [mergeDays(base, ours, theirs, context), mergeDays(base, theirs, ours, context)];
    assert.deepEqual(ids(left ?? ''), want, `round ${round}`);
    assert.deepEqual(ids(right ?? ''), want, `round ${round}`);
    assert.deepEqual(
      ids(mergeDays(null, ours, theirs, context) ?? ''),
      want,
      `round ${round} without a base`,
    );
  }
});
