/** Makes the title and summary of a session again after one of its turns was forgotten or restored. */
import type { Session } from '../../core/index.ts';
import { titleWords } from '../../database/index.ts';
import type { LedgerRecord } from '../../storage/ledger/index.ts';
import { writeEntries } from '../add-memories.ts';
import type { Stores } from '../stores.ts';
import { headOf } from './session-head.ts';
import { dropImportedSummary, dropPrompt } from './session-notes.ts';
import { summarizeSession, sessionTurns, type SessionRecord } from './sessions.ts';

/** A title that shares this part of its words with the forgotten text reveals it. */
const REVEALING_SHARE = 0.5;

/** Rewrites title, summary and heading. `forgotten` is the text they must not reveal. */
export async function rewriteSession(stores: Stores, id: string, forgotten = ''): Promise<void> {
  const session = stores.index.session(id);
  if (!session) return;
  const turns = await sessionTurns(stores, id);
  const fresh = turns.length > 0 ? stores.sessionText.title(turns) : '';
  const title = reveals(session.title, forgotten) ? fresh : session.title;
  if (title !== session.title) await retitle(stores, session, title ?? '');
  dropImportedSummary(stores.index, id);
  dropPrompt(stores, id);
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

function reveals(title: string | undefined, forgotten: string): boolean {
  const words = titleWords(title ?? '');
  const secret = new Set(titleWords(forgotten));
  return (
    words.length > 0 && words.filter((word) => secret.has(word)).length >= words.length * REVEALING_SHARE
  );
}

/** Replaces the title in the session's records of the ledger. */
async function retitle(stores: Stores, session: Session, title: string): Promise<void> {
  const titled: SessionRecord[] = [];
  const isTitled = (record: LedgerRecord): record is SessionRecord =>
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
