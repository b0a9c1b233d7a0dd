/** A memory, a session and a journal in a folder of its own. For tests only. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { memoryId, type Memory } from '../../src/core/index.ts';
import { Journal, type JournalOptions, type SessionHead } from '../../src/storage/journal/index.ts';

export const sampleHead: SessionHead = {
  id: 's1',
  agent: 'claude-code',
  startedAt: '2026-11-15T14:30:00.000Z',
  title: 'Rotating refresh tokens',
};

export function sampleMemory(change: Partial<Memory> = {}): Memory {
  const at = change.at ?? '2026-11-15T14:32:05.000Z';
  return {
    id: memoryId(at, `turn ${change.title ?? ''}`, 'decision', 0),
    project: 'acme-api',
    at,
    kind: 'decision',
    title: 'Refresh tokens rotate on every use',
    body: 'The store keeps only the newest.',
    reason: 'stolen tokens die at first reuse',
    facts: ['a fact', 'another'],
    concepts: ['auth'],
    files: ['src/auth/refresh.ts'],
    state: 'current',
    provenance: { agent: 'claude-code', session: 's1', turn: 't1', messages: ['m1', 'm2'], by: 'local' },
    ...change,
  };
}

export function sampleJournal(t: TestContext, options: JournalOptions = {}): Journal {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-journal-'));
  const journal = new Journal(root, options);
  t.after(async () => {
    await journal.close();
    rmSync(root, { recursive: true, force: true });
  });
  return journal;
}
