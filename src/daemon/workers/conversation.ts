/** Finds the stored turns that a memory, a turn or a session names, and lists the turns of a session. Only reads. */
import {
  given,
  shortId,
  TidemarkError,
  type Memory,
  type Session,
  type StoredTurn,
} from '../../core/index.ts';
import type { IndexedTurn, MemoryIndex } from '../../database/index.ts';
import { anythingNamed, sessionBeginning, shortStart } from '../../memory/index.ts';
import { titleOfSession } from '../../recall/index.ts';

/** The turn behind a memory, and the ids of its neighbours in the session. */
export interface OriginalTurn {
  readonly memory: Memory | undefined;
  readonly turn: StoredTurn;
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** Turns of one session, oldest first. */
export interface Conversation extends Partial<OriginalTurn> {
  /** The record of the session; missing for an imported memory without one. */
  readonly session?: Session;
  readonly turns: readonly StoredTurn[];
  /** Turns of the session before and after those. */
  readonly before: number;
  readonly after: number;
  /** Turns among them that the turn store no longer has. */
  readonly gone: number;
}

/** A turn in the list of its session. `name`: the beginning of its id that no other turn has. */
export type ListedTurn = Pick<IndexedTurn, 'id' | 'at' | 'origin' | 'outcome' | 'prompt' | 'tools'> & {
  readonly name: string;
};

export interface SessionTurns {
  readonly session: Session;
  readonly name: string;
  readonly projectName: string;
  readonly turns: readonly ListedTurn[];
}

interface Stored {
  readonly index: MemoryIndex;
  readonly load: (turn: IndexedTurn) => Promise<StoredTurn | undefined>;
}

/** `around`: turns before and after the named one. A session is returned whole. */
export async function conversation(
  { index, load }: Stored,
  id: string,
  around: number,
): Promise<Conversation> {
  const named = anythingNamed(index, id);
  const meant = named.kind === 'session' ? undefined : turnOf(index, named, id);
  const session = named.kind === 'session' ? named.id : (meant?.session ?? '');
  const all = index.turnsIn(session);
  const at = all.findIndex((turn) => turn.id === meant?.id);
  const [first, end] = meant ? [Math.max(0, at - around), at + around + 1] : [0, all.length];
  const asked = all.slice(first, end);
  const turns = (await Promise.all(asked.map(load))).filter((turn) => turn !== undefined);
  const turn = turns.find((one) => one.id === meant?.id);
  if (meant ? !turn : turns.length === 0) throw turnGone(id);
  return {
    ...given({ session: index.session(session) }),
    ...(turn
      ? {
          memory: named.kind === 'memory' ? named.memory : undefined,
          turn,
          previous: all[at - 1]?.id,
          next: all[at + 1]?.id,
        }
      : {}),
    turns,
    before: first,
    after: Math.max(0, all.length - end),
    gone: asked.length - turns.length,
  };
}

/** Undefined if no session's id begins with this. */
export function sessionTurns(index: MemoryIndex, id: string): SessionTurns | undefined {
  const found = sessionBeginning(index, id);
  const session = found === undefined ? undefined : index.session(found);
  if (!session) return undefined;
  return {
    session: { ...session, ...given({ title: titleOfSession(index, session) }) },
    name: shortStart(index, 'session', session.id),
    projectName: index.project(session.project)?.name ?? session.project,
    turns: index.turnsIn(session.id).map(({ id: turn, at, origin, outcome, prompt, tools }) => ({
      id: turn,
      name: shortStart(index, 'turn', turn),
      at,
      origin,
      outcome,
      prompt,
      tools,
    })),
  };
}

function turnOf(
  index: MemoryIndex,
  named: Exclude<ReturnType<typeof anythingNamed>, { kind: 'session' }>,
  id: string,
): IndexedTurn {
  const turn = index.turn(named.kind === 'memory' ? named.memory.provenance.turn : named.id);
  if (turn) return turn;
  throw named.kind === 'memory' ? noTurn(named.memory) : turnGone(id);
}

function turnGone(id: string): TidemarkError {
  return new TidemarkError('turn-gone', `the conversation of ${id} is no longer in the turn store`, {
    hint: 'Raise turns.maxMb to keep conversations longer: tidemark config set turns.maxMb 4096',
  });
}

function noTurn({ id, provenance, author }: Memory): TidemarkError {
  const short = shortId(id);
  if (author !== undefined)
    return new TidemarkError('turn-elsewhere', `the conversation of ${short} is on ${author}'s machine`, {
      hint: 'Only entries are shared, never conversations.',
    });
  const hint =
    provenance.by === 'person'
      ? 'It was written by hand, not in a session.'
      : 'It was deleted or never captured. The memory itself is still stored.';
  return new TidemarkError('turn-gone', `no conversation is stored for ${short}`, { hint });
}
