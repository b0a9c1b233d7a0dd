/**
 * Stores the notes that the agent makes with tools. The client's id of the tool call leads to the turn; a note whose turn
 * cannot be found yet waits in the ledger and is stored with the turn. Evidence comes from the turn, never from the note.
 */
import { readerOf, transcriptState } from '../agents/index.ts';
import {
  FIRST_AGENT,
  given,
  PERSONAL_PROJECT,
  type Agent,
  type Memory,
  type MemoryDraft,
  type Operation,
  type StoredTurn,
  type Turn,
} from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { admittedOperations, SHARE } from '../distill/index.ts';
import {
  noMemory,
  noteId,
  personalProject,
  sessionTurnBefore,
  storeAgentNote,
  type StoredNote,
  type Stores,
} from '../memory/index.ts';
import { redactDeep, redactTurn } from '../privacy/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { isPaused } from './pauses.ts';
import { projectOfFolder, type CaptureScope } from './projects/projects.ts';

/** A tool call is in one of the last turns. */
const TURNS_BACK = 5;

export interface NoteRequest {
  /** Missing if memories only end. */
  readonly draft?: MemoryDraft;
  readonly quote: string;
  /** Ids, or beginnings of ids. */
  readonly ends: readonly string[];
  /** The memory that takes the place of the ended ones, without a draft. */
  readonly by?: string;
  readonly dir: string;
  /** Empty if the client does not report them. */
  readonly session: string;
  readonly call: string;
}

export type NoteOutcome =
  | ({ readonly kind: 'stored' } & StoredNote)
  /** The turn is not known yet. */
  | { readonly kind: 'pending'; readonly id?: string }
  | { readonly kind: 'refused'; readonly reason: 'off' | 'paused' | 'quoted' | 'by-user' };

type Pending = Extract<LedgerRecord, { kind: 'noted' }>;

export async function noteFromAgent(
  stores: Stores,
  request: NoteRequest,
  scope: CaptureScope,
  now: Date,
): Promise<NoteOutcome> {
  const at = now.toISOString();
  const place = await projectOfFolder(stores, request.dir, at, scope);
  if (place.ignored) return { kind: 'refused', reason: 'off' };
  const project = place.project.id;
  if (isPaused(stores.index, { project, session: request.session }))
    return { kind: 'refused', reason: 'paused' };
  for (const id of [...request.ends, ...(request.by ? [request.by] : [])]) memoryNamed(stores, id);
  const { session, call, dir: _, ...note } = redactDeep(request).value;
  const pending: Pending = { kind: 'noted', at, session, call, project, root: place.root, ...note };
  const turn = await turnOf(stores, pending);
  if (turn) return storePending(stores, pending, turn);
  if (call !== '' && session !== '') {
    await stores.ledger.append(pending);
    putPending(stores.index, pending);
    return { kind: 'pending', ...given({ id: note.draft && noteId(at, call, note.draft.kind) }) };
  }
  return storePending(stores, pending, sessionless(pending));
}

/** Stores the notes that waited for a turn. */
export async function storePendingNotes(stores: Stores, turn: StoredTurn): Promise<readonly Memory[]> {
  if (turn.tools.length === 0) return [];
  const calls = new Set(turn.tools.map(({ id }) => id));
  return settle(stores, turn, ({ call }) => calls.has(call));
}

/** Stores the notes of a session whose turn never appeared, with its last turn. */
export async function storeLeftNotes(stores: Stores, session: string): Promise<void> {
  if (pendingIn(stores.index, session).length === 0) return;
  const last = stores.index.turnsIn(session).at(-1);
  const turn = last?.location && (await stores.turns.get(last.location));
  if (turn) await settle(stores, turn, () => true);
}

export function putPending(index: MemoryIndex, record: Pending): void {
  index.setMeta(keyOf(record), JSON.stringify(record));
}

async function settle(
  stores: Stores,
  turn: StoredTurn,
  isDue: (pending: Pending) => boolean,
): Promise<readonly Memory[]> {
  const due = pendingIn(stores.index, turn.session).filter(isDue);
  const memories: Memory[] = [];
  for (const pending of due) {
    const outcome = await storePending(stores, pending, turn);
    if (outcome.kind === 'stored' && outcome.memory && !outcome.waits) memories.push(outcome.memory);
  }
  if (due.length > 0) {
    const calls = new Set(due.map(({ call }) => call));
    await stores.ledger.erase((record) => record.kind === 'noted' && calls.has(record.call));
    for (const pending of due) stores.index.setMeta(keyOf(pending), '');
  }
  return memories;
}

