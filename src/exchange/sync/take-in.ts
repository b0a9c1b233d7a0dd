/**
 * Takes one change of a team into this machine's memory. The later version of an entry wins, a tombstone beats every
 * version, and the replaced text is recorded first. Any order of arrival gives the same entries on every machine.
 */
import { given, type Memory } from '../../core/index.ts';
import { tidyMemory } from '../../storage/journal/index.ts';
import { comparable, receivedVersion } from './clocks.ts';
import { fromWire, hashOutbound } from './outbound-filter.ts';
import { boundOf, nextVersion, sendable, type Clock } from './outbox.ts';
import type { Agreed, OnItsWay, SharedProject, SharedStore } from './shared-store.ts';
import { isLater, type Change, type Version, type WireEntry } from './wire.ts';

export interface Seen {
  readonly change: Change;
  /** Undefined for the user's own change. */
  readonly author: string | undefined;
}

export type TakenIn = 'nothing' | 'taken' | 'dropped' | 'forgotten' | 'replaced' | 'kept';

export async function takeIn(
  store: SharedStore,
  share: SharedProject,
  { change, author }: Seen,
  clock: Clock,
): Promise<TakenIn> {
  const id = change.op === 'put' ? change.entry.id : change.id;
  const latest = boundOf(clock);
  const known = comparable(store.agreedOn(share.remote, id), latest);
  const before = sendable(store.isOnItsWay(share.remote, id), latest);
  const sent = change.op === 'put' ? change.entry.version : change.version;
  const version = receivedVersion(sent, known?.version, latest);
  if (known?.state === 'forgotten') return 'nothing';
  const step: Step = {
    store,
    share,
    clock,
    id,
    version,
    known,
    before,
    // The author stays the same, no matter who changed the entry last.
    author: known ? known.author : author,
  };
  if (change.op === 'tombstone') {
    await store.bury(share.project, { id, turn: change.turn, hash: change.hash });
    await agree(step, { state: 'forgotten', hash: '' });
    return 'forgotten';
  }
  if (known && !isLater(version, known.version)) return 'nothing';
  // Our own change: we were stopped before the answer to our push came.
  if (before && before.action !== 'tombstone' && same(before.version, version)) {
    await agree(step, { state: change.op === 'put' ? 'put' : 'withdrawn', hash: before.hash });
    return 'nothing';
  }
  return change.op === 'put' ? put(step, change.entry) : withdraw(step);
}

interface Step {
  readonly store: SharedStore;
  readonly share: SharedProject;
  readonly clock: Clock;
  readonly id: string;
  readonly version: Version;
  readonly known: Agreed | undefined;
  readonly before: OnItsWay | undefined;
  readonly author: string | undefined;
}

async function put(step: Step, entry: WireEntry): Promise<TakenIn> {
  const { store, id, version, author, clock } = step;
  const { project } = step.share;
  const here = store.entry(project, id);
  const home = entry.machine;
  if (!here && store.fate(project, id) !== 'missing') {
    // Forgotten, merged or moved away here: the outbox will tell the server.
    await agree(step, { state: 'put', hash: '', home });
    return 'kept';
  }
  const theirs = tidyMemory(fromWire(entry, project, author));
  if (!here) return take(step, theirs, home, undefined);
  const ours = hashOf(step, here.memory);
  const hash = hashOf(step, { ...theirs, project: here.memory.project });
  if (ours === hash) {
    await agree(step, { state: 'put', hash, home });
    return 'nothing';
  }
  if (isUntouched(step, ours)) return take(step, theirs, home, here.memory);
  if (isLater(version, await ownVersion(step, ours))) {
    await noteReplaced(step, 'ours', here.memory);
    await take(step, theirs, home, here.memory);
    return 'replaced';
  }
  // An earlier text of this same machine is no conflict: its push arrived, only the answer was lost.
  if (version.machine !== clock.machine) await noteReplaced(step, 'theirs', theirs);
  await agree(step, { state: 'put', hash, home });
  return 'kept';
}

/** A withdrawal never removes an entry of this machine's own journal file. */
async function withdraw(step: Step): Promise<TakenIn> {
  const { store, share, id, version } = step;
  const here = store.entry(share.project, id);
  if (!here) {
    await agree(step, { state: 'withdrawn', hash: '' });
    return 'nothing';
  }
  const ours = hashOf(step, here.memory);
  if (here.home === undefined) {
    await agree(step, { state: 'withdrawn', hash: isUntouched(step, ours) ? ours : '' });
    return 'kept';
  }
  if (!isUntouched(step, ours)) {
    if (isLater(await ownVersion(step, ours), version)) {
      // Withdrawn by its owner, changed here later: it goes out again as a new text.
      await agree(step, { state: 'put', hash: '', home: here.home });
      return 'kept';
    }
    await noteReplaced(step, 'ours', here.memory);
  }
  await store.drop(share.project, [id]);
  await agree(step, { state: 'withdrawn', hash: '' });
  return 'dropped';
}

async function take(step: Step, theirs: Memory, home: string, seen: Memory | undefined): Promise<TakenIn> {
  const written = await step.store.take(theirs, home, seen);
  await agree(step, { state: 'put', hash: hashOf(step, written), home });
  return 'taken';
}

/** Records the state both sides agree on now. */
function agree(
  { store, share, id, version, known, author }: Step,
  { state, hash, home = known?.home }: Pick<Agreed, 'state' | 'hash' | 'home'>,
): Promise<void> {
  return store.note(share.remote, [
    { kind: 'agreed', memory: id, state, version, hash, ...given({ home, author }) },
  ]);
}

function noteReplaced({ store, share, id, version }: Step, lost: 'ours' | 'theirs', text: Memory) {
  const { machine } = version;
  return store.note(share.remote, [{ kind: 'replaced text', memory: id, lost, text, machine }]);
}

/** Whether nothing changed here since both sides agreed. */
function isUntouched({ known }: Step, hash: string): boolean {
  return known?.hash === hash;
}

/** The version of the local text that was not sent yet, recorded before it is compared. */
async function ownVersion({ store, share, id, known, before, clock }: Step, hash: string): Promise<Version> {
  if (before?.action === 'put' && before.hash === hash) return before.version;
  const version = nextVersion(known, before, clock);
  await store.note(share.remote, [{ kind: 'on its way', memory: id, action: 'put', version, hash }]);
  return version;
}

function hashOf({ store, share }: Step, memory: Memory): string {
  return hashOutbound(memory, store.paths(share.project));
}

function same(a: Version, b: Version): boolean {
  return a.clock === b.clock && a.machine === b.machine;
}
