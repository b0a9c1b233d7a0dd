import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileNames, parseQuery, parseTalk } from './query.ts';

const SUNDAY_NOON = new Date('2026-11-15T12:00:00.000Z');
const parse = (text: string) => parseQuery(text, SUNDAY_NOON, 0);
const span = (text: string): string => {
  const { since = '', until = '' } = parse(text);
  return `${since.slice(0, 10)}..${until.slice(0, 10)}`;
};

test('filters are removed from the text', () => {
  const query = parse('kind:decision,dead-end project:payments file:src/a.ts session:s1 refresh tokens');
  assert.equal(query.text, 'refresh tokens');
  assert.deepEqual(query.kinds, ['decision', 'dead_end']);
  assert.equal(query.project, 'payments');
  assert.equal(query.file, 'src/a.ts');
  assert.equal(query.session, 's1');
  assert.deepEqual(query.problems, []);
});

test('agent: names the agents of the sessions', () => {
  const query = parse('agent:codex,pi refresh tokens');
  assert.deepEqual(query.agents, ['codex', 'pi']);
  assert.equal(query.text, 'refresh tokens');
  assert.match(parse('agent:copycat').problems[0] ?? '', /agent:copycat: an agent is one of claude-code, /);
  assert.equal(parse('the user-agent:curl header').text, 'the user-agent:curl header');
});

test('state: names the states of memories', () => {
  const query = parse('state:open,resolved refresh tokens');
  assert.deepEqual(query.states, ['open', 'resolved']);
  assert.equal(query.text, 'refresh tokens');
  assert.deepEqual(parse('state:done').problems, [
    'state:done: a state is one of current, open, resolved, superseded',
  ]);
});

test('a prompt has no filters', () => {
  const said = 'yesterday it said kind: error file:app.log project:other';
  const { text, since, file, project, kinds } = parseTalk(said, SUNDAY_NOON, 0);
  assert.equal(text, 'it said kind: error file:app.log project:other');
  assert.equal(since?.slice(0, 10), '2026-11-14');
  assert.deepEqual({ file, project, kinds }, { file: undefined, project: undefined, kinds: [] });
});

test('plain dates become a span and are removed from the text', () => {
  assert.equal(span('what happened yesterday'), '2026-11-14..2026-11-15');
  assert.equal(span('today'), '2026-11-15..2026-11-16');
  assert.equal(span('last week'), '2026-11-02..2026-11-09');
  assert.equal(span('this week'), '2026-11-09..2026-11-16');
  assert.equal(span('last month'), '2026-10-01..2026-11-01');
  assert.equal(span('2026-02-09'), '2026-02-09..2026-02-10');
  assert.equal(span('2026-02'), '2026-02-01..2026-03-01');
  assert.equal(span('in March'), '2026-03-01..2026-04-01');
  assert.equal(span('in December'), '2025-12-01..2026-01-01');
  assert.equal(span('in March 2024'), '2024-03-01..2024-04-01');
  assert.equal(span('on Monday'), '2026-11-09..2026-11-10');
  assert.equal(span('3 days ago'), '2026-11-12..2026-11-13');
  assert.equal(span('since March'), '2026-03-01..');
  assert.equal(span('since yesterday'), '2026-11-14..');
  assert.equal(span('the past 10 days'), '2026-11-05..');
  assert.equal(span('on 1 February, 2023'), '2023-02-01..2023-02-02');
  assert.equal(span('October 13, 2025'), '2025-10-13..2025-10-14');
  assert.equal(span('since the 3rd of May'), '2026-05-03..');
  assert.equal(span('before Dec 24'), '..2025-12-24');
  assert.equal(span('March 2024'), '2024-03-01..2024-04-01');
  assert.equal(span('last year'), '2025-01-01..2026-01-01');
  assert.equal(parse('tokens 2 hours ago').since, '2026-11-15T09:00:00.000Z');
  assert.equal(span('昨天的讨论'), '2026-11-14..2026-11-15');
  assert.equal(parse('what broke yesterday in auth').text, 'what broke in auth');
});

test('words that look like dates stay in the text', () => {
  for (const text of [
    'it may march on',
    'test 15 may be wrong',
    'version 2026-13-45',
    'second sunday school',
    'v1.2026',
  ]) {
    assert.equal(span(text), '..', text);
    assert.equal(parse(text).text, text);
  }
});

test('since: and until: accept dates, words and short forms', () => {
  assert.equal(span('since:2026-02-09 x'), '2026-02-09..');
  assert.equal(span('until:2026-02-09 x'), '..2026-02-10');
  assert.equal(span('since:"last week" until:yesterday'), '2026-11-02..2026-11-15');
  assert.equal(span('since:last-week until:yesterday'), '2026-11-02..2026-11-15');
  assert.equal(span('since:last_month'), span('since:"last month"'));
  assert.equal(span('since:last-2-weeks'), span('since:14d'));
  assert.equal(span('since:2026-02'), '2026-02-01..');
  assert.equal(span('since:7d'), '2026-11-08..');
  assert.equal(span('since:march'), '2026-03-01..');
  assert.equal(span('since:monday'), '2026-11-09..');
});

test('days are those of the user, not of UTC', () => {
  const { since } = parseQuery('yesterday', new Date('2026-11-15T23:30:00Z'), 120);
  assert.equal(since, '2026-11-14T22:00:00.000Z');
});

test('invalid filters are reported as problems', () => {
  assert.match(parse('kind:idea').problems[0] ?? '', /kind:idea: a kind is one of/);
  assert.match(parse('since:whenever').problems[0] ?? '', /not a time/);
});

test('file names are found in text', () => {
  assert.deepEqual(
    fileNames(
      'see src/auth/jwt.ts, ./bin/x.sh and package.json (e.g. on node.js, https://example.com/a.html)',
    ),
    ['src/auth/jwt.ts', 'bin/x.sh', 'package.json'],
  );
});