async function storePending(stores: Stores, note: Pending, turn: StoredTurn): Promise<NoteOutcome> {
  const { draft, quote, at, call, root } = note;
  if (draft?.personal) await personalProject(stores, at);
  const find = (id: string): Memory | undefined => {
    const memory = stores.index.memory(id);
    return memory?.project === note.project || memory?.project === PERSONAL_PROJECT ? memory : undefined;
  };
  const proposed = draft
    ? [{ op: 'add' as const, ends: note.ends, quote, draft }]
    : note.ends.map((id) => ({ op: 'end' as const, id, quote }));
  const talk = { turn, previous: await sessionTurnBefore(stores, turn), share: SHARE.reworded };
  const operations = admittedOperations(proposed, talk, { admitted: true, kinds: 'all', answer: true }, find);
  if (operations.length === 0) return { kind: 'refused', reason: draft ? 'quoted' : 'by-user' };
  const by = note.by === undefined ? undefined : stores.index.memory(note.by)?.id;
  const stored: StoredNote[] = [];
  for (const operation of operations as readonly Operation[])
    stored.push(await storeAgentNote(stores, turn, operation, { at, call, ...given({ by, root }) }));
  const memory = stored.find((one) => one.memory)?.memory;
  const ended = stored.flatMap((one) => one.ended);
  return { kind: 'stored', waits: stored.some(({ waits }) => waits), ended, ...given({ memory }) };
}

/** The turn with the call; without a call, the last turn of the session or of the newest open session here. */
async function turnOf(stores: Stores, { session, call, project }: Pending): Promise<StoredTurn | undefined> {
  const { index } = stores;
  const known =
    session === '' ? index.sessions({ project, status: 'active', limit: 1 })[0] : index.session(session);
  const own = call === '' ? undefined : (turn: Turn): boolean => turn.tools.some(({ id }) => id === call);
  const path = known?.transcript;
  const isThere = known && path && transcriptState(known.agent, path);
  const read = isThere ? await turnIn(known.agent, path, index, own) : undefined;
  if (read) return { ...redactTurn(read).turn, session: known?.id ?? session, project };
  if (!known) return undefined;
  for (const { location } of index.turnsIn(known.id).slice(-TURNS_BACK).toReversed()) {
    const turn = location && (await stores.turns.get(location));
    if (turn && (own === undefined || own(turn))) return turn;
  }
  return undefined;
}

/** Reads the transcript behind what is stored, and then the ones of subagents. */
async function turnIn(
  agent: Agent,
  path: string,
  index: MemoryIndex,
  own: ((turn: Turn) => boolean) | undefined,
): Promise<Turn | undefined> {
  const { readTurns, subagentsOf } = readerOf(agent);
  const offset = index.transcript(path)?.readOffset ?? 0;
  let last: Turn | undefined;
  for await (const { turn } of readTurns(path, { offset })) {
    if (own?.(turn)) return turn;
    if (turn.origin === 'person') last = turn;
  }
  if (own === undefined) return last;
  for (const subagent of (await subagentsOf(path)).slice(-TURNS_BACK))
    for await (const { turn } of readTurns(subagent.path, {})) if (own(turn)) return turn;
  return undefined;
}

function sessionless({ at, project }: Pending): StoredTurn {
  return {
    id: `agent-${at}`,
    agent: FIRST_AGENT,
    session: '',
    origin: 'task',
    startedAt: at,
    endedAt: at,
    outcome: 'answered',
    prompt: '',
    answer: '',
    tools: [],
    messages: [],
    project,
  };
}

function memoryNamed({ index }: Stores, id: string): Memory {
  const memory = index.memory(id);
  if (!memory) throw noMemory(index, id);
  return memory;
}

function pendingIn(index: MemoryIndex, session: string): readonly Pending[] {
  return [...index.metaWith(`noted:${session}:`).values()].flatMap(
    (text) => (text === '' ? [] : [JSON.parse(text) as Pending]), // written by putPending
  );
}

function keyOf({ session, call, at }: Pending): string {
  return `noted:${session}:${call}:${at}`;
}
