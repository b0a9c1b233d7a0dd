/** A memory: one thing worth knowing later. */
import { TidemarkError } from './error.ts';

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

/** Kinds that bind later work. */
export const RULE_KINDS: readonly MemoryKind[] = ['decision', 'preference', 'pattern'];
/** Kinds of finished work. */
export const WORK_KINDS: readonly MemoryKind[] = ['bugfix', 'feature', 'refactor'];

/** Longest title in characters, for every way in. Imports and models cut theirs earlier. */
export const LONGEST_TITLE = 500;

/** Throws TidemarkError `usage` for a title that is too long. */
export function checkTitle(title: string): void {
  if (title.length <= LONGEST_TITLE) return;
  throw new TidemarkError(
    'usage',
    `the title has ${title.length.toLocaleString('en')} characters; at most ${LONGEST_TITLE} are allowed`,
    { hint: 'Say it in one sentence and put the rest into the body (--body <text>).' },
  );
}

/** Far more memories than one turn has. */
export const MAX_PER_TURN = 100;

/** `open` and `resolved` are for issues; `superseded` means replaced by a later memory; all others are `current`. */
export const MEMORY_STATES = ['current', 'open', 'resolved', 'superseded'] as const;
export type MemoryState = (typeof MEMORY_STATES)[number];

/**
 * The origin of a statement: the user (`said`), a test, commit or command output (`shown`), the agent (`claimed`), or a
 * text that one of them quoted. Only the first two make a rule.
 */
export const EVIDENCE = ['said', 'shown', 'claimed', 'quoted'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** The maker of a memory. */
export type MemorySource = 'user' | 'agent' | 'model' | 'small' | 'rules' | 'import';

/** The exact messages that a memory came from. Never contains a path of the machine. */
export interface Provenance {
  readonly agent: string;
  readonly session: string;
  readonly turn: string;
  /** uuids of a few messages of the transcript: the prompt, and those that state the memory. */
  readonly messages: readonly string[];
  /** The distiller that made it (`local`, `small`), `agent`, `person`, or the tool it was imported from. */
  readonly by: string;
  /** A few newest other turns that state the same, oldest first. */
  readonly also?: readonly string[];
}

/** A distiller's proposal; it becomes a memory with an id, a project and a state. */
export interface MemoryDraft {
  readonly kind: MemoryKind;
  readonly title: string;
  readonly body: string;
  readonly reason?: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  /** Relative to the project's root if possible. */
  readonly files: readonly string[];
  /** Only issues have one in a draft; all others start as `current`. */
  readonly state?: MemoryState;
  /** About the user, not the project: stored in the personal project. */
  readonly personal?: boolean;
  readonly evidence?: Evidence;
  /** The exact words of the turn that state it. Decides the evidence and is not stored. */
  readonly quote?: string;
}

/** A turn stated that a memory is over. It stays over unless a later turn states the memory again. */
export interface Ended {
  readonly at: string;
  readonly turn: string;
  /** The distiller that read it, as in `provenance.by`. */
  readonly maker: string;
  /** The memory that replaced or resolved it. */
  readonly by?: string;
}

/**
 * A change that a turn makes: it adds a memory, which may end memories of earlier turns, or it only ends one.
 */
export type Operation =
  | { readonly op: 'add'; readonly draft: MemoryDraft; readonly ends: readonly string[] }
  | { readonly op: 'end'; readonly id: string };

export function addedDrafts(operations: readonly Operation[]): readonly MemoryDraft[] {
  return operations.flatMap((operation) => (operation.op === 'add' ? [operation.draft] : []));
}

export interface Memory extends Omit<MemoryDraft, 'quote'> {
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
  readonly ended?: Ended;
  /** Number of turns that state it; omitted if one. */
  readonly seen?: number;
  /** The team member it came from; omitted for the user's own. */
  readonly author?: string;
}

/** Maker of memories from the client's own files. The client loads those itself, so they are searched but not injected. */
export const SOURCE_MAKER = 'claude-code';

/** Maker of memories distilled by rules, without a model. */
export const RULES_MAKER = 'local';
/** Maker of memories that the small on-device model distilled. */
export const SMALL_MAKER = 'small';
/** Maker of memories that a language model read out of turns: those in exports and shared journals. */
export const MODEL_MAKER = 'model';
/** Maker of memories that the coding agent noted itself. */
export const AGENT_MAKER = 'agent';
/** Maker of memories the user wrote. */
export const USER_MAKER = 'person';
const SOURCES: Readonly<Record<string, MemorySource>> = {
  [USER_MAKER]: 'user',
  [AGENT_MAKER]: 'agent',
  [SMALL_MAKER]: 'small',
  [RULES_MAKER]: 'rules',
  [MODEL_MAKER]: 'model',
};

export function sourceOf({ provenance }: Pick<Memory, 'provenance'>): MemorySource {
  return SOURCES[provenance.by] ?? 'import';
}

export function evidenceOf(memory: Pick<Memory, 'evidence' | 'provenance'>): Evidence {
  return memory.evidence ?? (memory.provenance.by === USER_MAKER ? 'said' : 'claimed');
}

/** Whether only the user's own words may end it: the user wrote it, or it is a rule or a decision that the user said. */
export function isOfUser(memory: Pick<Memory, 'kind' | 'evidence' | 'provenance'>): boolean {
  const isRule = RULE_KINDS.includes(memory.kind) && evidenceOf(memory) === 'said';
  return isRule || memory.provenance.by === USER_MAKER;
}

/** Returns the state in which a memory of this kind begins. */
export function firstState(kind: MemoryKind): 'open' | 'current' {
  return kind === 'issue' ? 'open' : 'current';
}

/** Whether a memory is presented as true now. */
export function isLive({ state }: Pick<Memory, 'state'>): boolean {
  return state === 'current' || state === 'open';
}

/** A preference or pattern that was stated this often stays in force until it is contradicted. */
const STANDING_FROM = 3;

export function isStanding(memory: Pick<Memory, 'kind' | 'state' | 'seen' | 'provenance'>): boolean {
  if (memory.state !== 'current') return false;
  if (memory.kind !== 'preference' && memory.kind !== 'pattern') return false;
  return memory.provenance.by === 'person' || (memory.seen ?? 1) >= STANDING_FROM;
}
