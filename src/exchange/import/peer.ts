/** What another memory tool's data comes down to: the port every peer's reader fills. Nothing here reads. */
import type { Agent, MemoryDraft, SessionStatus, SessionSummary } from '../../core/index.ts';

export const PEER_NAMES = ['claude-mem', 'memsearch', 'memory-keeper', 'evermem', 'claude-code'] as const;

export type PeerName = (typeof PEER_NAMES)[number];

/** Data of a peer that lies on this machine. */
export interface PeerFound {
  readonly name: PeerName;
  /** The database or folder, absolute. */
  readonly path: string;
  /** How many of what: `{ sessions: 12, observations: 340 }`; empty where that cannot be told. */
  readonly counts: Readonly<Record<string, number>>;
  /** Why it cannot be read (whole), if so. */
  readonly trouble?: string;
}

/** Where something belongs, as far as the peer knows. */
export interface PeerProject {
  /** The folder it was said in. */
  readonly dir?: string;
  /** The peer's own name for the project. */
  readonly name: string;
  /** About the user, wherever they work. */
  readonly personal?: boolean;
  /** The client's name for the folder: its path with dashes. */
  readonly slug?: string;
}

/** Kept as a memory. Its id is derived from `key`, so that reading it again gives the same one. */
export interface PeerMemory {
  readonly kind: 'memory';
  /** The same for the same thing, on any machine and after any renumbering. */
  readonly key: string;
  /** The peer's own id, for provenance: `observation:12`. */
  readonly source: string;
  readonly at: string;
  readonly draft: MemoryDraft;
  readonly agent: Agent;
  /** The agent's session it was said in; empty where nobody knows. */
  readonly session: string;
  /** uuid of the prompt in the transcript, where the peer kept it. */
  readonly turn?: string;
  /** Which prompt of the session it followed, counted from 1. */
  readonly prompt?: number;
  readonly place: PeerProject;
}

export interface PeerSession {
  readonly kind: 'session';
  readonly source: string;
  readonly id: string;
  readonly agent: Agent;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly status: SessionStatus;
  readonly title?: string;
  readonly summary?: SessionSummary;
  readonly place: PeerProject;
}

/** What a person asked, where the whole conversation may be gone. */
export interface PeerPrompt {
  readonly kind: 'prompt';
  readonly key: string;
  readonly source: string;
  readonly at: string;
  readonly agent: Agent;
  readonly session: string;
  readonly number: number;
  readonly text: string;
  readonly place: PeerProject;
}

/** A transcript of the agent that the peer copied: read like any other. */
export interface PeerTranscript {
  readonly kind: 'transcript';
  readonly path: string;
}

/** A text of the client's own: searched where it lies, never copied into the journal. */
export interface PeerSource {
  readonly kind: 'source';
  readonly path: string;
  readonly place: PeerProject;
}

/** What could not be taken, and why. */
export interface PeerProblem {
  readonly kind: 'problem';
  readonly file: string;
  readonly line?: number;
  readonly reason: string;
}

export type PeerItem = PeerMemory | PeerSession | PeerPrompt | PeerTranscript | PeerSource | PeerProblem;

/** Where to look on this machine. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The client's own folder. */
  readonly configDir: string;
  /** Folders somebody works in: peers that keep their files in the project are looked for there. */
  readonly folders: readonly string[];
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** A folder for copies, for the owner alone; emptied by whoever gave it. */
  readonly scratch: string;
  /** How to reach the peer's own service, where the user gave a key for it. */
  readonly api?: PeerApi;
}

export interface PeerApi {
  readonly url: string;
  readonly key: string;
  readonly user: string;
}

export interface PeerReader {
  readonly name: PeerName;
  /** What it is called by its makers. */
  readonly title: string;
  find(surroundings: Surroundings): readonly PeerFound[];
  /** What lies at a path the user gave; undefined where that is nothing of this peer. */
  look(path: string): PeerFound | undefined;
  /** Only reads. What cannot be read is told as a problem, and the rest goes on. */
  read(found: PeerFound, options: ReadOptions): AsyncGenerator<PeerItem>;
}
