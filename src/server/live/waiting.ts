/**
 * Machines that wait for changes of their projects. A waiting machine costs an open request and an entry here, no
 * database connection. A notice of a project ends the waits for it without a look at the database; the machine then pulls
 * under its own rights. Waits end after a while, when the server stops and when the key is no longer valid.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../core/index.ts';
import type { Waited } from '../../exchange/sync/index.ts';
import { Semaphore } from '../../files/index.ts';
import { TooMany } from '../http/errors.ts';
import { lastSeqs, type Caller, type KeyHolder, type Notice, type TeamStore } from '../store/index.ts';

/** A project and the number of the last change that the machine has. */
export interface Asked {
  readonly project: string;
  readonly after: number;
}

interface Wait {
  readonly caller: Caller;
  readonly after: ReadonlyMap<string, number>;
  /** Replaced where the wait goes on. */
  end: (ended: Ended) => void;
  /** Its time is over, or its client is gone. */
  isOver: boolean;
}

/** `check`: who may do what has changed in the team. */
type Ended = Waited | 'check';

export interface WaitingOptions {
  readonly store: TeamStore;
  /** Throws if the key is no longer valid. */
  readonly check: (key: string) => Promise<void>;
  readonly leaving: AbortSignal;
  readonly failed: (error: unknown) => void;
  /** Smaller in tests. */
  readonly limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  /** Less than the minute after which proxies give up. A random part is taken off, so that waits spread out. */
  longestMs: 50_000,
  /** A member has a few machines, and can make any number of keys. */
  mostPerMember: 16,
  /** Of all members together: each takes about 90 KB (docs/server.md), and a large team has several servers. */
  most: 5000,
};
const RANDOM_PART = 0.2;
/** The machines that get the answer together pull within so much time for each, up to a limit. */
const SPREAD_MS_EACH = 2;
const LONGEST_SPREAD_MS = 15_000;
/** How often the numbers are read where no notices arrive, and where they do, in case that one was lost. */
const POLL_EVERY_MS = 3000;
const LOOK_EVERY_MS = 30_000;
/** Checks at a time after a change of access, so that requests have the other connections. */
const CHECKS = 4;
/** Changes of access in a team within this time are checked together. */
const CHECK_EVERY_MS = 5000;
/** Seconds after which a machine may ask again when there are too many. */
const RETRY_AFTER = 60;

export class Waiting {
  readonly #options: WaitingOptions;
  readonly #limits: typeof LIMITS;
  /** By team, then by project. */
  readonly #teams = new Map<string, Map<string, Set<Wait>>>();
  readonly #perMember = new Map<string, number>();
  /** Teams whose waits were just checked, and whether access has changed since. */
  readonly #checked = new Map<string, boolean>();
  readonly #stopHearing: () => void;
  readonly #checks = new Semaphore(CHECKS, LIMITS.longestMs, tooBusy);
  #count = 0;
  #isPolling = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WaitingOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#stopHearing = options.store.notices.hear((notice) => this.#heard(notice));
    // One listener for all waits: each more would cost as much as there are.
    options.leaving.addEventListener('abort', () => this.#endAll(), { once: true });
  }

  /** Waits under way. */
  get count(): number {
    return this.#count;
  }

  close(): void {
    this.#stopHearing();
    clearTimeout(this.#timer);
  }

  /**
   * Resolves at a change of one of the projects, or without one when the time is over. `onHangUp` calls its argument when
   * the client is gone.
   */
  async wait(
    { team, member, key }: KeyHolder,
    asked: readonly Asked[],
    onHangUp: (stop: () => void) => void,
  ): Promise<Waited> {
    const after = new Map(asked.map((one) => [one.project.toLowerCase(), one.after]));
    this.#enter(member.id);
    const wait: Wait = { caller: { team: team.id, member: member.id }, after, end: () => {}, isOver: false };
    const timer = setTimeout(() => over(wait), this.#limits.longestMs * (1 - Math.random() * RANDOM_PART));
    onHangUp(() => over(wait));
    // Before the numbers are read, so that no change falls in between.
    this.#add(wait);
    try {
      let { promise, resolve } = Promise.withResolvers<Ended>();
      wait.end = resolve;
      let now = await this.#look(wait);
      for (;;) {
        if (now.changed.length + now.gone.length > 0 || wait.isOver || this.#options.leaving.aborted)
          return now;
        this.#schedule();
        const ended = await promise;
        if (ended !== 'check') return ended;
        ({ promise, resolve } = Promise.withResolvers<Ended>());
        wait.end = resolve;
        now = await this.#checks.run(async () => {
          await this.#options.check(key.id);
          return this.#look(wait);
        });
      }
    } finally {
      clearTimeout(timer);
      this.#remove(wait);
      this.#leave(member.id);
    }
  }

  #endAll(): void {
    for (const projects of this.#teams.values()) for (const wait of waitsIn(projects)) over(wait);
  }

  #enter(member: string): void {
    const own = this.#perMember.get(member) ?? 0;
    if (own >= this.#limits.mostPerMember)
      throw new TooMany(RETRY_AFTER, 'too many requests of this member wait for changes');
    if (this.#count >= this.#limits.most)
      throw new TooMany(RETRY_AFTER, 'too many machines wait for changes');
    this.#perMember.set(member, own + 1);
    this.#count++;
  }

  #leave(member: string): void {
    const own = (this.#perMember.get(member) ?? 1) - 1;
    if (own > 0) this.#perMember.set(member, own);
    else this.#perMember.delete(member);
    this.#count--;
  }

  #add(wait: Wait): void {
    const { team } = wait.caller;
    const projects = this.#teams.get(team) ?? new Map<string, Set<Wait>>();
    this.#teams.set(team, projects);
    for (const project of wait.after.keys()) {
      const waits = projects.get(project) ?? new Set();
      projects.set(project, waits.add(wait));
    }
  }

  #remove(wait: Wait): void {
    const { team } = wait.caller;
    const projects = this.#teams.get(team);
    for (const project of wait.after.keys()) {
      const waits = projects?.get(project);
      waits?.delete(wait);
      if (waits?.size === 0) projects?.delete(project);
    }
    if (projects?.size === 0) this.#teams.delete(team);
  }

