/**
 * Turns a turn into memories: redacted, stored in the turn store, distilled, written to the journal, indexed. A turn is
 * distilled once, and again if it had not ended the first time. Each step is durable before the next and can be repeated,
 * so processing it again recovers from a crash anywhere.
 */
import { given, type Memory, type StoredTurn, type Turn } from '../core/index.ts';
import { indexedTurn, turnHash, type IndexedTurn } from '../database/index.ts';
import { isUnfinished, UNFINISHED, type Distiller } from '../distill/index.ts';
import type { Stores } from '../memory/index.ts';
import { redactTurn } from '../privacy/index.ts';
import { storePendingNotes } from './agent-notes.ts';
import { distillTurns, markUnfinished, storeLateNotes } from './distill-turns.ts';

export interface StoredResult {
  readonly turn: StoredTurn;
  readonly memories: readonly Memory[];
  readonly isNew: boolean;
  readonly redactions: Readonly<Record<string, number>>;
}

export interface StoreTurnOptions {
  readonly project: string;
  /** The project's folder on this machine: files are named relative to it. */
  readonly root?: string;
}

export async function storeTurn(
  stores: Stores,
  distiller: Distiller,
  raw: Turn,
  options: StoreTurnOptions,
): Promise<StoredResult> {
  const [stored] = await storeTurns(stores, distiller, [raw], options);
  if (!stored) throw new Error('storeTurns returned nothing for one turn');
  return stored;
}

/** Stores turns of one session with one wait for the disk. The result is the same as one by one. */
export async function storeTurns(
  stores: Stores,
  distiller: Distiller,
  raws: readonly Turn[],
  options: StoreTurnOptions,
): Promise<readonly StoredResult[]> {
  const { project, root } = options;
  const checked = raws.map((raw) => check(stores, raw, project));
  const changed = checked.filter(({ changes }) => changes);
  // Before the stored turn is replaced: afterwards nothing shows that it went on.
  await markUnfinished(
    stores,
    changed.filter(goesOn).map(({ turn }) => turn),
  );
  await put(stores, changed);
  const due = checked.filter((one) => one.accepted && needsDistilling(stores, one));
  const known = changed.filter((one) => !due.includes(one));
  const memories: Memory[] = [];
  for (const { turn } of changed) memories.push(...(await storePendingNotes(stores, turn)));
  const fresh = due.map(({ turn }) => turn);
  memories.push(...(await distillTurns(stores, distiller, fresh, root)));
  for (const { turn } of known) memories.push(...(await storeLateNotes(stores, turn, root)));
  return checked.map(({ turn, isNew, counts }) => ({
    turn,
    isNew,
    memories: memories.filter(({ provenance }) => provenance.turn === turn.id),
    redactions: isNew ? counts : {},
  }));
}

interface Checked {
  readonly turn: StoredTurn;
  readonly hash: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Stored for the first time. */
  readonly isNew: boolean;
  /** Differs from the stored turn. */
  readonly changes: boolean;
  /** The turn as it was stored before. */
  readonly known?: IndexedTurn;
  /** Neither forgotten nor a turn of another session. */
  readonly accepted: boolean;
}

function check(stores: Stores, raw: Turn, project: string): Checked {
  const { turn: redacted, counts } = redactTurn(raw);
  const turn: StoredTurn = { ...redacted, project };
  const hash = turnHash(turn);
  const known = stores.index.turn(turn.id);
  // A fork copies the history into a new session: the turn stays with the session it happened in.
  const elsewhere = known !== undefined && known.session !== turn.session;
  if (elsewhere || stores.index.isForgottenTurn(turn.id))
    return { turn, hash, counts: {}, isNew: false, changes: false, accepted: false };
  const isNew = known === undefined;
  return { turn, hash, counts, isNew, changes: known?.hash !== hash, accepted: true, ...given({ known }) };
}

async function put(stores: Stores, changed: readonly Checked[]): Promise<void> {
  if (changed.length === 0) return;
  const locations = await stores.turns.put(changed.map(({ turn }) => turn));
  stores.index.upsertTurns(
    changed.map(({ turn, hash }, i) => {
      const location = locations[i];
      if (!location) throw new Error('the turn store returned no location');
      return indexedTurn(turn, location, hash);
    }),
  );
}

function needsDistilling(stores: Stores, { turn, changes }: Checked): boolean {
  const by = stores.index.distilledBy(turn.id);
  if (by === undefined) return true;
  return by === UNFINISHED && (turn.outcome !== 'open' || changes);
}

/** Whether a turn that was taken for interrupted or failed has an answer now. */
function goesOn({ turn, known }: Checked): boolean {
  return known !== undefined && known.outcome !== 'open' && isUnfinished(known) && !isUnfinished(turn);
}
