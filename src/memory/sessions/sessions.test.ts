import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeTurns, openStores } from '../../capture/index.ts';
import { placesIn, type Turn } from '../../core/index.ts';
import { localDistiller } from '../../distill/index.ts';
import { closeSession, recordSession } from './sessions.ts';

const turn = (n: number, prompt: string): Turn => ({
  id: `turn-${n}`,
  session: 's1',
  agent: 'claude-code',
  startedAt: `2026-03-02T10:0${n}:00.000Z`,
  endedAt: `2026-03-02T10:0${n}:30.000Z`,
  origin: 'person',
  prompt,
  answer: 'Done.',
  tools: [],
  outcome: 'answered',
  messages: [`turn-${n}`],
});

test('an end that was interrupted before it was recorded is repeated, and the journal is complete', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'sessions-'));
  const { stores } = await openStores(placesIn(home));
  t.after(async () => {
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
    rmSync(home, { recursive: true, force: true });
  });
  await recordSession(stores, {
    kind: 'session',
    at: '2026-03-02T10:00:00.000Z',
    session: 's1',
    change: 'started',
    project: 'engine-abc12',
    status: 'active',
  });
  const turns = [
    turn(1, 'Please look at the cache.'),
    turn(2, 'We decided to keep the cache in memory because it is small.'),
  ];
  await storeTurns(stores, localDistiller, turns, { project: 'engine-abc12' });
  const journal = (): string => {
    const folder = join(home, 'journal', 'engine-abc12');
    return readdirSync(folder)
      .filter((name) => /^\d/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  };
  assert.doesNotMatch(journal(), /status=completed/);

  const ending = { status: 'completed', at: '2026-03-02T10:05:00.000Z' } as const;
  const append = t.mock.method(stores.ledger, 'append', () => Promise.reject(new Error('killed')));
  await assert.rejects(closeSession(stores, 's1', ending), /killed/);
  append.mock.restore();
  assert.equal(stores.index.session('s1')?.status, 'active', 'the next sweep or import ends it');
  const written = journal();
  assert.match(written, /status=completed/);
  assert.match(written, /^- Request: /m);

  await closeSession(stores, 's1', ending);
  assert.equal(stores.index.session('s1')?.status, 'completed');
  assert.equal(journal(), written);
});
