/** The port of transcript readers: a file in, turns out. One reader per agent; this module only declares types. */
import type { Agent, Turn } from '../core/index.ts';

/** A turn and its place in the file. */
export interface TurnRead {
  readonly turn: Turn;
  /** The transcript says that the agent stopped. The last turn of a file may still grow after that. */
  readonly complete: boolean;
  /** Byte offset of its first line: reading again from here gives the same turn and the later ones. */
  readonly start: number;
  /** Byte offset after its last line. */
  readonly end: number;
  /** The client's ids of its prompts, where the client writes them. Hooks use the same ids. */
  readonly promptIds: readonly string[];
}

export interface TranscriptProblem {
  /** Counted from where the read began. */
  readonly line: number;
  readonly offset: number;
  readonly reason: string;
}

/** Findings of a read beside the turns. The caller passes an empty one and inspects it afterwards. */
export interface TranscriptNotes {
  title?: string;
  lines: number;
  malformed: number;
  oversized: number;
  /** Turns that an old client wrote twice under new uuids; they are not yielded again. */
  repeated: number;
  /** Messages the client wrote itself: output of its own commands, feedback of hooks. */
  system: number;
  /** Lines of the agent without a turn in the part read. */
  stray: number;
  /** The offset did not match the file (cut, replaced, rewritten), so it was read from its beginning. */
  restarted: boolean;
  /** Byte offset after the last whole line. */
  end: number;
  /** The first few; the counts are complete. */
  problems: TranscriptProblem[];
}

export interface ReadOptions {
  /** A `start` or `end` of an earlier read; 0 when absent. */
  readonly offset?: number;
  readonly notes?: TranscriptNotes;
  readonly signal?: AbortSignal;
  /** The user's turn that `task` and `subagent` turns continue, if the part read does not contain it. */
  readonly continues?: string;
}

export interface Subagent {
  readonly id: string;
  readonly path: string;
  /** The call in the main transcript that started it: it continues the turn with this call. */
  readonly toolUseId?: string;
}

export interface TranscriptReader {
  readonly agent: Agent;
  readTurns(path: string, options?: ReadOptions): AsyncGenerator<TurnRead>;
  subagentsOf(transcriptPath: string): Promise<readonly Subagent[]>;
}

export function emptyNotes(): TranscriptNotes {
  return {
    lines: 0,
    malformed: 0,
    oversized: 0,
    repeated: 0,
    system: 0,
    stray: 0,
    restarted: false,
    end: 0,
    problems: [],
  };
}
