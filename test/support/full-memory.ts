/** A memory with everything filled in, for tests. */
import type { Memory } from '../../src/core/index.ts';

export function sampleMemory(fields: Partial<Memory> & { readonly id: string }): Memory {
  return {
    kind: 'decision',
    state: 'current',
    title: 'Refresh tokens rotate on every use',
    body: 'A stolen refresh token is worth one request.',
    facts: [],
    concepts: [],
    files: [],
    project: 'payments-a1b2',
    at: '2026-11-13T10:00:00.000Z',
    provenance: { agent: 'claude-code', session: 's1', turn: 't1', messages: ['m1'], by: 'local' },
    ...fields,
  };
}
