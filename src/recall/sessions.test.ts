import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FIXTURE_SESSIONS, NOW, PROJECT, fixtureIndex } from '../../test/support/recall-fixture.ts';
import { searchSessions } from './sessions.ts';

const index = fixtureIndex();
after(() => index.close());

const [build, webhooks, auth] = FIXTURE_SESSIONS.map(({ id }) => id);
const ask = (text: string): readonly string[] =>
  searchSessions(index, text, { now: NOW, project: PROJECT }).map(({ session }) => session);

test('a session is found by its memories', () => {
  assert.equal(ask('webhook signatures behind the proxy')[0], webhooks);
  assert.equal(ask('esbuild and the SVG icons')[0], build);
});

test('several matching entries outweigh one', () => {
  assert.equal(ask('refresh token rotation')[0], auth);
});

test('a session is found by turns without memories', () => {
  index.upsertTurns([
    {
      id: 't1',
      session: 'said-only',
      project: PROJECT,
      at: '2026-11-10T10:00:00.000Z',
      endedAt: '2026-11-10T10:01:00.000Z',
      hash: 'h',
      origin: 'person',
      outcome: 'answered',
      tools: 0,
      prompt: 'which port does the metrics endpoint use',
      answer: 'It listens on 9464.',
    },
  ]);
  const [found] = searchSessions(index, 'metrics endpoint port', { now: NOW, project: PROJECT });
  assert.deepEqual([found?.session, found?.turns], ['said-only', ['t1']]);
});
