/** The port every agent's transcript reader fills: a file in, turns out. One file per agent; nothing here reads. */
import type { Agent, Turn } from '../core/index.ts';

/** A turn and where it stands in the file. */
export interface TurnRead {
  readonly turn: Turn;
  /** The transcript says that the agent stopped. The last turn of a file may still grow all the same. */
  readonly complete: boolean;
  /** Byte offset of its first line: reading again from here gives the same turn, and whatever came after. */
  readonly start: number;
  /** Byte offset after its last line. */
  readonly end: number;
  /** What the client calls the prompts in it, where it names them: a hook speaks of one by the same name. */
  readonly promptIds: readonly string[];
}

export interface TranscriptProblem {
  /** Counted from where the reading began. */
  readonly line: number;
  readonly offset: number;
  readonly reason: string;
}

/** What a reading found beside the turns. The caller hands in an empty one and looks at it afterwards. */
export interface TranscriptNotes {
  title?: string;
  lines: number;
  malformed: number;
  oversized: number;
  /** Turns an old client wrote a second time under new uuids; they are not yielded again. */
  repeated: number;
  /** What the client wrote itself: output of its own commands, feedback of hooks. */
  system: number;
  /** Lines of the agent that belong to no turn in the part read. */
  stray: number;
  /** The offset did not fit the file (cut, replaced, rewritten), so it was read from its beginning. */
  restarted: boolean;
  /** Byte offset after the last whole line. */
  end: number;
  /** The first few; the counts are complete. */
  problems: TranscriptProblem[];
}

export interface ReadOptions {
  /** A `start` or `end` of an earlier reading; 0 when absent. */
  readonly offset?: number;
  readonly notes?: TranscriptNotes;
  readonly signal?: AbortSignal;
  /** The person's turn that `task` and `subagent` turns go on from, where the part read does not say. */
  readonly continues?: string;
}

export interface Subagent {
  readonly id: string;
  readonly path: string;
  /** The call in the main transcript that started it: the turn that holds it is the one it continues. */
  readonly toolUseId?: string;
  readonly agentType?: string;
  readonly description?: string;
  readonly finished?: boolean;
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
