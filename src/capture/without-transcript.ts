/**
 * Sessions whose client has written no transcript yet, or never will (`--no-session-persistence`): the prompt and the
 * last answer are noted from the events, and become a turn only once it is clear that no transcript comes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { contentHash, type Session, type SpooledEvent, type Turn } from '../core/index.ts';
import { isRegularFile } from '../files/index.ts';
import { promptKey, type Stores } from '../memory/index.ts';

/** A client that ends may still be making the file. */
const WAITS_MS = [40, 120, 300];
const EVENT_TURN = 'event-';

interface Note {
  readonly at: string;
  readonly prompt: string;
  readonly promptId?: string;
  readonly answer?: string;
  readonly answeredAt?: string;
}

/** Whether the session's transcript lies on disk, after giving it time to appear if nobody has yet. */
export async function transcriptIsThere(stores: Stores, { input }: SpooledEvent): Promise<boolean> {
  const path = input.transcript_path;
  if (!path) return false;
  for (const wait of neverComes(stores, input.session_id) ? [] : WAITS_MS) {
    if (isRegularFile(path)) return true;
    await delay(wait);
  }
  return isRegularFile(path);
}

/** A Stop has waited for it in vain, so that there is no use in waiting again. */
export function neverComes(stores: Stores, session: string): boolean {
  return isAnswered(stores, session) || hasEventTurns(stores, session);
}

export async function notePrompt(stores: Stores, { at, input }: SpooledEvent): Promise<void> {
  const { session_id: session, prompt = '', prompt_id: promptId } = input;
  await writeNote(stores, session, { at, prompt, ...(promptId ? { promptId } : {}) });
}

export async function noteAnswer(stores: Stores, { at, input }: SpooledEvent): Promise<void> {
  const note = readNote(stores, input.session_id);
  if (!note || note.answer !== undefined || !isSamePrompt(note, input.prompt_id)) return;
  await writeNote(stores, input.session_id, {
    ...note,
    answer: input.last_assistant_message ?? '',
    answeredAt: at,
  });
}

/** Whether a turn was noted whole. */
export function isAnswered(stores: Stores, session: string): boolean {
  return readNote(stores, session)?.answer !== undefined;
}

/** The turn that was noted last, if the session's turns are known by events alone. */
export function notedTurn(stores: Stores, { id: session, agent }: Session): Turn | undefined {
  const note = readNote(stores, session);
  if (!note || stores.index.turnsIn(session).some(({ id }) => !id.startsWith(EVENT_TURN))) return undefined;
  return {
    id: `${EVENT_TURN}${contentHash(`${session}\n${note.promptId ?? note.at}`).slice(0, 32)}`,
    agent,
    session,
    origin: 'person',
    startedAt: note.at,
    endedAt: note.answeredAt ?? note.at,
    outcome: note.answer === undefined ? 'interrupted' : 'answered',
    prompt: note.prompt,
    answer: note.answer ?? '',
    tools: [],
    messages: [],
  };
}

async function writeNote(stores: Stores, session: string, note: Note): Promise<void> {
  await stores.ledger.append([{ kind: 'prompt', session, ...note }]);
  stores.index.setMeta(promptKey(session), JSON.stringify(note));
}

function readNote(stores: Stores, session: string): Note | undefined {
  const noted = stores.index.meta(promptKey(session));
  return noted ? (JSON.parse(noted) as Note) : undefined; // written above, or from the ledger's checked record
}

function isSamePrompt(note: Note, promptId: string | undefined): boolean {
  return note.promptId === undefined || promptId === undefined || note.promptId === promptId;
}

function hasEventTurns(stores: Stores, session: string): boolean {
  return stores.index.turnsIn(session).some(({ id }) => id.startsWith(EVENT_TURN));
}
