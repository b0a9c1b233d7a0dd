import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryId, type Memory } from '../../../core/index.ts';
import { mergeDays } from '../merge/days.ts';
import { removeFrom } from './change.ts';
import { putInto } from './insert.ts';
import { parseDay } from './parse.ts';
import { logInto, unlogFrom, type LoggedLine } from './work-log.ts';

const CONTEXT = { project: 'engine', date: '2026-11-16', file: 'engine/2026-11-16.md' };

const line = (minute: number, text: string, known = false): LoggedLine => ({
  turn: `turn-${minute}`,
  at: `2026-11-16T10:${String(minute).padStart(2, '0')}:30.000Z`,
  text,
  known,
});

const log = (text: string | null, ...lines: readonly LoggedLine[]): string => {
  const next = logInto(text, lines, CONTEXT);
  assert.ok(next !== null);
  return next;
};

/** The text as a reader sees it. */
const shown = (text: string): string =>
  text.replace(/ <!-- turn [^>]*-->/g, '').replace(/<!-- tidemark .*-->\n/g, '');

const memory = (minute: number, title: string): Memory => {
  const at = `2026-11-16T10:${String(minute).padStart(2, '0')}:30.000Z`;
  return {
    id: memoryId(at, `turn-${minute}`, 'decision', 0),
    project: 'engine',
    at,
    kind: 'decision',
    title,
    body: '',
    facts: [],
    concepts: [],
    files: [],
    state: 'current',
    provenance: { agent: 'claude-code', session: 's1', turn: `turn-${minute}`, messages: [], by: 'local' },
  };
};

const HEAD = { id: 's1', agent: 'claude-code', startedAt: '2026-11-16T10:00:00.000Z', title: 'Queue' };

test('the log is a section below the sessions, one line per turn in the order of their times', () => {
  const first = log(null, line(9, 'Asked: Use pg-boss.'), line(4, 'Asked: Look at the queue.'));
  assert.equal(
    shown(first),
    '# 2026-11-16 · engine\n\n## Work log\n\n- 10:04 Asked: Look at the queue.\n- 10:09 Asked: Use pg-boss.\n',
  );
  const work = { memories: [{ memory: memory(9, 'Use pg-boss'), known: false }], heads: [HEAD] };
  const both = putInto(first, work, CONTEXT).text ?? '';
  assert.equal(
    shown(both),
    '# 2026-11-16 · engine\n\n## Session 10:00 · Queue\n\n### 10:09 decision · Use pg-boss\n\n' +
      '## Work log\n\n- 10:04 Asked: Look at the queue.\n- 10:09 Asked: Use pg-boss.\n',
  );
  const other = log(
    putInto(null, work, CONTEXT).text,
    line(4, 'Asked: Look at the queue.'),
    line(9, 'Asked: Use pg-boss.'),
  );
  assert.equal(other, both, 'the order of the writes does not matter');
  assert.equal(log(both, line(9, 'Asked: Use pg-boss.')), both, 'repeating it changes nothing');
});

test('the lines are not read as memories and are no problem for doctor', () => {
  const text = log(null, line(4, '### decision · not an entry'), line(5, 'Asked: <!-- tidemark x --> odd'));
  const { entries, sessions, problems } = parseDay(text, CONTEXT);
  assert.deepEqual([entries, sessions, problems], [[], [], []]);
});

test('a turn that ends replaces its line, unless the user changed or deleted it', () => {
  const open = log(null, line(4, 'Asked: Move the queue. In progress.'));
  const done = log(open, line(4, 'Asked: Move the queue. Done: Moved.', true));
  assert.match(shown(done), /^- 10:04 Asked: Move the queue\. Done: Moved\.$/m);
  assert.doesNotMatch(done, /In progress/);
  const edited = open.replace('Move the queue', 'Move the QUEUE');
  assert.equal(log(edited, line(4, 'Asked: Move the queue. Done: Moved.', true)), edited);
  const deleted = open.replace(/^- .*\n/m, '');
  assert.equal(log(deleted, line(4, 'Asked: Move the queue. Done: Moved.', true)), deleted);
});

test('forgetting a turn removes its line; notes of the user stay', () => {
  const text = log(null, line(4, 'Asked: A.'), line(5, 'Asked: B.')).replace(
    '## Work log\n',
    '## Work log\n\nA good day.\n',
  );
  const one = unlogFrom(text, new Set(['turn-4']), CONTEXT) ?? '';
  assert.equal(shown(one), '# 2026-11-16 · engine\n\n## Work log\n\nA good day.\n\n- 10:05 Asked: B.\n');
  const none = unlogFrom(one, new Set(['turn-5']), CONTEXT) ?? '';
  assert.equal(shown(none), '# 2026-11-16 · engine\n\n## Work log\n\nA good day.\n');
  assert.equal(unlogFrom(log(null, line(4, 'Asked: A.')), new Set(['turn-4']), CONTEXT), null);
});

test('removing all entries of a day keeps its log', () => {
  const work = { memories: [{ memory: memory(9, 'Use pg-boss'), known: false }], heads: [HEAD] };
  const text = log(putInto(null, work, CONTEXT).text, line(9, 'Asked: Use pg-boss.'));
  const left = removeFrom(text, new Set([memory(9, 'x').id]), CONTEXT) ?? '';
  assert.match(left, /^- 10:09 Asked: Use pg-boss\./m);
});

test('merging two versions keeps the lines of both, each turn once', () => {
  const base = log(null, line(4, 'Asked: A.'), line(5, 'Asked: B. In progress.'));
  const ours = log(base, line(8, 'Asked: D.'), line(5, 'Asked: B. Done: all of it.', true));
  const theirs = log(base, line(7, 'Asked: C.'), line(5, 'Asked: B. Done: half.', true));
  const merged = shown(mergeDays(base, ours, theirs, CONTEXT) ?? '');
  assert.equal(
    merged,
    '# 2026-11-16 · engine\n\n## Work log\n\n- 10:04 Asked: A.\n- 10:05 Asked: B. Done: all of it.\n- 10:07 Asked: C.\n- 10:08 Asked: D.\n',
  );
});

test('Windows line ends and a file without a day heading are kept', () => {
  const text = log('My notes\r\n\r\n## Ideas\r\n\r\n- one\r\n', line(4, 'Asked: A.'));
  assert.equal(
    shown(text),
    'My notes\r\n\r\n## Ideas\r\n\r\n- one\r\n\r\n## Work log\r\n\r\n- 10:04 Asked: A.\r\n',
  );
});
