/**
 * One change of a team taken into this machine's memory. The later version of an entry holds, a tombstone beats them
 * all, and the text that gives way is written down first: any order of arrival gives the same entries everywhere.
 */
import { given, type Memory } from '../../core/index.ts';
import { tidyMemory } from '../../storage/journal/index.ts';
import { comparable, receivedVersion } from './clocks.ts';
import { fromWire, hashOutbound } from './outbound-filter.ts';
import { boundOf, nextVersion, sendable, type Clock } from './outbox.ts';
import type { Agreed, Note, OnItsWay, SharedProject, SharedStore, Standing } from './shared-store.ts';
import { isLater, type Change, type Version } from './wire.ts';

export interface Seen {
  readonly change: Change;
  /** Who made it; none where that is oneself. */
  readonly author: string | undefined;
}

export type TakenIn = 'nothing' | 'taken' | 'dropped' | 'forgotten' | 'gave way' | 'kept';

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
  // Whose entry it is does not change with who changed it last.
  const of = known ? known.author : author;
  const step = new Step(store, share, { id, version, known, before, author: of }, clock);
  if (change.op === 'tombstone') return step.forget(change);
  if (known && !isLater(version, known.version)) return 'nothing';
  // Our own, and we did not live to hear that it had arrived.
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
      // Forgotten, merged or moved away here: the outbox says so to the others.
      await this.agree({ state: 'put', hash: '', home });
      return 'kept';
    }
    const theirs = tidyMemory(fromWire(entry, this.#share.project, author));
    if (!here) return this.#take(theirs, home, undefined);
    const ours = this.#hashOf(here.memory);
    const wanted = this.#hashOf({ ...theirs, project: here.memory.project });
    if (ours === wanted) {
      await this.agree({ state: 'put', hash: ours, home });
      return 'nothing';
    }
    if (this.#isUntouched(ours)) return this.#take(theirs, home, here.memory);
    if (isLater(this.#about.version, await this.#ownVersion(ours))) {
      await this.#gaveWay('ours', here.memory);
      await this.#take(theirs, home, here.memory);
      return 'gave way';
    }
    // An earlier text of this very machine, whose arrival we did not live to hear of, is nobody else's.
    if (this.#about.version.machine !== this.#clock.machine) await this.#gaveWay('theirs', theirs);
    await this.agree({ state: 'put', hash: wanted, home });
    return 'kept';
  }

  /** One's own file keeps what stands in it: what others take back they take from the others. */
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
        await this.#agreeStillThere(here);
        return 'kept';
      }
      await this.#gaveWay('ours', here.memory);
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

  /** Withdrawn by its owner, changed here later: as a new text of ours it goes out again. */
  async #agreeStillThere({ home }: Standing): Promise<void> {
    await this.agree({ state: 'put', hash: '', ...given({ home }) });
  }

  async #take(theirs: Memory, home: string, seen: Memory | undefined): Promise<TakenIn> {
    const written = await this.#store.take(theirs, home, seen);
    await this.agree({ state: 'put', hash: this.#hashOf(written), home });
    return 'taken';
  }

  /** Nothing was changed here since both agreed. */
  #isUntouched(hash: string): boolean {
    return this.#about.known?.hash === hash;
  }

  /** The version of what stands here and was not sent yet, written down before it is compared. */
  async #ownVersion(hash: string): Promise<Version> {
    const { id, known, before } = this.#about;
    if (before?.action === 'put' && before.hash === hash) return before.version;
    const version = nextVersion(known, before, this.#clock);
    await this.#note({ kind: 'on its way', memory: id, action: 'put', version, hash });
    return version;
  }

  #gaveWay(lost: 'ours' | 'theirs', text: Memory): Promise<void> {
    const { id, version } = this.#about;
    return this.#note({ kind: 'gave way', memory: id, lost, text, machine: version.machine });
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