  /** Reads the numbers as the caller, who sees only what is shared with them. */
  async #look(wait: Wait): Promise<Waited> {
    const last = await this.#numbers(wait);
    const gone = [...wait.after.keys()].filter((project) => !last.has(project));
    return { changed: changedIn(wait, last), gone, spreadMs: 0 };
  }

  #numbers({ caller, after }: Wait): Promise<ReadonlyMap<string, number>> {
    const projects = [...after.keys()];
    return this.#options.store.transaction(caller, (work) => lastSeqs(work, projects), { readOnly: true });
  }

  /** A notice is sent at the commit, so a project in it has a newer change, or another share. */
  #heard(notice: Notice | undefined): void {
    if (!notice) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      void this.#poll();
      return;
    }
    const projects = this.#teams.get(notice.team);
    if (!projects) return;
    if (notice.projects.length === 0) this.#checkSoon(notice.team);
    else for (const project of notice.projects) this.#tell(projects, project);
  }

  /** Checks the waits of a team at once; if access changes again and again, every few seconds. */
  #checkSoon(team: string): void {
    if (this.#checked.has(team)) return void this.#checked.set(team, true);
    this.#checked.set(team, false);
    for (const wait of waitsIn(this.#teams.get(team) ?? new Map())) wait.end('check');
    setTimeout(() => {
      const isDue = this.#checked.get(team) === true;
      this.#checked.delete(team);
      if (isDue) this.#checkSoon(team);
    }, CHECK_EVERY_MS).unref();
  }

  #tell(projects: ReadonlyMap<string, ReadonlySet<Wait>>, project: string): void {
    const waits = [...(projects.get(project) ?? [])];
    const spreadMs = spreadOf(waits.length);
    for (const wait of waits) wait.end({ changed: [project], gone: [], spreadMs });
  }

  #schedule(): void {
    if (this.#count === 0 || this.#options.leaving.aborted) return;
    const every = this.#options.store.notices.isLive ? LOOK_EVERY_MS : POLL_EVERY_MS;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#poll();
    }, every).unref();
  }

  /** Reads each number once, as one of the members who wait for it. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (const projects of this.#teams.values()) {
        const last = new Map<string, number>();
        for (const wait of waitsIn(projects)) {
          const asked = [...wait.after.keys()];
          let gone: readonly string[] = [];
          if (!asked.every((project) => last.has(project))) {
            const found = await this.#numbers(wait);
            for (const [project, seq] of found) last.set(project, seq);
            gone = asked.filter((project) => !found.has(project));
            await delay(0);
          }
          // Each wait has a number of its own, which may be ahead after a restore.
          const changed = changedIn(wait, last).filter((project) => !gone.includes(project));
          const waits = Math.max(...asked.map((project) => projects.get(project)?.size ?? 0));
          if (changed.length + gone.length > 0) wait.end({ changed, gone, spreadMs: spreadOf(waits) });
        }
      }
    } catch (error) {
      this.#options.failed(error);
    } finally {
      this.#isPolling = false;
      this.#schedule();
    }
  }
}

function changedIn({ after }: Wait, last: ReadonlyMap<string, number>): readonly string[] {
  return [...after].filter(([project, seq]) => (last.get(project) ?? 0) > seq).map(([project]) => project);
}

function spreadOf(waits: number): number {
  return Math.min(LONGEST_SPREAD_MS, Math.max(0, waits - 1) * SPREAD_MS_EACH);
}

function over(wait: Wait): void {
  wait.isOver = true;
  wait.end(NOTHING);
}

const NOTHING: Waited = { changed: [], gone: [], spreadMs: 0 };

function waitsIn(projects: ReadonlyMap<string, ReadonlySet<Wait>>): ReadonlySet<Wait> {
  return new Set([...projects.values()].flatMap((waits) => [...waits]));
}

function tooBusy(): TidemarkError {
  return new TidemarkError('unavailable', 'too many machines wait for changes', {
    hint: 'Pull the changes now and then instead.',
  });
}
