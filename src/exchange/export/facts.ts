/** Exports memories as Memory Keeper's facts.json: decisions, patterns and issues. Pure. */
import { isLive, type Memory, type MemoryKind } from '../../core/index.ts';
import type { ProjectExport } from './claude-mem.ts';
import { byTime } from './export-record.ts';

type List = 'decisions' | 'patterns' | 'issues';

/** The list and the type of a kind. Memory Keeper knows no other kinds. */
const FACTS: Readonly<Partial<Record<MemoryKind, { readonly list: List; readonly type?: string }>>> = {
  decision: { list: 'decisions' },
  preference: { list: 'decisions', type: 'preference' },
  pattern: { list: 'patterns' },
  dead_end: { list: 'patterns', type: 'anti-pattern' },
  issue: { list: 'issues' },
};

export interface FactsExport {
  readonly text: string;
  readonly facts: number;
}

/** Leaves out superseded memories, because the format has no state for them. Resolved issues stay. */
export function factsFile({ memories }: ProjectExport): FactsExport {
  const lists: Record<List, object[]> = { decisions: [], patterns: [], issues: [] };
  for (const memory of memories.toSorted(byTime)) {
    const fact = FACTS[memory.kind];
    if (!fact || !(isLive(memory) || memory.state === 'resolved')) continue;
    const rows = lists[fact.list];
    rows.push({ id: idOf(fact.list, rows.length + 1), ...rowOf(memory, fact) });
  }
  const facts = Object.values(lists).reduce((sum, rows) => sum + rows.length, 0);
  return { text: `${JSON.stringify({ _meta: { counter: 0 }, ...lists }, null, 2)}\n`, facts };
}

/** `d001`, `p001`, `i001` */
function idOf(list: List, n: number): string {
  return `${list.charAt(0)}${String(n).padStart(3, '0')}`;
}

function rowOf(memory: Memory, { list, type }: { readonly list: List; readonly type?: string }): object {
  const { at, title, reason, files, concepts, state } = memory;
  return {
    date: at.slice(0, 10),
    ...(type === undefined ? {} : { type }),
    content: title,
    ...(reason === undefined ? {} : { reason }),
    ...(list === 'issues' ? { status: state === 'resolved' ? 'resolved' : 'open' } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(concepts.length > 0 ? { concepts } : {}),
  };
}
