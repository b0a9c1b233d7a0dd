/**
 * Follows a transcript by byte offset and stores the turns found in it. Reading twice changes nothing: turns are known
 * by their uuid, and the offset only moves past turns that are finished. Never writes to the transcript.
 */
import {
  emptyNotes,
  readerOf,
  transcriptState,
  type TranscriptState,
  type TurnRead,
} from '../agents/index.ts';
import { given, type Agent, type Memory, type Session, type Turn } from '../core/index.ts';
import type { Distiller } from '../distill/index.ts';
import type { Stores } from '../memory/index.ts';
import { redact } from '../privacy/index.ts';
import { contentOf } from './content.ts';
import { storeTurns } from './store-turn.ts';
import { unansweredSince } from './without-transcript.ts';

/** Turns that share one wait for the disk; few enough that an event never waits long for its turn. */
const BATCH_TURNS = 16;
/** Characters of an answer that identify it. */
const ANSWER_PROBE = 2000;

export interface CaptureRequest {
  readonly agent: Agent;
  readonly path: string;
  readonly session: string;
  readonly project: string;
  readonly root?: string;
  /** When the agent stopped: every turn that began before is finished, even if the file does not say so. */
  readonly stoppedAt?: string;
  /** A turn that began before this time and is not finished is stored too, as `open`: the user's words count already. */
  readonly openBefore?: string;
  /** The agent's last answer, in case the file lacks it. */
  readonly lastAnswer?: string;
  /** The client's id of the prompt that `lastAnswer` answers. */
  readonly promptId?: string;
  /**
   * Reads nothing and reports `tooEarly` as long as the file lacks the turn the agent stopped after: the turn of this
   * prompt, if the client gave its id.
   */
  readonly onlyIfWritten?: { readonly promptId?: string };
  /** For a subagent's transcript: the turn it works for. */
  readonly continues?: string;
  readonly skip?: (turn: Turn) => boolean;
  readonly signal?: AbortSignal;
  /** Called after each batch: resolves when nothing more urgent is in progress. */
  readonly yieldToEvents?: () => Promise<void>;
}

export interface Captured {
  readonly turns: number;
  readonly memories: readonly Memory[];
  readonly unfinished: number;
  /** When the last unfinished turn began that is not stored yet. */
  readonly waiting?: string;
  readonly redactions: Readonly<Record<string, number>>;
  /** Finished turns in the part read, known before or not. */
  readonly found: number;
  /** New turns that the user interrupted. */
  readonly interrupted: number;
  /** Messages the client wrote itself. */
  readonly system: number;
  /** Unreadable lines, with line numbers where the file was read from its beginning. */
  readonly problems: readonly { readonly line?: number; readonly reason: string }[];
  readonly tooEarly?: true;
}

