/** One session with its turns, memories, files and injections. Only reads. */
import { given, TidemarkError, type Session, type StoredTurn } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import type { Signals } from '../ranking/signals.ts';
import { titleOfSession } from './session-title.ts';
import { why } from './why.ts';

/** For a longer session there is the transcript. */
const MOST_TURNS = 500;
const MOST_MEMORIES = 500;
const MOST_MOMENTS = 200;

export async function sessionDetail(
  index: MemoryIndex,
  ledger: string,
  id: string,
  stored: readonly StoredTurn[],
  signals: Signals,
) {
  const session = index.session(id);
  if (!session)
    throw new TidemarkError('not-found', `no session ${id}`, {
      hint: 'List the sessions with: tidemark sessions',
    });
  const withTranscript = new Set(stored.map((turn) => turn.id));
  return {
    session: sessionCard(index, session),
    projectName: index.project(session.project)?.name ?? session.project,
    turns: index
      .turnsIn(id)
      .slice(0, MOST_TURNS)
      .map(({ id: turn, at, endedAt, origin, outcome, prompt, answer, tools }) => ({
        id: turn,
        at,
        endedAt,
        origin,
        outcome,
        prompt,
        answer,
        tools,
        hasTranscript: withTranscript.has(turn),
      })),
    memories: index.memoriesBy({ session: id, order: 'oldest', limit: MOST_MEMORIES }),
    files: filesOf(stored),
    moments: await why(index, ledger, { of: id, limit: MOST_MOMENTS }, () => signals).catch(ofNothing),
  };
}

export function sessionCard(index: MemoryIndex, session: Session) {
  const { title: _, ...rest } = session;
  return {
    ...rest,
    ...given({ title: titleOfSession(index, session) }),
    memories: index.memoryCount({ session: session.id }),
  };
}

function filesOf(turns: readonly StoredTurn[]) {
  const named = (of: 'edited' | 'read') =>
    new Set(
      turns.flatMap(({ tools, cwd }) => tools.flatMap((tool) => tool[of].map((file) => within(file, cwd)))),
    );
  const [edited, read] = [named('edited'), named('read')];
  return { read: [...read].filter((file) => !edited.has(file)), edited: [...edited] };
}

/** Path relative to the work folder, if the file is below it. */
function within(file: string, folder: string | undefined): string {
  return folder !== undefined && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

/** A session without any recall is no error here. */
function ofNothing(error: unknown): readonly [] {
  if (error instanceof TidemarkError && error.code === 'not-found') return [];
  throw error;
}
