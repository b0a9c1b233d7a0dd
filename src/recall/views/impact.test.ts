import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleTurn } from '../../../test/support/sample-turn.ts';
import { MemoryIndex } from '../../database/index.ts';
import { Ledger } from '../../storage/ledger/index.ts';
import { impact } from './impact.ts';

test('a session that got only the end of a past session is not counted as one without recall', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-impact-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const at = '2026-11-15T10:00:00.000Z';
  const moment = { kind: 'injected', at, where: 'prompt', memories: [], considered: 4 } as const;
  const conversation = { session: 'past', score: 0.6, why: 'session past leads.' };
  const ledger = await Ledger.open(folder);
  await ledger.append([
    { ...moment, session: 's1', conversation },
    { ...moment, session: 's2', reason: 'nothing found' },
  ]);
  await ledger.close();
  const index = MemoryIndex.open(':memory:');
  const { groups } = await impact(index, folder, async (session) => [sampleTurn({ session })], {});
  index.close();
  assert.equal(groups.recalled.sessions, 1);
  assert.equal(groups.nothing.sessions, 1);
});
