/** Turns the drafts of a distiller into memories of their turn. Pure. */
import { memoryId, PERSONAL_PROJECT, type Memory, type MemoryDraft, type StoredTurn } from '../core/index.ts';

/** Gives the same id for the same turn, kind and ordinal, whichever distiller made the draft. */
export function memoriesOf(drafts: readonly MemoryDraft[], turn: StoredTurn, by: string): readonly Memory[] {
  return drafts.map((draft, position) => toMemory(draft, turn, ordinalOf(drafts, position), by));
}

function ordinalOf(drafts: readonly MemoryDraft[], position: number): number {
  const kind = drafts[position]?.kind;
  return drafts.slice(0, position).filter((draft) => draft.kind === kind).length;
}

function toMemory(draft: MemoryDraft, turn: StoredTurn, ordinal: number, by: string): Memory {
  const messages = [turn.messages[0], turn.messages.at(-1)].filter((uuid) => uuid !== undefined);
  const { personal, ...rest } = draft;
  return {
    ...rest,
    id: memoryId(turn.startedAt, turn.id, draft.kind, ordinal),
    project: personal ? PERSONAL_PROJECT : turn.project,
    at: turn.startedAt,
    state: draft.state ?? (draft.kind === 'issue' ? 'open' : 'current'),
    provenance: {
      agent: turn.agent,
      session: turn.session,
      turn: turn.id,
      messages: [...new Set(messages)],
      by,
    },
    ...(turn.branch ? { branch: turn.branch } : {}),
  };
}
