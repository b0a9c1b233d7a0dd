/**
 * A turn becomes memory: redacted, kept in the turn store, distilled once, written to the journal, indexed.
 * Each step is durable before the next and harmless to repeat, so a crash anywhere is mended by doing it again.
 */
import type { Memory, StoredTurn, Turn } from '../core/index.ts';
import { indexedTurn, turnHash } from '../database/index.ts';
import type { Distiller } from '../distill/index.ts';
import { queueOrStore, memoriesOf, type Stores } from '../memory/index.ts';
import { redactTurn } from '../privacy/index.ts';
import { echoes } from '../recall/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';
import { filesOf, fileSnapshotOf, snapshotSourceOf } from './git/file-snapshot.ts';

const DISTILL_TIMEOUT_MS = 60_000;
/** How many earlier memories a distiller sees, to recognise what is already known. */
const RECENT_MEMORIES = 20;

export interface Kept {
  readonly turn: StoredTurn;
  readonly memories: readonly Memory[];
  readonly isNew: boolean;
  readonly redactions: Readonly<Record<string, number>>;
}

export interface StoreTurnOptions {
  readonly project: string;
  /** Where the project lies on this machine: files are named relative to it. */
  readonly root?: string;
}

export async function storeTurn(
  stores: Stores,
  distiller: Distiller,
  raw: Turn,
  options: StoreTurnOptions,
): Promise<Kept> {
  const [kept] = await storeTurns(stores, distiller, [raw], options);
  if (!kept) throw new Error('a turn went in and none came out');
  return kept;
}

/**
 * Turns of one session in one go: what costs a wait for the disk (turn store, journal, ledger) is waited for once. The
 * result is the same as one by one.
 */
export async function storeTurns(
  stores: Stores,
  distiller: Distiller,
  raws: readonly Turn[],
  options: StoreTurnOptions,
): Promise<readonly Kept[]> {
  const judged = raws.map((raw) => judge(stores, raw, options.project));
  const changed = judged.filter(({ changes }) => changes);
  const locations = changed.length > 0 ? await stores.turns.put(changed.map(({ turn }) => turn)) : [];
  stores.index.upsertTurns(
    changed.map(({ turn, hash }, i) => {
      const location = locations[i];
      if (!location) throw new Error('the turn store gave no location');
      return indexedTurn(turn, location, hash);
    }),
  );
  const fresh = judged.filter(({ turn, stays }) => stays && stores.index.distilledBy(turn.id) === undefined);
  const memories = await distillTurns(
    stores,
    distiller,
    fresh.map(({ turn }) => turn),
    options.root,
  );
  return judged.map(({ turn, isNew, counts }) => ({
    turn,
    isNew,
    memories: memories.filter(({ provenance }) => provenance.turn === turn.id),
    redactions: isNew ? counts : {},
  }));
}

interface Judged {
  readonly turn: StoredTurn;
  readonly hash: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Kept for the first time. */
  readonly isNew: boolean;
  /** Other than the store has it. */
  readonly changes: boolean;
  /** Neither forgotten nor another session's. */
  readonly stays: boolean;
}

function judge(stores: Stores, raw: Turn, project: string): Judged {
  const { turn: redacted, counts } = redactTurn(raw);
  const turn: StoredTurn = { ...redacted, project };
  const hash = turnHash(turn);
  const known = stores.index.turn(turn.id);
  // A fork copies history under a new session: the turn stays with the session it happened in.
  const elsewhere = known !== undefined && known.session !== turn.session;
  if (elsewhere || stores.index.isForgottenTurn(turn.id))
    return { turn, hash, counts: {}, isNew: false, changes: false, stays: false };
  return { turn, hash, counts, isNew: known === undefined, changes: known?.hash !== hash, stays: true };
}

async function distillTurns(
  stores: Stores,
  distiller: Distiller,
  turns: readonly StoredTurn[],
  root: string | undefined,
): Promise<readonly Memory[]> {
  const last = turns.at(-1);
  if (!last) return [];
  const made: { readonly turn: StoredTurn; readonly memories: readonly Memory[] }[] = [];
  for (const turn of turns) {
    const input = {
      turn,
      // Asked only by those who read it: `local` does not, and it is a query per turn.
      get recent() {
        return stores.index.memoriesBy({ project: turn.project, limit: RECENT_MEMORIES });
      },
      ...(root ? { root } : {}),
    };
    const { memories: drafts } = await distiller.distill(input, AbortSignal.timeout(DISTILL_TIMEOUT_MS));
    made.push({ turn, memories: memoriesOf(drafts, turn, distiller.name) });
  }
  const all = made.flatMap(({ memories }) => memories);
  const entries = all.length > 0 ? await queueOrStore(stores, all, last, root) : [];
  const now = new Date();
  const done = made.map(({ turn, memories }) => ({
    turn,
    footing: fileSnapshotOf(snapshotSourceOf(turn), filesOf(turn, memories, root), root, now),
    uses: echoes(stores.index, turn),
    memories: memories.map(({ id }) => id),
  }));
  await stores.ledger.append(
    done.flatMap(({ turn, footing, uses, memories }): readonly LedgerRecord[] => [
      ...(footing ? [{ kind: 'footing' as const, ...footing }] : []),
      ...uses.map((use) => ({ kind: 'used' as const, ...use })),
      { kind: 'distilled', at: turn.endedAt, turn: turn.id, by: distiller.name, memories },
    ]),
  );
  stores.index.transaction(() => {
    for (const { turn, footing, uses, memories } of done) {
      if (footing) stores.index.putFileSnapshot(footing);
      stores.index.recordUse(uses);
      stores.index.markDistilled(turn.id, distiller.name, memories);
    }
  });
  return entries;
}
