/** Teams, members and entries for tests of the server's store. */
import { memoryId, type Memory, contentHash } from '../../src/core/index.ts';
import type { Change, WireEntry } from '../../src/exchange/sync/index.ts';

/** `entryOf('Refresh tokens rotate', { clock: 2 })`: the same title is the same entry. */
export function entryOf(
  title: string,
  given: Partial<WireEntry> & { readonly clock?: number; readonly by?: string } = {},
): WireEntry {
  const { clock = 1, by = 'laptop', ...rest } = given;
  const at = given.at ?? '2026-11-15T09:30:00.000Z';
  const turn = `turn-${contentHash(title).slice(0, 12)}`;
  return {
    id: memoryId(at, turn, 'decision', 0),
    kind: 'decision',
    title,
    body: `${title}, said in a turn.`,
    facts: [],
    concepts: [],
    files: [],
    state: 'current',
    at,
    provenance: { agent: 'claude-code', session: 'session-1', turn, messages: [], by: 'local' },
    machine: by,
    version: { clock, machine: by },
    ...rest,
  };
}

export function put(entry: WireEntry): Change {
  return { op: 'put', entry };
}

/** A memory as a client would send it. */
export function entryOfMemory(memory: Memory): WireEntry {
  const { project: _project, personal: _personal, provenance, ...rest } = memory;
  const { also: _also, ...from } = provenance;
  return { ...rest, provenance: from, machine: 'laptop', version: { clock: 1, machine: 'laptop' } };
}
