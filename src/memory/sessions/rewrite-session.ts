/** A session told again from the turns that are left, after one of them was forgotten or came back. */
import type { Session } from '../../core/index.ts';
import { titleWords } from '../../database/index.ts';
import type { LedgerRecord } from '../../storage/ledger/index.ts';
import { writeEntries } from '../add-memories.ts';
import type { Stores } from '../stores.ts';
import { dropModelSummary } from './model-summary.ts';
import { dropNote } from './prompt-note.ts';
import { headOf } from './session-head.ts';
import { summarizeSession, wholeTurns } from './sessions.ts';

/** A title that shares half its words with what was forgotten tells of it. */
const TELLING_SHARE = 0.5;

/** `forgotten`: what must not be told any more. */
export async function rewriteSession(stores: Stores, id: string, forgotten = ''): Promise<void> {
  const session = stores.index.session(id);
  if (!session) return;
  const turns = await wholeTurns(stores, id);
  const title = tells(session.title, forgotten)
    ? turns.length > 0
      ? stores.sessionText.title(turns)
      : ''
    : session.title;
  if (title !== session.title) await retitle(stores, session, title ?? '');
  dropModelSummary(stores.index, id);
  dropNote(stores, id);
  stores.index.upsertSession(without(session, title));
  if (session.endedAt) summarizeSession(stores, id, turns);
  if (turns.length === 0) return void (await stores.journal.dropSession(id));
  const head = await headOf(stores, id);
  if (head) await writeEntries(stores, [], [head]);
}

function without(session: Session, title: string | undefined): Session {
  const { title: _, summary: __, ...rest } = session;
  return title ? { ...rest, title } : rest;
}

function tells(title: string | undefined, forgotten: string): boolean {
  const words = titleWords(title ?? '');
  const told = new Set(titleWords(forgotten));
  return words.length > 0 && words.filter((word) => told.has(word)).length >= words.length * TELLING_SHARE;
}

/** The title stands in the ledger too: those records are written anew. */
async function retitle(stores: Stores, session: Session, title: string): Promise<void> {
  type SessionRecord = Extract<LedgerRecord, { kind: 'session' }>;
  const titled: SessionRecord[] = [];
  const isTitled = (record: LedgerRecord): record is SessionRecord & { title: string } =>
    record.kind === 'session' && record.session === session.id && record.title !== undefined;
  for await (const record of stores.ledger.read()) if (isTitled(record)) titled.push(record);
  if (titled.length === 0) return;
  await stores.ledger.erase(isTitled);
  await stores.ledger.append(
    titled.map((record) => {
      const { title: _, ...rest } = record;
      return title ? { ...rest, title } : rest;
    }),
  );
}
