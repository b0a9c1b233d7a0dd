/** A memory: one thing worth knowing later. */

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

/** `open` and `resolved` are for issues; `superseded` means replaced by a later memory; all others are `current`. */
export type MemoryState = 'current' | 'open' | 'resolved' | 'superseded';

/** The exact messages that a memory came from. Never contains a path of the machine. */
export interface Provenance {
  readonly agent: string;
  readonly session: string;
  readonly turn: string;
  /** uuids of a few messages of the transcript: the prompt, and those that state the memory. */
  readonly messages: readonly string[];
  /** The distiller that made it (`local`, `claude`, …), `person`, or the tool it was imported from. */
  readonly by: string;
  /** A few newest other turns that state the same, oldest first. */
  readonly also?: readonly string[];
}

/** A distiller's proposal; it becomes a memory with an id, a project and a state. */
export interface MemoryDraft {
  readonly kind: MemoryKind;
  readonly title: string;
  readonly body: string;
  /** Why, for a decision. */
  readonly reason?: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  /** Relative to the project's root if possible. */
  readonly files: readonly string[];
  /** Only issues have one in a draft; all others start as `current`. */
  readonly state?: MemoryState;
  /** About the user, not the project: stored in the personal project. */
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
  /** The memory of a later turn that resolved this issue. */
  readonly resolvedBy?: string;
  /** Number of turns that state it; omitted if one. */
  readonly seen?: number;
  /** The team member it came from; omitted for the user's own. */
  readonly author?: string;
}

/** Maker of memories from the client's own files. The client loads those itself, so they are searched but not injected. */
export const SOURCE_MAKER = 'claude-code';

/** Maker of memories distilled by rules, without a model. */
export const RULES_MAKER = 'local';

/** A preference or pattern that was stated this often stays in force until it is contradicted. */
const STANDING_FROM = 3;

export function isStanding(memory: Pick<Memory, 'kind' | 'state' | 'seen' | 'provenance'>): boolean {
  if (memory.state !== 'current') return false;
  if (memory.kind !== 'preference' && memory.kind !== 'pattern') return false;
  return memory.provenance.by === 'person' || (memory.seen ?? 1) >= STANDING_FROM;
}
