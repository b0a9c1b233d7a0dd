/** Makes the heading of a session's entries in the journal from its turns. */
import { given, type StoredTurn } from '../../core/index.ts';
import type { SessionHead } from '../../storage/journal/index.ts';
import type { Stores } from '../stores.ts';

export async function sessionHead(stores: Stores, turn: StoredTurn): Promise<SessionHead> {
  const [first] = stores.index.turnsIn(turn.session);
  const opening = (first?.location && (await stores.turns.get(first.location))) ?? turn;
  const session = stores.index.session(turn.session);
  return {
    id: turn.session,
    agent: turn.agent,
    startedAt: opening.startedAt,
    title: session?.title ?? stores.sessionText.title([opening]),
    project: turn.project,
    ...given({ status: session?.status, summary: session?.summary }),
  };
}

/** Makes the heading from the session's id; undefined if neither its turns nor its title are stored. */
export async function headOf(stores: Stores, id: string): Promise<SessionHead | undefined> {
  for (const { location } of stores.index.turnsIn(id)) {
    const turn = location && (await stores.turns.get(location));
    if (turn) return sessionHead(stores, turn);
  }
  const session = stores.index.session(id);
  if (session?.title === undefined) return undefined;
  const { agent, startedAt, title, project, status, summary } = session;
  return { id, agent, startedAt, title, project, status, ...given({ summary }) };
}
