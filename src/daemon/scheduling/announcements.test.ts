import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Announcements } from './announcements.ts';

const NOW = new Date('2026-11-15T10:00:00.000Z');
const UNTIL = '2026-11-15T10:30:00.000Z';
const clock = new Date(UNTIL).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

function entry(id: string, title = `Fact ${id}`) {
  return { id, title, until: UNTIL };
}

test('an entry is announced once, with its title, the time and the command that keeps it local', () => {
  const announcements = new Announcements();
  announcements.add('Tide', [entry('a', 'Use pg-boss for the job queue')]);
  assert.deepEqual(announcements.take(NOW), [
    `Tidemark: 1 new entry will be shared with Tide at ${clock}: Use pg-boss for the job queue · keep local: tidemark share --hold a`,
  ]);
  assert.deepEqual(announcements.take(NOW), []);
  assert.equal(announcements.isWaiting(NOW), true);
});

test('several entries of the same time are one line with at most three titles', () => {
  const announcements = new Announcements();
  announcements.add(
    'Tide',
    ['a', 'b', 'c', 'd'].map((id) => entry(id)),
  );
  const [line = '', ...more] = announcements.take(NOW);
  assert.match(line, /4 new entries will be shared .*: Fact a; Fact b; Fact c; and 1 more \(tidemark team\)/);
  assert.match(line, /--hold a b c$/);
  assert.deepEqual(more, []);
});

test('an entry that was held back or forgotten is not announced', () => {
  const announcements = new Announcements();
  announcements.add('Tide', [entry('a')]);
  announcements.drop(['a']);
  assert.deepEqual(announcements.take(NOW), []);
});

test('an announcement that comes too late says that the entry was shared and how to take it back', () => {
  const announcements = new Announcements();
  announcements.add('Tide', [entry('a')]);
  const late = new Date('2026-11-15T11:00:00.000Z');
  assert.match(
    announcements.take(late)[0] ?? '',
    /1 new entry was shared with Tide .* · take back: tidemark share --hold a/,
  );
  assert.equal(announcements.isWaiting(late), false);
});
