import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseTeamText, parseTeamValue, teamValuesIn } from '../../../config/index.ts';
import { storeTeamSettings } from './team-settings.ts';

function opened(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-team-settings-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'team-settings.json');
}

test('the longest list that a team may set is read back', (t) => {
  const teamSettings = opened(t);
  const items = Array.from({ length: 100 }, (_, i) => `/${i}/`.padEnd(200, 'é').slice(0, 160));
  const settings = { 'capture.ignore': items, 'share.neverKinds': Array(100).fill('preference') as string[] };
  assert.equal(storeTeamSettings({ teamSettings }, settings), true);
  assert.deepEqual(teamValuesIn(teamSettings), settings);
});

test('a value that a machine cannot use leaves the one before in force', (t) => {
  const teamSettings = opened(t);
  const before = { 'capture.ignore': ['/srv'], 'notes.review': true };
  storeTeamSettings({ teamSettings }, before);
  const long = Array.from({ length: 20_000 }, (_, i) => `/folder/${i}`);
  assert.equal(storeTeamSettings({ teamSettings }, { 'capture.ignore': long, 'notes.review': true }), false);
  assert.deepEqual(teamValuesIn(teamSettings), before);
  storeTeamSettings({ teamSettings }, { 'notes.review': true });
  assert.deepEqual(teamValuesIn(teamSettings), { 'notes.review': true });
});

test('the lists of a team are bounded', () => {
  for (const list of [
    Array(101).fill('/a') as string[],
    ['a'.repeat(201)],
    Array(100).fill('\u0001'.repeat(200)),
  ])
    assert.equal(parseTeamValue('capture.ignore', list).ok, false);
  assert.equal(parseTeamText('capture.ignore', '/a,'.repeat(101)).ok, false);
  assert.equal(parseTeamValue('capture.ignore', Array(100).fill('a'.repeat(200))).ok, true);
});
