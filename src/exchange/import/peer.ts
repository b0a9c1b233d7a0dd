/** The port of another memory tool: the reader interface and the items it yields. Types only. */
import type { Agent, MemoryDraft, SessionStatus, SessionSummary } from '../../core/index.ts';

export const PEER_NAMES = ['claude-mem', 'memsearch', 'memory-keeper', 'evermem', 'claude-code'] as const;

export type PeerName = (typeof PEER_NAMES)[number];

/** Data of a peer on this machine. */
export interface PeerFound {
  readonly name: PeerName;
  /** The database or folder, absolute. */
  readonly path: string;
  /** `{ sessions: 12, observations: 340 }`; empty if unknown. */
  readonly counts: Readonly<Record<string, number>>;
  /** Reason why it cannot be read, or not completely. */
  readonly trouble?: string;
}

/** The project of an item, as far as the peer knows it. */
export interface PeerProject {
  /** The folder of the session. */
  readonly dir?: string;
  /** The peer's own name for the project. */
  readonly name: string;
  /** About the user, in every project. */
  readonly personal?: boolean;
  /** The client's name for the folder: its path with dashes. */
  readonly slug?: string;
}

/** Becomes a memory. Its id is derived from `key`, so a second import gives the same id. */
export interface PeerMemory {
  readonly kind: 'memory';
  /** The same for the same item, on every machine and after any renumbering. */
  readonly key: string;
  /** The peer's own id, for provenance: `observation:12`. */
  readonly source: string;
  readonly at: string;
  readonly draft: MemoryDraft;
  readonly agent: Agent;
  /** Session id of the agent; empty if unknown. */
  readonly session: string;
  /** uuid of the prompt in the transcript, if the peer stored it. */
  readonly turn?: string;
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
  /** How many turns it had, if the peer counted them. */
  readonly turns?: number;
  readonly place: PeerProject;
}

/** A prompt of the user whose conversation may be gone. */
export interface PeerPrompt {
  readonly kind: 'prompt';
  readonly key: string;
  readonly source: string;
  readonly at: string;
  readonly agent: Agent;
  readonly session: string;
  readonly text: string;
  readonly place: PeerProject;
}

/** A transcript of the agent that the peer copied; read like any other. */
interface PeerTranscript {
  readonly kind: 'transcript';
  readonly path: string;
}

/** A file of the client, indexed in place and never copied into the journal. */
export interface PeerSource {
  readonly kind: 'source';
  readonly path: string;
  readonly place: PeerProject;
}

/** Data that could not be read, and why. */
interface PeerProblem {
  readonly kind: 'problem';
  readonly file: string;
  readonly line?: number;
  readonly reason: string;
}

export type PeerItem = PeerMemory | PeerSession | PeerPrompt | PeerTranscript | PeerSource | PeerProblem;

/** Places to search on this machine. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The client's own folder. */
  readonly configDir: string;
  /** Project folders, for peers that store their files there. */
  readonly folders: readonly string[];
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** A private folder for copies, emptied by the caller. */
  readonly scratch: string;
  /** Access to the peer's service, if the user gave a key. */
  readonly api?: PeerApi;
}

export interface PeerApi {
  readonly url: string;
  readonly key: string;
  readonly user: string;
}

export interface PeerReader {
  readonly name: PeerName;
  /** Its product name. */
  readonly title: string;
  find(surroundings: Surroundings): readonly PeerFound[];
  /** Data at a path the user gave; undefined if it is not of this peer. */
  look(path: string): PeerFound | undefined;
  /** Only reads. Yields a problem for anything unreadable and continues. */
  read(found: PeerFound, options: ReadOptions): AsyncGenerator<PeerItem>;
}
