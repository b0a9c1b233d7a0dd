/**
 * A turn becomes memory: redacted, kept in the turn store, distilled once, written to the journal, indexed.
 * Each step is durable before the next and harmless to repeat, so a crash anywhere is mended by doing it again.
 */
import type { Distiller } from '../distill/index.ts';
import type { IndexedTurn, TurnLocation } from '../index/index.ts';
import {
  contentHash,
  memoryId,
  PERSONAL_PROJECT,
  type Memory,
  type MemoryDraft,
  type StoredTurn,
  type Turn,
} from '../model/index.ts';
import { redactTurn } from '../privacy/index.ts';
import { storedText } from '../transcript/index.ts';
import { admitMemories } from './admit.ts';
import { echoes } from './echoes.ts';
import { filesOf, footingOf, groundOf } from './footing.ts';
import type { Stores } from './stores.ts';

const DISTILL_TIMEOUT_MS = 60_000;
/** How many earlier memories a distiller sees, to recognise what is already known. */
const RECENT_MEMORIES = 20;

export interface Kept {
  readonly turn: StoredTurn;
  readonly memories: readonly Memory[];
  readonly isNew: boolean;
  readonly redactions: Readonly<Record<string, number>>;
}

export interface KeepOptions {
  readonly project: string;
  /** Where the project lies on this machine: files are named relative to it. */
  readonly root?: string;
}

export async function keepTurn(
  stores: Stores,
  distiller: Distiller,
  raw: Turn,
  options: KeepOptions,
): Promise<Kept> {
  const { turn: redacted, counts } = redactTurn(raw);
  const turn: StoredTurn = { ...redacted, project: options.project };
  const hash = turnHash(turn);
  if (stores.index.isForgottenTurn(turn.id)) return { turn, memories: [], isNew: false, redactions: {} };
  const known = stores.index.turn(turn.id);
  const isNew = known === undefined;
  // A fork copies history under a new session: the turn stays with the session it happened in.
  if (known && known.session !== turn.session) return { turn, memories: [], isNew: false, redactions: {} };
  if (known?.hash !== hash) {
    const [location] = await stores.turns.put([turn]);
    if (!location) throw new Error('the turn store gave no location');
    stores.index.upsertTurns([indexedTurn(turn, location, hash)]);
  }
  if (stores.index.distilledBy(turn.id) !== undefined) {
    return { turn, memories: [], isNew, redactions: isNew ? counts : {} };
  }
  const memories = await distillTurn(stores, distiller, turn, options.root);
  return { turn, memories, isNew, redactions: isNew ? counts : {} };
}

async function distillTurn(
  stores: Stores,
  distiller: Distiller,
  turn: StoredTurn,
  root: string | undefined,
): Promise<readonly Memory[]> {
  const recent = stores.index.memoriesBy({ project: turn.project, limit: RECENT_MEMORIES });
  const input = { turn, recent, ...(root ? { root } : {}) };
  const { memories: drafts } = await distiller.distill(input, AbortSignal.timeout(DISTILL_TIMEOUT_MS));
  const memories = memoriesOf(drafts, turn, distiller.name);
  const entries = memories.length > 0 ? await admitMemories(stores, memories, turn, root) : [];
  const footing = footingOf(groundOf(turn), filesOf(turn, memories, root), root, new Date());
  const uses = echoes(stores.index, turn);
  await stores.ledger.append([
    ...(footing ? [{ kind: 'footing' as const, ...footing }] : []),
    ...uses.map((use) => ({ kind: 'used' as const, ...use })),
    {
      kind: 'distilled',
      at: turn.endedAt,
      turn: turn.id,
      by: distiller.name,
      memories: memories.map((memory) => memory.id),
    },
  ]);
  if (footing) stores.index.putFooting(footing);
  stores.index.recordUse(uses);
  stores.index.markDistilled(
    turn.id,
    distiller.name,
    memories.map(({ id }) => id),
  );
  return entries;
}

/** A turn as the index keeps it: the shortened text, and where the whole lies. */
export function indexedTurn(turn: StoredTurn, location: TurnLocation, hash: string): IndexedTurn {
  const text = storedText(turn);
  return {
    id: turn.id,
    session: turn.session,
    project: turn.project,
    at: turn.startedAt,
    endedAt: turn.endedAt,
    origin: turn.origin,
    outcome: turn.outcome,
    prompt: text.user,
    answer: text.assistant,
    tools: turn.tools.length,
    location,
    hash,
  };
}

/** Tells a revision of a turn from the same turn read again. */
export function turnHash(turn: StoredTurn): string {
  return contentHash(JSON.stringify(turn));
}

/** Drafts as memories of a turn: the same turn, kind and ordinal give the same id, whoever distils it. */
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
