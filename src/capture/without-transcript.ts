/**
 * Handles sessions whose client has written no transcript yet, or never will (`--no-session-persistence`). Notes the
 * prompt and the last answer of the events; they become a turn once it is clear that there will be no transcript: an
 * interrupted one if the next prompt comes before an answer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { transcriptState } from '../agents/index.ts';
import { contentHash, given, type Session, type SpooledEvent, type Turn } from '../core/index.ts';
import { promptKey, type Stores } from '../memory/index.ts';

/** A client that ends may still be creating the file. */
const WAITS_MS = [40, 120, 300];
const EVENT_TURN = 'event-';

interface Note {
  readonly at: string;
  readonly prompt: string;
  readonly promptId?: string;
  readonly answer?: string;
  readonly answeredAt?: string;
}

/** Returns whether the session's transcript exists, after waiting for it if no Stop has waited yet. */
export async function waitForTranscript(stores: Stores, { agent, input }: SpooledEvent): Promise<boolean> {
  const path = input.transcript_path;
  if (!path) return false;
  const exists = (): boolean => transcriptState(agent, path) !== undefined;
  for (const wait of expectsNoTranscript(stores, input.session_id) ? [] : WAITS_MS) {
    if (exists()) return true;
    await delay(wait);
  }
  return exists();
}

/** Whether a Stop has already waited in vain, so that waiting again is useless. */
export function expectsNoTranscript(stores: Stores, session: string): boolean {
  return (
    hasNotedAnswer(stores, session) ||
    stores.index.turnsIn(session).some(({ id }) => id.startsWith(EVENT_TURN))
  );
}

export async function notePrompt(stores: Stores, { at, input }: SpooledEvent): Promise<void> {
  const { session_id: session, prompt = '', prompt_id: promptId } = input;
  await writeNote(stores, session, { at, prompt, ...given({ promptId: promptId || undefined }) });
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

/** Whether both prompt and answer of a turn are noted. */
export function hasNotedAnswer(stores: Stores, session: string): boolean {
  return readNote(stores, session)?.answer !== undefined;
}

/** Whether a prompt is noted, other than the one of this event. */
export function hasOtherPrompt(stores: Stores, { at, input }: SpooledEvent): boolean {
  const note = readNote(stores, input.session_id);
  if (!note || note.prompt === '') return false;
  return input.prompt_id && note.promptId ? note.promptId !== input.prompt_id : note.at !== at;
}

/** When the noted prompt was sent, if it has no answer yet. */
export function unansweredSince(stores: Stores, session: string): string | undefined {
  const note = readNote(stores, session);
  return note?.answer === undefined ? note?.at : undefined;
}

/** The noted turn, if no turn of the session came from a transcript. `open`: the agent may still be working on it. */
export function notedTurn(
  stores: Stores,
  { id: session, agent }: Session,
  unanswered: 'interrupted' | 'open' = 'interrupted',
): Turn | undefined {
  const note = readNote(stores, session);
  if (!note || stores.index.turnsIn(session).some(({ id }) => !id.startsWith(EVENT_TURN))) return undefined;
  return {
    id: `${EVENT_TURN}${contentHash(`${session}\n${note.promptId ?? note.at}`).slice(0, 32)}`,
    agent,
    session,
    origin: 'person',
    startedAt: note.at,
    endedAt: note.answeredAt ?? note.at,
    outcome: note.answer === undefined ? unanswered : 'answered',
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
  return noted ? (JSON.parse(noted) as Note) : undefined; // written above, or a checked record of the ledger
}

function isSamePrompt(note: Note, promptId: string | undefined): boolean {
  return note.promptId === undefined || promptId === undefined || note.promptId === promptId;
}
