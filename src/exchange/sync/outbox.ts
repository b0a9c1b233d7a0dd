/**
 * Finds what has to be sent to a team server by comparing the journal with the state both sides last agreed on. So every
 * change is noticed, whether a distiller, a command, an editor or git made it.
 */
import { given, contentHash, type Memory } from '../../core/index.ts';
import { CLOCK_MARGIN_MS, comparable, latestClock } from './clocks.ts';
import { passageOf, type Delayed, type HeldBack, type SharingRules } from './gate.ts';
import { filterOutbound, hashOutbound, refusePersonal, toWire, type Filtered } from './outbound-filter.ts';
import type {
  Action,
  Agreed,
  Note,
  OnItsWay,
  SharedProject,
  SharedStore,
  Tombstone,
} from './shared-store.ts';
import { isLater, MOST_BYTES, MOST_CHANGES, type Change, type Version } from './wire.ts';

/** Bytes reserved for the part of a request around its changes. */
const FRAME_BYTES = 4096;

export interface Clock {
  /** The stable name of this machine in the team. */
  readonly machine: string;
  readonly now: () => Date;
  /** The highest clock the server accepts; computed from this machine's time until the server has sent it. */
  readonly latest?: number;
}

export interface Waiting {
  readonly change: Change;
  readonly hash: string;
  /** The machine whose journal file the entry belongs to, and its author. */
  readonly home?: string;
  readonly author?: string;
}

interface Intent {
  readonly id: string;
  readonly action: Action;
  readonly hash: string;
  readonly filtered?: Filtered;
  readonly tombstone?: Tombstone;
  readonly author?: string;
  readonly home?: string;
}

export interface Outbox {
  /** Changes to send now. */
  readonly waiting: readonly Waiting[];
  readonly delayed: readonly Delayed[];
  readonly held: readonly HeldBack[];
}

/** Returns all changes the server lacks. Versions and waits are durable before anything is sent. */
export async function outbox(
  store: SharedStore,
  { project, remote }: SharedProject,
  clock: Clock,
  rules: SharingRules,
): Promise<Outbox> {
  refusePersonal(project);
  if (rules.ignored) return { waiting: [], delayed: [], held: [] };
  const agreed = store.agreed(remote);
  const onTheirWay = store.onTheirWay(remote);
  const notes: Note[] = [];
  const latest = boundOf(clock);
  const delayed: Delayed[] = [];
  const held: HeldBack[] = [];
  const sharing = store.sharing();
  const now = clock.now();
  const mayLeave = (memory: Memory): boolean => {
    const { id } = memory;
    const isOnItsWay = onTheirWay.get(id)?.action === 'put';
    const question = { memory, known: agreed.get(id), choice: sharing.get(id), isOnItsWay, now };
    const passage = passageOf(question, rules);
    switch (passage.kind) {
      case 'go':
        return true;
      case 'wait':
        if (passage.isNew) notes.push({ kind: 'waits', memory: id, at: now.toISOString() });
        delayed.push({ id, until: passage.until });
        return false;
      case 'stay':
        held.push({ id, why: passage.why });
        return false;
    }
  };
  const waiting = intents(store, project, agreed, mayLeave).map((intent) => {
    const known = comparable(agreed.get(intent.id), latest);
    const before = sendable(onTheirWay.get(intent.id), latest);
    const version = versionFor(intent, known, before, clock);
    if (before?.version !== version)
      notes.push({
        kind: 'on its way',
        memory: intent.id,
        action: intent.action,
        version,
        hash: intent.hash,
      });
    return waitingOf(intent, version, known, clock.machine);
  });
  if (notes.length > 0) await store.note(remote, notes);
  return { waiting, delayed, held };
}

/** Splits changes into requests of the size a server accepts. */
export function batches(waiting: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const out: Waiting[][] = [];
  let bytes = Infinity;
  for (const one of waiting) {
    const size = Buffer.byteLength(JSON.stringify(one.change)) + 1;
    const last = out.at(-1);
    if (!last || last.length >= MOST_CHANGES || bytes + size > MOST_BYTES - FRAME_BYTES) {
      out.push([one]);
      bytes = size;
    } else {
      last.push(one);
      bytes += size;
    }
  }
  return out;
}