export async function captureTranscript(
  stores: Stores,
  distiller: Distiller,
  request: CaptureRequest,
): Promise<Captured> {
  const file = transcriptState(request.agent, request.path);
  if (!file) return request.onlyIfWritten ? { ...NOTHING, tooEarly: true } : NOTHING;
  const { path, session, project, root, signal } = request;
  const from = startOffset(stores, path, file);
  const notes = emptyNotes();
  const continues = request.continues ?? lastPersonTurn(stores, session);
  const stream = readerOf(request.agent).readTurns(path, {
    offset: from,
    notes,
    ...given({ continues, signal }),
  });
  const collected = request.onlyIfWritten ? await collect(stream) : undefined;
  if (collected && !isWritten(stores, collected, request)) return { ...NOTHING, tooEarly: true };
  const memories: Memory[] = [];
  const redactions: Record<string, number> = {};
  let turns = 0;
  let unfinished = 0;
  let found = 0;
  let interrupted = 0;
  let waiting: string | undefined;
  const mark = (readOffset: number, size: number) =>
    stores.index.setTranscript({ path, session, project, ...file, readOffset, size });
  let offset = from;
  let batch: { readonly turn: Turn; readonly read: TurnRead }[] = [];
  const store = async (): Promise<void> => {
    const accepted = batch.flatMap(({ turn }) => (request.skip?.(turn) ? [] : (contentOf(turn) ?? [])));
    const last = batch.at(-1);
    batch = [];
    for (const stored of await storeTurns(stores, distiller, accepted, { project, ...given({ root }) })) {
      found++;
      if (stored.isNew) turns++;
      if (stored.isNew && stored.turn.outcome === 'interrupted') interrupted++;
      memories.push(...stored.memories);
      for (const [type, n] of Object.entries(stored.redactions))
        redactions[type] = (redactions[type] ?? 0) + n;
    }
    await request.yieldToEvents?.();
    // If the read is cut short after this mark, the sweep sees that the file contains more.
    if (last) mark(last.read.start, last.read.end);
  };
  for await (const read of collected ?? stream) {
    const stopped = isStopped(read, request);
    offset = read.start;
    if (!read.complete && !stopped) {
      unfinished++;
      if (!isOpenTurn(read, request)) waiting = read.turn.startedAt;
      else if (await isNewPrompt(stores, read.turn)) batch.push({ turn: openTurn(read, request), read });
    } else if (stopped && !request.lastAnswer && (await isStoredWithAnswer(stores, read.turn))) found++;
    else batch.push({ turn: finish(read, request, stopped), read });
    if (batch.length >= BATCH_TURNS) await store();
  }
  await store();
  if (!signal?.aborted) mark(offset, file.size);
  const problems = notes.problems.map(({ line, offset: at, reason }) =>
    from === 0 || notes.restarted ? { line, reason } : { reason: `${reason} (at byte ${at})` },
  );
  return {
    turns,
    memories,
    unfinished,
    redactions,
    found,
    interrupted,
    system: notes.system,
    problems,
    ...given({ waiting }),
  };
}

/**
 * Returns the turn a subagent works for: the one with the call that started it. A subagent often ends before that turn,
 * so the main transcript is read too. `path` is the subagent's transcript.
 */
export async function parentTurn(
  stores: Stores,
  session: Pick<Session, 'id' | 'agent'>,
  path: string,
): Promise<string | undefined> {
  const reader = readerOf(session.agent);
  const main = reader.mainOf(path) ?? '';
  const call = (await reader.subagentsOf(main)).find((subagent) => subagent.path === path)?.toolUseId;
  const calls = (turn: Turn): boolean => turn.tools.some(({ id }) => id === call);
  let last: string | undefined;
  const offset = stores.index.transcript(main)?.readOffset ?? 0;
  for await (const { turn } of reader.readTurns(main, { offset })) {
    if (calls(turn)) return turn.id;
    if (turn.origin === 'person') last = turn.id;
  }
  const stored = stores.index.turnsIn(session.id).toReversed();
  for (const { id, tools, location } of call === undefined ? [] : stored) {
    const turn = tools > 0 && location ? await stores.turns.get(location) : undefined;
    if (turn && calls(turn)) return id;
  }
  // Old clients do not name the call, and a subagent of a subagent was called from another file.
  return last ?? stored.find(({ origin }) => origin === 'person')?.id;
}

const NOTHING: Captured = {
  turns: 0,
  memories: [],
  unfinished: 0,
  redactions: {},
  found: 0,
  interrupted: 0,
  system: 0,
  problems: [],
};

/** The start of the last known turn, so that lines added to it later are read too; 0 if the file was replaced or cut. */
function startOffset(stores: Stores, path: string, file: TranscriptState): number {
  const known = stores.index.transcript(path);
  if (!known || known.inode !== file.inode || known.headHash !== file.headHash) return 0;
  return known.readOffset > file.size ? 0 : known.readOffset;
}

async function collect(stream: AsyncIterable<TurnRead>): Promise<readonly TurnRead[]> {
  const reads: TurnRead[] = [];
  for await (const read of stream) reads.push(read);
  return reads;
}

function lastPersonTurn(stores: Stores, session: string): string | undefined {
  return stores.index.turnsIn(session).findLast(({ origin }) => origin === 'person')?.id;
}

/**
 * Whether the client has written the turn it stopped after. At Stop the file may lack the answer, and with a quick model
 * the prompt too; both follow within moments (docs/claude-code.md).
 */
