/** A memory for the tests of this folder: one that says nothing but its title, and what a test adds. */
import { memoryId, type Memory, type MemoryKind } from '../../src/core/index.ts';
import { statementOf, type Statement, type Source } from '../../src/memory/index.ts';

export function said(kind: MemoryKind, title: string, more: Partial<Memory> = {}, minute = 0): Memory {
  const at = `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
  const turn = `turn-${minute}`;
  return {
    id: memoryId(at, turn, kind, 0),
    kind,
    title,
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: 'engine-abc123',
    at,
    state: kind === 'issue' ? 'open' : 'current',
    provenance: { agent: 'claude-code', session: 'session-1', turn, messages: [turn], by: 'local' },
    ...more,
  };
}

export function statement(
  kind: MemoryKind,
  title: string,
  more: Partial<Memory> = {},
  minute = 0,
): Statement {
  return statementOf(said(kind, title, more, minute));
}

export function source(memory: Memory, more: Partial<Source> = {}): Source {
  return {
    statement: statementOf(memory),
    byHand: memory.provenance.by === 'person',
    pinned: false,
    ...more,
  };
}