/** Returns the same key for the same changes, so the server applies a repeated request once. */
export function idempotencyKey(remote: string, changes: readonly Change[]): string {
  return contentHash(`${remote}\n${JSON.stringify(changes)}`);
}

/**
 * Returns the version for a new text of an entry: later than every valid version known of it. A machine whose clock is
 * out of bounds uses the server's time.
 */
export function nextVersion(
  known: Pick<Agreed, 'version'> | undefined,
  before: Pick<OnItsWay, 'version'> | undefined,
  clock: Clock,
): Version {
  const latest = boundOf(clock);
  const here = clock.now().getTime();
  const time = here > latest ? latest - CLOCK_MARGIN_MS : here;
  const follows = [known, before].map((one) => (comparable(one, latest)?.version.clock ?? 0) + 1);
  return { clock: Math.min(Math.max(time, ...follows), Number.MAX_SAFE_INTEGER), machine: clock.machine };
}

/** Returns the highest clock that counts as valid. */
export function boundOf({ now, latest }: Clock): number {
  return latest ?? latestClock(now().getTime());
}

/** Returns the record, unless no server would accept its clock: the change then gets a new version. */
export function sendable(before: OnItsWay | undefined, latest: number): OnItsWay | undefined {
  return before && before.version.clock <= latest ? before : undefined;
}

function intents(
  store: SharedStore,
  project: string,
  agreed: ReadonlyMap<string, Agreed>,
  mayLeave: (memory: Memory) => boolean,
): readonly Intent[] {
  const paths = store.paths(project);
  const present = new Set<string>();
  const puts = store.entries(project).flatMap((memory): readonly Intent[] => {
    const { id, author } = memory;
    present.add(id);
    const known = agreed.get(id);
    // Forgotten there stays forgotten; another member's withdrawn entry is not sent again from here.
    if (known?.state === 'forgotten' || (author !== undefined && known?.state !== 'put')) return [];
    if (!mayLeave(memory)) return known?.state === 'put' ? [{ id, action: 'withdraw', hash: '' }] : [];
    if (known?.hash === hashOutbound(memory, paths)) return [];
    const filtered = filterOutbound(memory, paths);
    const home = known?.home ?? store.entry(project, id)?.home;
    return [{ id, action: 'put', hash: filtered.hash, filtered, ...given({ author, home }) }];
  });
  const gone = [...agreed.values()].filter(
    ({ memory, state }) => state !== 'forgotten' && !present.has(memory),
  );
  return [...puts, ...gone.flatMap((known) => goneIntent(store, project, known))];
}

/** An entry that is only missing sends nothing: a branch may have been switched, or a file not synced yet. */
function goneIntent(store: SharedStore, project: string, known: Agreed): readonly Intent[] {
  const { memory: id, state, author } = known;
  switch (store.fate(project, id)) {
    case 'erased': {
      const tombstone = store.tombstone(id) ?? { id, turn: '', hash: '' };
      return [{ id, action: 'tombstone', hash: '', tombstone, ...given({ author }) }];
    }
    // Another member's entry is withdrawn once it is erased here, not while it can still be restored.
    case 'hidden':
    case 'merged':
    case 'moved':
      return state === 'put' && author === undefined ? [{ id, action: 'withdraw', hash: '' }] : [];
    case 'missing':
      return [];
  }
}

function versionFor(
  { action, hash }: Intent,
  known: Agreed | undefined,
  before: OnItsWay | undefined,
  clock: Clock,
): Version {
  const isSame = before?.action === action && before.hash === hash;
  if (isSame && (!known || isLater(before.version, known.version))) return before.version;
  return nextVersion(known, before, clock);
}

function waitingOf(intent: Intent, version: Version, known: Agreed | undefined, machine: string): Waiting {
  const { id, hash, author } = intent;
  const home = intent.home ?? known?.home ?? machine;
  const kept = { hash, home, ...given({ author }) };
  switch (intent.action) {
    case 'put':
      if (!intent.filtered) throw new Error(`${id} has not passed the outbound filter`);
      return { change: { op: 'put', entry: toWire(intent.filtered.content, home, version) }, ...kept };
    case 'tombstone': {
      const { turn, hash: of } = intent.tombstone ?? { turn: '', hash: '' };
      return { change: { op: 'tombstone', id, turn, hash: of, version }, ...kept };
    }
    case 'withdraw':
      return { change: { op: 'withdraw', id, version }, ...kept };
  }
}