function isWritten(stores: Stores, reads: readonly TurnRead[], request: CaptureRequest): boolean {
  const { stoppedAt, onlyIfWritten, lastAnswer, session } = request;
  const begun = reads.filter(({ turn }) => stoppedAt === undefined || turn.startedAt <= stoppedAt);
  const stopped = stoppedTurn(stores, begun, session, onlyIfWritten?.promptId);
  if (!stopped) return false;
  const answer = lastAnswer?.trim();
  return answer
    ? includesAnswer(stopped.turn.answer, answer)
    : stopped.complete || stopped.turn.outcome !== 'open';
}

/** The last turn with that prompt. Without ids of prompts it counts only if it is new or longer: an old one had its own Stop. */
function stoppedTurn(
  stores: Stores,
  reads: readonly TurnRead[],
  session: string,
  promptId: string | undefined,
): TurnRead | undefined {
  const last = reads.at(-1);
  if (!last) return undefined;
  const known = stores.index.turn(last.turn.id);
  if (promptId === undefined) {
    const isKnown = known && known.outcome !== 'open' && known.endedAt >= last.turn.endedAt;
    const promptAt = unansweredSince(stores, session);
    return isKnown && (promptAt === undefined || last.turn.endedAt < promptAt) ? undefined : last;
  }
  const named = reads.findLast(({ promptIds }) => promptIds.includes(promptId));
  return named ?? (known ? undefined : last);
}

/** The event's text is redacted and may be cut, the file's is neither, so the redacted beginnings are compared. */
function includesAnswer(answer: string, lastAnswer: string): boolean {
  return onOneLine(redact(answer).text).includes(onOneLine(lastAnswer).slice(0, ANSWER_PROBE));
}

/** The client joins the blocks of a message in another way than the reader. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function isStopped(read: TurnRead, request: CaptureRequest): boolean {
  return !read.complete && request.stoppedAt !== undefined && read.turn.startedAt <= request.stoppedAt;
}

function isOpenTurn({ turn }: TurnRead, { openBefore }: CaptureRequest): boolean {
  return openBefore !== undefined && turn.startedAt <= openBefore;
}

function openTurn({ turn }: TurnRead, { session }: CaptureRequest): Turn {
  return { ...turn, session, outcome: 'open' };
}

/** While a turn is open only the user's words are used, so it is stored again only when they grew. */
async function isNewPrompt(stores: Stores, { id, prompt, origin }: Turn): Promise<boolean> {
  const known = stores.index.turn(id);
  if (origin !== 'person') return false;
  if (!known) return true;
  const stored = known.outcome === 'open' && known.location && (await stores.turns.get(known.location));
  return stored ? stored.prompt !== redact(prompt).text : false;
}

function finish(read: TurnRead, request: CaptureRequest, stopped: boolean): Turn {
  const turn = { ...read.turn, session: request.session };
  if (!stopped) return turn;
  const answer = isAnswerTo(read, request) ? request.lastAnswer?.trim() : undefined;
  const missing = answer && !includesAnswer(turn.answer, answer);
  return {
    ...turn,
    answer: missing ? [turn.answer, answer].filter((text) => text !== '').join('\n\n') : turn.answer,
    outcome: turn.outcome === 'open' ? (answer ? 'answered' : 'interrupted') : turn.outcome,
  };
}

/** False if the file names its prompts and this is another one: the prompt that was answered is not written yet. */
function isAnswerTo({ promptIds }: TurnRead, { promptId }: CaptureRequest): boolean {
  return promptId === undefined || promptIds.length === 0 || promptIds.includes(promptId);
}

/** Whether an earlier Stop supplied the answer that the file still lacks: then the stored turn is the better one. */
async function isStoredWithAnswer(stores: Stores, read: Turn): Promise<boolean> {
  const location = read.outcome === 'open' ? stores.index.turn(read.id)?.location : undefined;
  const stored = location && (await stores.turns.get(location));
  return stored?.outcome === 'answered' && stored.messages.length >= read.messages.length;
}
