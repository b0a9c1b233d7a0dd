/**
 * Follows transcripts by offset and keeps the turns found in them. Reading twice changes nothing: turns are known by
 * their uuid, and the offset only moves past what the file itself says is finished.
 */
import { emptyNotes, readTurns, type ReadOptions, type TurnRead } from '../agents/index.ts';
import type { Memory, Turn } from '../core/index.ts';
import type { Distiller } from '../distill/index.ts';
import type { Stores } from '../memory/index.ts';
import { identify, startOffset } from './followed-file.ts';
import { saysSo } from './stopped-turn.ts';
import { storeTurns } from './store-turn.ts';

/** Turns that share one wait for the disk; few enough that an event never waits long for its turn. */
const KEPT_AT_ONCE = 16;

export interface CaptureRequest {
  readonly path: string;
  readonly session: string;
  readonly project: string;
  readonly root?: string;
  /** The agent has stopped: whatever began before this instant is finished, whether the file says so or not. */
  readonly stoppedAt?: string;
  /** What the agent said last, for when the file lacks it. */
  readonly lastAnswer?: string;
  /** What the client calls the prompt it was said to. */
  readonly promptId?: string;
  /** For a subagent's transcript: the turn it works for. */
  readonly continues?: string;
  readonly skip?: (turn: Turn) => boolean;
  readonly signal?: AbortSignal;
  /** Asked after each turn: resolves when nothing more urgent is under way. */
  readonly giveWay?: () => Promise<void>;
}

export interface Captured {
  readonly turns: number;
  readonly memories: readonly Memory[];
  readonly unfinished: number;
  readonly redactions: Readonly<Record<string, number>>;
  /** Finished turns in what was read, known before or not. */
  readonly found: number;
  /** Of the new ones, those the person stopped. */
  readonly interrupted: number;
  /** Messages the client wrote itself. */
  readonly system: number;
  /** What could not be read, with its line where the file was read from its beginning. */
  readonly problems: readonly { readonly line?: number; readonly reason: string }[];
}

export async function captureTranscript(
  stores: Stores,
  distiller: Distiller,
  request: CaptureRequest,
): Promise<Captured> {
  const file = identify(request.path);
  if (!file) return NOTHING;
  const memories: Memory[] = [];
  const redactions: Record<string, number> = {};
  let turns = 0;
  let unfinished = 0;
  let found = 0;
  let interrupted = 0;
  const notes = emptyNotes();
  const { path, session, project } = request;
  const mark = (readOffset: number, size: number) =>
    stores.index.setTranscript({ path, session, project, ...file, readOffset, size });
  const from = startOffset(stores, path, file);
  let offset = from;
  let waiting: { readonly turn: Turn; readonly read: TurnRead }[] = [];
  const keep = async (): Promise<void> => {
    const turnsOf = waiting.flatMap(({ turn }) => (request.skip?.(turn) ? [] : [turn]));
    const last = waiting.at(-1);
    waiting = [];
    const options = { project, ...(request.root ? { root: request.root } : {}) };
    for (const kept of await storeTurns(stores, distiller, turnsOf, options)) {
      found++;
      if (kept.isNew) turns++;
      if (kept.isNew && kept.turn.outcome === 'interrupted') interrupted++;
      memories.push(...kept.memories);
      for (const [type, n] of Object.entries(kept.redactions)) redactions[type] = (redactions[type] ?? 0) + n;
    }
    await request.giveWay?.();
    // Read up to here and no further: cut short, the sweep sees that the file holds more.
    if (last) mark(last.read.start, last.read.end);
  };
  for await (const read of readTurns(path, { ...readOptions(stores, request, from), notes })) {
    const stopped = isStopped(read, request);
    offset = read.start;
    if (!read.complete && !stopped) unfinished++;
    else if (stopped && !request.lastAnswer && (await isKnownWhole(stores, read.turn))) found++;
    else waiting.push({ turn: finish(read, request, stopped), read });
    if (waiting.length >= KEPT_AT_ONCE) await keep();
  }
  await keep();
  if (!request.signal?.aborted) mark(offset, file.size);
  const problems = notes.problems.map(({ line, offset: at, reason }) =>
    from === 0 || notes.restarted ? { line, reason } : { reason: `${reason} (at byte ${at})` },
  );
  return { turns, memories, unfinished, redactions, found, interrupted, system: notes.system, problems };
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

/** Always from the beginning of the last turn known, so that what was added to it after its end is seen too. */
function readOptions(stores: Stores, request: CaptureRequest, offset: number): ReadOptions {
  const continues =
    request.continues ??
    stores.index.turnsIn(request.session).findLast(({ origin }) => origin === 'person')?.id;
  return {
    offset,
    ...(continues ? { continues } : {}),
    ...(request.signal ? { signal: request.signal } : {}),
  };
}

function isStopped(read: TurnRead, request: CaptureRequest): boolean {
  return !read.complete && request.stoppedAt !== undefined && read.turn.startedAt <= request.stoppedAt;
}

function finish(read: TurnRead, request: CaptureRequest, stopped: boolean): Turn {
  const turn = { ...read.turn, session: request.session };
  if (!stopped) return turn;
  const answer = isAnswerTo(read, request) ? request.lastAnswer?.trim() : undefined;
  const missing = answer && !saysSo(turn.answer, answer);
  return {
    ...turn,
    answer: missing ? [turn.answer, answer].filter((text) => text !== '').join('\n\n') : turn.answer,
    outcome: turn.outcome === 'open' ? (answer ? 'answered' : 'interrupted') : turn.outcome,
  };
}

/** Not when the file names its prompts and this is another one: the prompt that was answered is not there yet. */
function isAnswerTo({ promptIds }: TurnRead, { promptId }: CaptureRequest): boolean {
  return promptId === undefined || promptIds.length === 0 || promptIds.includes(promptId);
}

/** Its Stop told the answer that the file lacks to this day: what is kept says more than the file does. */
async function isKnownWhole(stores: Stores, read: Turn): Promise<boolean> {
  const location = read.outcome === 'open' ? stores.index.turn(read.id)?.location : undefined;
  const kept = location && (await stores.turns.get(location));
  return kept?.outcome === 'answered' && kept.messages.length >= read.messages.length;
}
