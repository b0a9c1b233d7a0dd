import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FIXTURE_SESSIONS, NOW, PROJECT, fixtureIndex, idOf } from '../../../test/support/recall-fixture.ts';
import { FLOOR, PROMPT_LIMIT, PROMPT_NEAR_BEST, READING } from '../ranking/weights.ts';
import { promptContext, type PromptOptions } from './prompt-context.ts';

const index = fixtureIndex();
after(() => index.close());

const ask = (prompt: string, options: Partial<PromptOptions> = {}) =>
  promptContext(index, {
    project: PROJECT,
    prompt,
    session: 'new',
    now: NOW,
    already: [],
    first: true,
    ...options,
  });

const THEFT = 'How should I handle refresh token theft in the auth service?';

test('a relevant memory is injected with score, age and source', () => {
  const found = ask(THEFT);
  assert.equal(found.reason, 'recalled');
  assert.deepEqual(
    found.memories.map(({ id }) => id),
    [idOf('Refresh tokens rotate')],
  );
  assert.match(
    found.line,
    /^Memory Retrieved \(1\):\n {2}• \[0\.\d\d\] \(2h ago\) Refresh tokens rotate on every use$/,
  );
  assert.match(found.text, /## Decision: .*\nsaid by the user, found by rules, 2h ago, id /);
});

test('trivial, machine-made and command prompts are skipped', () => {
  assert.equal(ask('yes please').reason, 'trivial');
  assert.equal(ask('  👍 ').reason, 'trivial');
  assert.equal(ask('会话？').reason, 'trivial');
  assert.notEqual(ask('会话存储在哪里？刷新令牌').reason, 'trivial');
  assert.equal(ask('<task-notification>refresh token theft done</task-notification>').reason, 'machine-made');
  assert.equal(ask('/compact keep the refresh tokens').reason, 'command');
  assert.equal(ask('!git log refresh tokens').reason, 'command');
  assert.notEqual(ask('/src/auth/refresh.ts throws on reuse').reason, 'command');
});

test('a memory is injected once per session', () => {
  const found = ask(THEFT, { already: [idOf('Refresh tokens rotate')] });
  assert.equal(found.reason, 'already-given');
  assert.equal(found.text, '');
});

test('memories of the session itself are not injected', () => {
  const [, , auth] = FIXTURE_SESSIONS;
  assert.notEqual(ask(THEFT, { session: auth?.id ?? '' }).reason, 'recalled');
});

test('unrelated prompts get nothing', () => {
  for (const prompt of [
    'add a dark mode toggle to the settings page',
    'please fix the failing test',
    'run the tests and commit',
    'rename the variable token to something better in this file',
    'update the changelog, bump version and tag the release',
    'use the user session to show the name of the user in the page header',
    'write a README for this project and add a section about the license',
    'what is the difference between a list and a tuple in Python',
    'continue where you left off',
  ]) {
    assert.notEqual(ask(prompt).reason, 'recalled', prompt);
  }
});

test('the explanation distinguishes nothing found from nothing above the floor', () => {
  assert.equal(ask('quaternion interpolation shader uniforms').explanation, 'no memory matches the prompt');
  assert.match(
    ask('add a dark mode toggle to the settings page').explanation,
    /^\d+ memor(?:y was|ies were) found, but (?:it does not match|none matches) closely enough$/,
  );
});

test('the explanation says that the match is a resolved issue', () => {
  const { explanation, considered } = ask(
    'useAuthToken keeps a stale token after logout, where is it cached?',
  );
  assert.equal(considered[0]?.memory.state, 'resolved', explanation);
  assert.match(
    explanation,
    /^\d+ memor(?:y was|ies were) found, but what matches is resolved, superseded or quoted$/,
  );
});

test('memories that share words by chance are left out, at first and later prompts', () => {
  for (const first of [true, false])
    assert.deepEqual(
      ask('Why do webhook signatures fail in staging?', { first }).memories.map(({ id }) => id),
      [idOf('Webhook signature check')],
    );
});

test('the best memory decides; others are injected with it if they are nearly as sure', () => {
  for (const prompt of [
    THEFT,
    'Where are sessions kept and why do refresh tokens rotate?',
    'The webhook signature check fails in staging, and the esbuild plugin breaks source maps again',
  ]) {
    const { memories, considered } = ask(prompt);
    const standing = considered.filter(({ memory }) => memory.state !== 'superseded');
    const best = standing[0]?.evidence ?? 0;
    const near = standing.filter(({ evidence }) => evidence >= best * PROMPT_NEAR_BEST);
    assert.deepEqual(
      memories.map(({ id }) => id),
      best < FLOOR.prompt ? [] : near.slice(0, PROMPT_LIMIT.first).map(({ memory }) => memory.id),
    );
  }
});

test('text that looks like a filter is part of the prompt', () => {
  assert.equal(ask(`${THEFT} It says kind: error, file: app.log, project:other`).reason, 'recalled');
});

test('memories of other projects are not injected', () => {
  assert.equal(ask(THEFT, { project: 'other-000000' }).reason, 'nothing-found');
});

test('the nearest memories are offered for reading, short and few', () => {
  const { toRead } = ask(THEFT);
  assert.ok(toRead.length > 0 && toRead.length <= READING.most);
  for (const { id, text } of toRead) {
    assert.ok(text.length <= READING.chars);
    assert.match(text, new RegExp(`: ${index.memory(id)?.title.slice(0, 20)}`));
  }
  const ids = toRead.map(({ id }) => id);
  assert.ok(
    !ask(THEFT, { already: ids }).toRead.some(({ id }) => ids.includes(id)),
    'not one injected before',
  );
});

test('a prompt that is not looked up, or finds nothing near, has nothing to read', () => {
  assert.deepEqual(ask('yes please').toRead, []);
  assert.deepEqual(ask('Write a haiku about autumn leaves').toRead, []);
});

test('memories that were read are not offered again', () => {
  const { toRead } = ask(THEFT);
  const read = new Map(toRead.map(({ id }) => [id, 4]));
  const found = ask(THEFT, { read });
  assert.deepEqual(found.toRead, []);
  for (const { id, read: odds } of found.memories) assert.equal(odds, read.get(id));
});
