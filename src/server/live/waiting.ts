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
  /** A user has a few machines with one key at most. */
  mostPerKey: 8,
  /** Of all keys together: each takes about 90 KB (docs/server.md), and a large team has several servers. */
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
/** Seconds after which a machine may ask again when there are too many. */
const RETRY_AFTER = 60;

export class Waiting {
  readonly #options: WaitingOptions;
  readonly #limits: typeof LIMITS;
  /** By team, then by project. */
  readonly #teams = new Map<string, Map<string, Set<Wait>>>();
  readonly #perKey = new Map<string, number>();
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
    this.#enter(key.id);
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
      this.#leave(key.id);
    }
  }

  #endAll(): void {
    for (const projects of this.#teams.values()) for (const wait of waitsIn(projects)) over(wait);
  }

  #enter(key: string): void {
    const own = this.#perKey.get(key) ?? 0;
    if (own >= this.#limits.mostPerKey)
      throw new TooMany(RETRY_AFTER, 'too many requests of this key wait for changes');
    if (this.#count >= this.#limits.most) throw tooBusy();
    this.#perKey.set(key, own + 1);
    this.#count++;
  }

  #leave(key: string): void {
    const own = (this.#perKey.get(key) ?? 1) - 1;
    if (own > 0) this.#perKey.set(key, own);
    else this.#perKey.delete(key);
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
  async #look({ caller, after }: Wait): Promise<Waited> {
    const projects = [...after.keys()];
    const last = await this.#options.store.transaction(caller, (work) => lastSeqs(work, projects), {
      readOnly: true,
    });
    return {
      changed: projects.filter((project) => (last.get(project) ?? 0) > (after.get(project) ?? 0)),
      gone: projects.filter((project) => !last.has(project)),
      spreadMs: 0,
    };
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
    if (notice.projects.length === 0) for (const wait of waitsIn(projects)) wait.end('check');
    else for (const project of notice.projects) this.#tell(projects, project);
  }

  #tell(projects: ReadonlyMap<string, ReadonlySet<Wait>>, project: string): void {
    const waits = [...(projects.get(project) ?? [])];
    const spreadMs = Math.min(LONGEST_SPREAD_MS, (waits.length - 1) * SPREAD_MS_EACH);
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
        const looked = new Set<string>();
        for (const wait of waitsIn(projects)) {
          if ([...wait.after.keys()].every((project) => looked.has(project))) continue;
          const { changed, gone } = await this.#look(wait);
          if (gone.length > 0) wait.end({ changed, gone, spreadMs: 0 });
          for (const project of changed) this.#tell(projects, project);
          for (const project of wait.after.keys()) if (!gone.includes(project)) looked.add(project);
          await delay(0);
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
