/**
 * Takes one change of a team into this machine's memory. The later version of an entry wins, a tombstone beats every
 * version, and the replaced text is recorded first. Any order of arrival gives the same entries on every machine.
 */
import { given, type Memory } from '../../core/index.ts';
import { tidyMemory } from '../../storage/journal/index.ts';
import { comparable, receivedVersion } from './clocks.ts';
import { fromWire, hashOutbound } from './outbound-filter.ts';
import { boundOf, nextVersion, sendable, type Clock } from './outbox.ts';
import type { Agreed, Note, OnItsWay, SharedProject, SharedStore } from './shared-store.ts';
import { isLater, type Change, type Version } from './wire.ts';

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
  // The author stays the same, no matter who changed the entry last.
  const of = known ? known.author : author;
  const step = new Step(store, share, { id, version, known, before, author: of }, clock);
  if (change.op === 'tombstone') return step.forget(change);
  if (known && !isLater(version, known.version)) return 'nothing';
  // Our own change: we were stopped before the answer to our push came.
  if (before && before.action !== 'tombstone' && same(before.version, version)) {
    await step.agree({ state: change.op === 'put' ? 'put' : 'withdrawn', hash: before.hash });
    return 'nothing';
  }
  return change.op === 'put' ? step.put(change.entry) : step.withdraw();
}

interface About {
  readonly id: string;
  readonly version: Version;
  readonly known: Agreed | undefined;
  readonly before: OnItsWay | undefined;
  readonly author: string | undefined;
}

class Step {
  readonly #store: SharedStore;
  readonly #share: SharedProject;
  readonly #about: About;
  readonly #clock: Clock;

  constructor(store: SharedStore, share: SharedProject, about: About, clock: Clock) {
    this.#store = store;
    this.#share = share;
    this.#about = about;
    this.#clock = clock;
  }

  async forget({ turn, hash }: Extract<Change, { op: 'tombstone' }>): Promise<TakenIn> {
    await this.#store.bury(this.#share.project, { id: this.#about.id, turn, hash });
    await this.agree({ state: 'forgotten', hash: '' });
    return 'forgotten';
  }

  async put(entry: Extract<Change, { op: 'put' }>['entry']): Promise<TakenIn> {
    const { id, author } = this.#about;
    const here = this.#store.entry(this.#share.project, id);
    const home = entry.machine;
    if (!here && this.#store.fate(this.#share.project, id) !== 'missing') {
      // Forgotten, merged or moved away here: the outbox will tell the server.
      await this.agree({ state: 'put', hash: '', home });
      return 'kept';
    }
    const theirs = tidyMemory(fromWire(entry, this.#share.project, author));
    if (!here) return this.#take(theirs, home, undefined);
    const ours = this.#hashOf(here.memory);
    const hash = this.#hashOf({ ...theirs, project: here.memory.project });
    if (ours === hash) {
      await this.agree({ state: 'put', hash: ours, home });
      return 'nothing';
    }
    if (this.#isUntouched(ours)) return this.#take(theirs, home, here.memory);
    if (isLater(this.#about.version, await this.#ownVersion(ours))) {
      await this.#noteReplaced('ours', here.memory);
      await this.#take(theirs, home, here.memory);
      return 'replaced';
    }
    // An earlier text of this same machine is no conflict: its push arrived, only the answer was lost.
    if (this.#about.version.machine !== this.#clock.machine) await this.#noteReplaced('theirs', theirs);
    await this.agree({ state: 'put', hash, home });
    return 'kept';
  }

  /** A withdrawal never removes an entry of this machine's own journal file. */
  async withdraw(): Promise<TakenIn> {
    const here = this.#store.entry(this.#share.project, this.#about.id);
    if (!here) {
      await this.agree({ state: 'withdrawn', hash: '' });
      return 'nothing';
    }
    const ours = this.#hashOf(here.memory);
    if (here.home === undefined) {
      await this.agree({ state: 'withdrawn', hash: this.#isUntouched(ours) ? ours : '' });
      return 'kept';
    }
    if (!this.#isUntouched(ours)) {
      if (isLater(await this.#ownVersion(ours), this.#about.version)) {
        // Withdrawn by its owner, changed here later: it goes out again as a new text.
        await this.agree({ state: 'put', hash: '', home: here.home });
        return 'kept';
      }
      await this.#noteReplaced('ours', here.memory);
    }
    await this.#store.drop(this.#share.project, [this.#about.id]);
    await this.agree({ state: 'withdrawn', hash: '' });
    return 'dropped';
  }

  async agree(facts: Pick<Agreed, 'state' | 'hash'> & { readonly home?: string }): Promise<void> {
    const { id, version, known, author } = this.#about;
    const home = facts.home ?? known?.home;
    await this.#note({
      kind: 'agreed',
      memory: id,
      state: facts.state,
      version,
      hash: facts.hash,
      ...given({ home, author }),
    });
  }

  async #take(theirs: Memory, home: string, seen: Memory | undefined): Promise<TakenIn> {
    const written = await this.#store.take(theirs, home, seen);
    await this.agree({ state: 'put', hash: this.#hashOf(written), home });
    return 'taken';
  }

  /** Whether nothing changed here since both sides agreed. */
  #isUntouched(hash: string): boolean {
    return this.#about.known?.hash === hash;
  }

  /** The version of the local text that was not sent yet, recorded before it is compared. */
  async #ownVersion(hash: string): Promise<Version> {
    const { id, known, before } = this.#about;
    if (before?.action === 'put' && before.hash === hash) return before.version;
    const version = nextVersion(known, before, this.#clock);
    await this.#note({ kind: 'on its way', memory: id, action: 'put', version, hash });
    return version;
  }

  #noteReplaced(lost: 'ours' | 'theirs', text: Memory): Promise<void> {
    const { id, version } = this.#about;
    return this.#note({ kind: 'replaced text', memory: id, lost, text, machine: version.machine });
  }

  #note(note: Note): Promise<void> {
    return this.#store.note(this.#share.remote, [note]);
  }

  #hashOf(memory: Memory): string {
    return hashOutbound(memory, this.#store.paths(this.#share.project));
  }
}

function same(a: Version, b: Version): boolean {
  return a.clock === b.clock && a.machine === b.machine;
}
