import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSONAL_PROJECT, type Memory } from '../../core/index.ts';
import { appearsLine, receiptOf } from './receipt.ts';

const BY_USER: Memory = {
  id: '1ja0p3h7k2m9qx',
  kind: 'decision',
  title: 'Refresh tokens rotate on every use',
  body: '',
  facts: [],
  concepts: [],
  files: [],
  project: 'shop-a1b2',
  at: '2026-11-12T10:00:00.000Z',
  state: 'current',
  provenance: { agent: 'person', session: '', turn: 'person-1', messages: [], by: 'person' },
};
const BY_AGENT = { ...BY_USER.provenance, by: 'agent' };

test('a receipt says where a memory appears and how to undo it', () => {
  const { appears, undo } = receiptOf({ ...BY_USER, files: ['src/token.ts'] });
  assert.deepEqual(appears, [
    "in this project's brief",
    'with prompts about refresh, tokens, rotate',
    'when src/token.ts is read or changed',
  ]);
  assert.equal(undo, 'tidemark forget 7k2m9qx');
});

test('a receipt names the scope, the search phrases and what limits a memory', () => {
  const line = (more: Partial<Memory>, waits = false): string =>
    appearsLine(receiptOf({ ...BY_USER, ...more }, { waits }));
  assert.equal(
    line({ kind: 'preference', project: PERSONAL_PROJECT, concepts: ['stolen token'] }),
    'Appears in the brief of every project, with every agent; with prompts about stolen token.',
  );
  assert.match(
    line({ kind: 'discovery', files: ['a.ts'] }),
    /brief, by its title; with prompts about [^;]+$/,
  );
  assert.match(line({ provenance: BY_AGENT }), /brief, as a note of the agent that you have not confirmed/);
  assert.equal(line({ kind: 'issue', state: 'resolved' }), 'Appears in search only, because it is resolved.');
  assert.equal(
    line({ provenance: BY_AGENT, evidence: 'quoted' }),
    'Appears in search only, because it quotes a text.',
  );
  assert.match(line({}, true), /^Appears nowhere until you approve it \(tidemark review approve 7k2m9qx\)/);
});
