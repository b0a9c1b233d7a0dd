/**
 * What happens in a team, told to the open pages of its members: each hears of what they may read. Looks at the number of
 * the team's last change every other second, and only while somebody listens. Tells ids, never texts.
 */
import { Feed, type Events, type LiveEvent } from '../../http/index.ts';
import {
  changesAfter,
  type Caller,
  type KeyHolder,
  type SeenChanges,
  type TeamStore,
} from '../store/index.ts';

const LOOK_EVERY_MS = 2000;
/** Whether a visit still holds is asked so often while nothing happens; before anything is told, always. */
const CHECK_EVERY_MS = 15_000;
/** Who comes back within this time finds what was missed; later, the page asks for everything anew. */
const KEPT_MS = 60_000;
/** Of all members together; each costs a connection. */
const MOST_LISTENERS = 500;

interface Ear {
  readonly caller: Caller;
  readonly feed: Feed;
  /** By cookie: whether the visit still holds. */
  readonly cookies: Map<string, boolean>;
  seq: number;
  checkedAt: number;
  /** When somebody last listened. */
  heardAt: number;
}

export interface TeamLiveOptions {
  readonly store: TeamStore;
  readonly isVisitor: (cookie: string) => Promise<boolean>;
  readonly failed: (error: unknown) => void;
}

export class TeamLive {
  readonly #options: TeamLiveOptions;
  readonly #ears = new Map<string, Ear>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isOver = false;
  /** A database that is away is told of once. */
  #isFailing = false;

  constructor(options: TeamLiveOptions) {
    this.#options = options;
  }

  get listeners(): number {
    return [...this.#ears.values()].reduce((sum, { feed }) => sum + feed.listeners, 0);
  }

  async open(
    { team, member }: KeyHolder,
    cookie: string,
    lastEventId: string | undefined,
  ): Promise<Events | undefined> {
    if (this.#isOver || this.listeners >= MOST_LISTENERS) return undefined;
    const caller = { team: team.id, member: member.id };
    const ear = await this.#ear(caller);
    // It may have been let go of just now.
    this.#ears.set(keyOf(caller), ear);
    ear.heardAt = Date.now();
    ear.cookies.set(cookie, true);
    this.#plan();
    return ear.feed.open(lastEventId, () => ear.cookies.get(cookie) ?? false);
  }

  /** Somebody left: whose visit is over hears no more. */
  look(): void {
    for (const ear of this.#ears.values()) ear.checkedAt = 0;
    void this.#look();
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    for (const { feed } of this.#ears.values()) feed.close();
    this.#ears.clear();
  }

  async #ear(caller: Caller): Promise<Ear> {
    const key = keyOf(caller);
    const known = this.#ears.get(key);
    if (known) return known;
    const { seq } = await this.#changes(caller);
    const now = Date.now();
    const cookies = new Map<string, boolean>();
    const ear = { caller, feed: new Feed(), cookies, seq, checkedAt: now, heardAt: now };
    // Two pages of one member may have come at once.
    const first = this.#ears.get(key) ?? ear;
    this.#ears.set(key, first);
    return first;
  }

  #plan(): void {
    if (this.#isOver || this.#ears.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#look().finally(() => this.#plan());
    }, LOOK_EVERY_MS).unref();
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookAtAll()
      .then(
        () => (this.#isFailing = false),
        (error: unknown) => {
          if (!this.#isFailing) this.#options.failed(error);
          this.#isFailing = true;
        },
      )
      .then(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookAtAll(): Promise<void> {
    for (const [key, ear] of this.#ears) {
      if (ear.feed.listeners > 0) {
        ear.heardAt = Date.now();
        await this.#lookAt(ear);
      } else if (Date.now() - ear.heardAt > KEPT_MS) this.#ears.delete(key);
    }
  }

  async #lookAt(ear: Ear): Promise<void> {
    const { seq, changes } = await this.#changes(ear.caller, ear.seq);
    if (changes.length > 0 || Date.now() - ear.checkedAt > CHECK_EVERY_MS) await this.#check(ear);
    ear.seq = seq;
    for (const event of eventsOf(changes)) ear.feed.publish(event);
  }

  async #check(ear: Ear): Promise<void> {
    ear.checkedAt = Date.now();
    for (const cookie of ear.cookies.keys()) {
      if (!(await this.#options.isVisitor(cookie))) ear.cookies.set(cookie, false);
    }
    ear.feed.dismiss();
    for (const [cookie, holds] of ear.cookies) if (!holds) ear.cookies.delete(cookie);
  }

  #changes(caller: Caller, after?: number): Promise<SeenChanges> {
    return this.#options.store.transaction(caller, (work) => changesAfter(work, after), { readOnly: true });
  }
}

function keyOf({ team, member }: Caller): string {
  return `${team}/${member}`;
}

function eventsOf(changes: SeenChanges['changes']): readonly LiveEvent[] {
  return [...Map.groupBy(changes, ({ what }) => what)].map(([what, some]) => ({
    kind: 'memories',
    what,
    ids: some.map(({ id }) => id),
  }));
}
