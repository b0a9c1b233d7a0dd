/** A memory: one distilled thing worth knowing later. */

export const MEMORY_KINDS = [
  'decision',
  'bugfix',
  'feature',
  'refactor',
  'discovery',
  'pattern',
  'issue',
  'preference',
  'dead_end',
] as const;

export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** `open` and `resolved` belong to issues; `superseded` to anything a later memory replaced; `current` is the rest. */
export type MemoryState = 'current' | 'open' | 'resolved' | 'superseded';

/** The exact messages a memory came from. Never holds a path of the machine. */
export interface Provenance {
  readonly agent: string;
  readonly session: string;
  readonly turn: string;
  /** uuids of the transcript's messages, at most a handful: the prompt, and where the memory was said. */
  readonly messages: readonly string[];
  /** Which distiller made it (`local`, `claude`, …) or `person`, or the peer it was imported from. */
  readonly by: string;
  /** Other turns that said the same, oldest first; at most the newest few. */
  readonly also?: readonly string[];
}

/** What a distiller proposes; it becomes a memory once it has an id, a place and a state. */
export interface MemoryDraft {
  readonly kind: MemoryKind;
  readonly title: string;
  readonly body: string;
  /** Why, for a decision. */
  readonly reason?: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  /** Relative to the project's root wherever possible. */
  readonly files: readonly string[];
  /** Only an issue has one before it is a memory; everything else starts as `current`. */
  readonly state?: MemoryState;
  /** About the user, not the project: it belongs to the personal project, wherever it was said. */
  readonly personal?: boolean;
}

export interface Memory extends MemoryDraft {
  readonly id: string;
  readonly project: string;
  /** Time of the turn it came from, ISO 8601 UTC. */
  readonly at: string;
  readonly state: MemoryState;
  readonly provenance: Provenance;
  readonly branch?: string;
  readonly supersedes?: readonly string[];
  readonly supersededBy?: string;
  /** The memory that shows how an issue was resolved, where a later turn did it. */
  readonly resolvedBy?: string;
  /** In how many turns it was said; left out where that is one. */
  readonly seen?: number;
  /** Who of the team it came from; left out where it is one's own. */
  readonly author?: string;
}

/** Who `made` what stands in the client's own texts. The client loads them by itself, so they are only ever searched. */
export const SOURCE_MAKER = 'claude-code';

/** Who `made` what was distilled by rules alone, without a model. */
export const RULES_MAKER = 'local';

/** A preference or a pattern that came up this often is no whim: it stands until it is contradicted. */
const STANDING_FROM = 3;

export function isStanding(memory: Pick<Memory, 'kind' | 'state' | 'seen' | 'provenance'>): boolean {
  if (memory.state !== 'current') return false;
  if (memory.kind !== 'preference' && memory.kind !== 'pattern') return false;
  return memory.provenance.by === 'person' || (memory.seen ?? 1) >= STANDING_FROM;
}
