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

export interface TranscriptFile {
  /** A file, or a file and a session in it: `…/opencode.db#ses_1`. */
  readonly path: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

export interface FoundTranscript extends TranscriptFile {
  readonly session: string;
  /** The folder the session was started in. */
  readonly projectDir: string;
  readonly branch?: string;
  readonly startedAt: string;
  /** Transcripts of its subagents. */
  readonly subagents: readonly string[];
}

export interface RefusedFile {
  readonly path: string;
  readonly reason: string;
}

export interface FoundFiles {
  /** Newest first. */
  readonly files: readonly TranscriptFile[];
  /** Files that are named like a transcript but are none. */
  readonly refused: readonly RefusedFile[];
}

/** Reason for a file without a conversation. */
export const NO_CONVERSATION = 'contains no conversation';
/** Reason for a session whose project cannot be found out. */
export const UNKNOWN_FOLDER = 'the folder of the session is unknown';

/** Shows whether a transcript has grown or was replaced. */
export interface TranscriptState {
  /** Bytes, or any number that grows with the transcript and is never below an offset in it. */
  readonly size: number;
  readonly inode: number;
  readonly mtime: number;
  readonly headHash: string;
}

export interface TranscriptReader {
  readonly agent: Agent;
  /** The client's folder with its sessions, as the environment sets it. */
  folder(env: NodeJS.ProcessEnv): string;
  /** More places with sessions, as the environment names them: a database, for example. */
  more?(env: NodeJS.ProcessEnv): readonly string[];
  /** Lists the transcripts of main conversations below that folder. Follows no links and opens no pipes. */
  find(folder: string): FoundFiles;
  /** Returns session, folder and branch of a transcript, or the reason why it is none. */
  describe(file: TranscriptFile): Promise<FoundTranscript | string>;
  /** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
  readTurns(path: string, options?: ReadOptions): AsyncGenerator<TurnRead>;
  /** Where the transcript of a session is. Only for clients whose hooks do not always name it. */
  pathOf?(session: string, env: NodeJS.ProcessEnv): string | undefined;
  subagentsOf(transcriptPath: string): Promise<readonly Subagent[]>;
  /** The transcript of the conversation that started a subagent. */
  mainOf(subagentPath: string): string | undefined;
  /** Only where a transcript is not a file that grows at its end. Undefined if it is missing. */
  stateOf?(path: string): TranscriptState | undefined;
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
