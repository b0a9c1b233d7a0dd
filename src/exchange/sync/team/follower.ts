/**
 * Waits at the team server for changes of the shared projects, so that they arrive within seconds without frequent pulls.
 * One request is open at a time, and nothing runs until it is answered. It does not count as work: a daemon at rest ends
 * it. With a server that cannot do this, or while it fails, the regular pulls continue.
 */
import type { Login, TeamServer } from '../index.ts';
import { problemOf } from './state.ts';

export interface Followed {
  /** The project's id in the team. */
  readonly id: string;
  /** The number of the last change that this machine has. */
  readonly after: number;
}

interface FollowerOptions {
  readonly server: (login: Login) => Pick<TeamServer, 'wait'>;
  /** Called with the projects that have changes, at a random moment within the time that the server asks for. */
  readonly onChange: (projects: readonly string[]) => void;
  /** Replaced in tests. */
  readonly random?: () => number;
  readonly later?: (work: () => void, ms: number) => () => void;
  readonly now?: () => number;
}

/** A server of an earlier release may be upgraded. */
const ASK_OLD_SERVER_AGAIN_MS = 60 * 60_000;
const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 15 * 60_000;
/** A project whose pull did not get past the announced change, because an entry is being edited, waits for regular pulls. */
const SAME_NEWS_MS = 60_000;
/** An empty answer that comes sooner is no wait: the server stops, or something in between answers. */
const SHORTEST_MS = 1000;
/** As many as a server accepts (`MOST_WAITED` of wire.ts, which is loaded only with a team). */
const MOST_PROJECTS = 200;
/** A server cannot make this machine wait longer. */
const LONGEST_SPREAD_MS = 30_000;

export class Follower {
  readonly #options: Required<FollowerOptions>;
  #projects: readonly Followed[] = [];
  /** The open request, for one login and one set of projects. */
  #current: { readonly of: string; readonly over: AbortController } | undefined;
  /** By project: the number it had when the server announced a change. */
  readonly #announced = new Map<string, { readonly after: number; readonly at: number }>();
  #failures = 0;
  #restsUntil = 0;
  /** Projects with announced changes that are about to be reported. */
  readonly #news = new Set<string>();
  #cancel: () => void = () => {};

  constructor(options: FollowerOptions) {
    this.#options = { random: Math.random, later: unrefTimer, now: Date.now, ...options };
  }

  /** Whether changes of this project are being waited for, so that regular pulls of it can be rare. */
  covers(project: string): boolean {
    return this.#current !== undefined && this.#projects.some(({ id }) => id === project);
  }

  /** Waits for changes of exactly these projects. A wait for the same ones that is under way continues. */
  follow(login: Login, all: readonly Followed[]): void {
    const now = this.#options.now();
    const isNews = ({ id, after }: Followed): boolean => {
      const known = this.#announced.get(id);
      return known?.after !== after || now - known.at > SAME_NEWS_MS;
    };
    const projects = all.filter(isNews).slice(0, MOST_PROJECTS);
    const of = [login.server, login.key, ...projects.map(({ id }) => id).toSorted()].join('\n');
    this.#projects = projects;
    if (this.#current?.of === of) return;
    this.#abort();
    if (projects.length === 0 || now < this.#restsUntil) return;
    const over = new AbortController();
    this.#current = { of, over };
    void this.#wait(login, over);
  }

  /** Ends the wait, and forgets what was announced: the next one begins from the start. */
  stop(): void {
    this.#cancel();
    this.#news.clear();
    this.#announced.clear();
    this.#abort();
  }

  #abort(): void {
    this.#current?.over.abort();
    this.#current = undefined;
  }

  async #wait(login: Login, over: AbortController): Promise<void> {
    const { server, random, now } = this.#options;
    try {
      while (!over.signal.aborted) {
        const began = now();
        const waited = await server(login).wait(this.#projects, over.signal);
        if (over.signal.aborted) return;
        if (!waited) return this.#rest(ASK_OLD_SERVER_AGAIN_MS);
        const news = [...waited.changed, ...waited.gone];
        if (news.length === 0 && now() - began < SHORTEST_MS) throw new Error('answered without a wait');
        this.#failures = 0;
        if (news.length === 0) continue;
        for (const { id, after } of this.#projects)
          if (news.includes(id)) this.#announced.set(id, { after, at: now() });
        this.#current = undefined;
        const spread = Math.min(waited.spreadMs, LONGEST_SPREAD_MS) * random();
        return this.#report(news, spread);
      }
    } catch (error) {
      if (over.signal.aborted) return;
      const asked = Number((error as { retryAfterMs?: unknown }).retryAfterMs) || 0;
      const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++);
      const least = problemOf(error).code === 'team.key' ? LONGEST_RETRY_MS : wait;
      // All machines lose their server at the same moment, and must not come back at the same moment.
      this.#rest(Math.max(least, asked) * (0.5 + random()));
    }
  }

  /** The next round that succeeds after this time waits again. */
  #rest(ms: number): void {
    this.#current = undefined;
    this.#restsUntil = this.#options.now() + ms;
  }

  /** Rounds that run meanwhile may begin another wait, whose news joins those of this one. */
  #report(news: readonly string[], ms: number): void {
    const isPending = this.#news.size > 0;
    for (const project of news) this.#news.add(project);
    if (isPending) return;
    this.#cancel = this.#options.later(() => {
      const projects = [...this.#news];
      this.#news.clear();
      this.#options.onChange(projects);
    }, ms);
  }
}

function unrefTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}
