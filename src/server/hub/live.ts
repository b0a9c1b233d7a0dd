/**
 * Live events of a team for the open pages of its members: each member gets the changes they may read. Looks at the
 * numbers of the last changes when a notice of the team arrives, now and then in any case, and every two seconds where no
 * notices arrive; only while a page listens. Sends ids, never texts.
 */
import { Feed, type Events, type LiveEvent } from '../../http/index.ts';
import {
  changesAfter,
  type Caller,
  type KeyHolder,
  type LastChanges,
  type Notice,
  type SeenChanges,
  type TeamStore,
} from '../store/index.ts';

/** Without notices, for example behind a pooler. */
const POLL_EVERY_MS = 2000;
/** With notices: ends visits that are over, and would find a change whose notice was lost. */
const LOOK_EVERY_MS = 30_000;
/** Several changes in a row are read together. */
const GATHER_MS = 50;
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
  /** Something of the team changed since the last look. */
  isDue: boolean;
}

export interface TeamLiveOptions {
  readonly store: TeamStore;
  readonly isVisitor: (cookie: string) => Promise<boolean>;
  readonly failed: (error: unknown) => void;
}

export class TeamLive {
  readonly #options: TeamLiveOptions;
  readonly #members = new Map<string, MemberFeed>();
  readonly #stopHearing: () => void;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #isClosed = false;
  /** An unreachable database is reported once. */
  #isFailing = false;

  constructor(options: TeamLiveOptions) {
    this.#options = options;
    this.#stopHearing = options.store.notices.hear((notice) => this.#heard(notice));
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
    // A notice may have come while the numbers were read for the first time.
    own.isDue = true;
    this.#pollSoon();
    this.#schedule();
    return own.feed.open(lastEventId, () => own.cookies.get(cookie) ?? false);
  }

  /** Checks all visits now, because one has ended. */
  checkVisits(): void {
    this.#heard(undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHearing();
    clearTimeout(this.#timer);
    clearTimeout(this.#soon);
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
    const own = { caller, feed: new Feed(), cookies, last, checkedAt: now, listenedAt: now, isDue: false };
    // Two pages of one member may connect at the same time.
    const first = this.#members.get(key) ?? own;
    this.#members.set(key, first);
    return first;
  }

  /** Undefined: anything may have changed, also whether notices arrive. */
  #heard(notice: Notice | undefined): void {
    for (const own of this.#members.values()) {
      if (notice && notice.team !== own.caller.team) continue;
      own.isDue = true;
      if (!notice || notice.projects.length === 0) own.checkedAt = 0;
    }
    if (!notice) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#schedule();
    }
    this.#pollSoon();
  }

  #pollSoon(): void {
    if (this.#isClosed || ![...this.#members.values()].some(({ isDue }) => isDue)) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      // The second one is for those who became due while another poll was under way.
      void this.#poll().then(() => this.#poll());
    }, GATHER_MS).unref();
  }

  #schedule(): void {
    if (this.#isClosed || this.#members.size === 0) return;
    const { isLive } = this.#options.store.notices;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        for (const own of this.#members.values()) own.isDue = true;
        void this.#poll().finally(() => this.#schedule());
      },
      isLive ? LOOK_EVERY_MS : POLL_EVERY_MS,
    ).unref();
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
        if (own.isDue) await this.#pollMember(own);
      } else if (Date.now() - own.listenedAt > KEEP_FEED_MS) this.#members.delete(key);
    }
  }

  async #pollMember(own: MemberFeed): Promise<void> {
    own.isDue = false;
    const { last, changes } = await this.#changes(own.caller, own.last).catch((error: unknown) => {
      own.isDue = true;
      throw error;
    });
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
