/**
 * Live events of a team for the open pages of its members: each member gets the changes they may read. Checks the numbers
 * of the last changes every two seconds, and only while a page listens. Sends ids, never texts.
 */
import { Feed, type Events, type LiveEvent } from '../../http/index.ts';
import {
  changesAfter,
  type Caller,
  type KeyHolder,
  type LastChanges,
  type SeenChanges,
  type TeamStore,
} from '../store/index.ts';

const POLL_EVERY_MS = 2000;
/** How often visits are checked while nothing changes. They are always checked before an event is sent. */
const CHECK_VISITS_EVERY_MS = 15_000;
/** A page that reconnects within this time gets the events it missed; later it loads everything again. */
const KEEP_FEED_MS = 60_000;
/** Of all members together; each costs a connection. */
const MOST_LISTENERS = 500;

interface MemberFeed {
  readonly caller: Caller;
  readonly feed: Feed;
  /** By cookie: whether the visit is still valid. */
  readonly cookies: Map<string, boolean>;
  last: LastChanges;
  checkedAt: number;
  /** When a page last listened. */
  listenedAt: number;
}

export interface TeamLiveOptions {
  readonly store: TeamStore;
  readonly isVisitor: (cookie: string) => Promise<boolean>;
  readonly failed: (error: unknown) => void;
}

export class TeamLive {
  readonly #options: TeamLiveOptions;
  readonly #members = new Map<string, MemberFeed>();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #isClosed = false;
  /** An unreachable database is reported once. */
  #isFailing = false;

  constructor(options: TeamLiveOptions) {
    this.#options = options;
  }

  get listeners(): number {
    return [...this.#members.values()].reduce((sum, { feed }) => sum + feed.listeners, 0);
  }

  async open(
    { team, member }: KeyHolder,
    cookie: string,
    lastEventId: string | undefined,
  ): Promise<Events | undefined> {
    if (this.#isClosed || this.listeners >= MOST_LISTENERS) return undefined;
    const caller = { team: team.id, member: member.id };
    const own = await this.#feedOf(caller);
    // It may have been removed meanwhile.
    this.#members.set(keyOf(caller), own);
    own.listenedAt = Date.now();
    own.cookies.set(cookie, true);
    this.#schedule();
    return own.feed.open(lastEventId, () => own.cookies.get(cookie) ?? false);
  }

  /** Checks all visits now, because one has ended. */
  checkVisits(): void {
    for (const own of this.#members.values()) own.checkedAt = 0;
    void this.#poll();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { feed } of this.#members.values()) feed.close();
    this.#members.clear();
  }

  async #feedOf(caller: Caller): Promise<MemberFeed> {
    const key = keyOf(caller);
    const known = this.#members.get(key);
    if (known) return known;
    const { last } = await this.#changes(caller);
    const now = Date.now();
    const cookies = new Map<string, boolean>();
    const own = { caller, feed: new Feed(), cookies, last, checkedAt: now, listenedAt: now };
    // Two pages of one member may connect at the same time.
    const first = this.#members.get(key) ?? own;
    this.#members.set(key, first);
    return first;
  }

  #schedule(): void {
    if (this.#isClosed || this.#members.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#poll().finally(() => this.#schedule());
    }, POLL_EVERY_MS).unref();
  }

  #poll(): Promise<void> {
    this.#polling ??= this.#pollAll()
      .then(
        () => (this.#isFailing = false),
        (error: unknown) => {
          if (!this.#isFailing) this.#options.failed(error);
          this.#isFailing = true;
        },
      )
      .then(() => (this.#polling = undefined));
    return this.#polling;
  }

  async #pollAll(): Promise<void> {
    for (const [key, own] of this.#members) {
      if (own.feed.listeners > 0) {
        own.listenedAt = Date.now();
        await this.#pollMember(own);
      } else if (Date.now() - own.listenedAt > KEEP_FEED_MS) this.#members.delete(key);
    }
  }

  async #pollMember(own: MemberFeed): Promise<void> {
    const { last, changes } = await this.#changes(own.caller, own.last);
    if (changes.length > 0 || Date.now() - own.checkedAt > CHECK_VISITS_EVERY_MS) await this.#check(own);
    own.last = last;
    for (const event of eventsOf(changes)) own.feed.publish(event);
  }

  async #check(own: MemberFeed): Promise<void> {
    own.checkedAt = Date.now();
    for (const cookie of own.cookies.keys()) {
      if (!(await this.#options.isVisitor(cookie))) own.cookies.set(cookie, false);
    }
    own.feed.dismiss();
    for (const [cookie, isValid] of own.cookies) if (!isValid) own.cookies.delete(cookie);
  }

  #changes(caller: Caller, after?: LastChanges): Promise<SeenChanges> {
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
