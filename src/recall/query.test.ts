import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileNames, parseQuery, parseTalk } from './query.ts';
import { zoneDays } from './zone-days.ts';

const SUNDAY_NOON = new Date('2026-11-15T12:00:00.000Z');
const parse = (text: string) => parseQuery(text, SUNDAY_NOON, zoneDays('UTC'));
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
  const said = 'it said kind: error\n file:app.log project:other';
  const { text, file, project, kinds } = parseTalk(said);
  assert.equal(text, 'it said kind: error file:app.log project:other');
  assert.deepEqual({ file, project, kinds }, { file: undefined, project: undefined, kinds: [] });
});

test('words for a time are words', () => {
  for (const text of ['what broke yesterday in auth', 'deploys in March 2024', 'last week', '昨天的讨论']) {
    assert.equal(span(text), '..', text);
    assert.equal(parse(text).text, text);
  }
});

test('since: and until: accept dates and short forms', () => {
  assert.equal(span('since:2026-02-09 x'), '2026-02-09..');
  assert.equal(span('until:2026-02-09 x'), '..2026-02-10');
  assert.equal(span('since:2026-02 until:2026-02'), '2026-02-01..2026-03-01');
  assert.equal(span('since:7d'), '2026-11-08..');
  assert.equal(span('since:2w until:1d'), '2026-11-01..2026-11-14');
});

test('invalid filters are reported as problems', () => {
  assert.match(parse('kind:idea').problems[0] ?? '', /kind:idea: a kind is one of/);
  assert.deepEqual(parse('since:yesterday').problems, ['since:yesterday: not a time. Try 3d or 2026-11-01.']);
});

test('file names are found in text', () => {
  assert.deepEqual(
    fileNames(
      'see src/auth/jwt.ts, ./bin/x.sh and package.json (e.g. on node.js, https://example.com/a.html)',
    ),
    ['src/auth/jwt.ts', 'bin/x.sh', 'package.json'],
  );
});
