/**
 * Who was let into the team's hub: by a key, or by a link that a machine with a key asked for. Looked up with every
 * request, so that whoever logged out, lost the key or left the team is out at once. Keeps nothing in memory.
 */
import type { Context } from 'hono';
import type { Visits } from '../../http/index.ts';
import { requireScope } from '../access/index.ts';
import type { Guard, ServerEnv } from '../http/index.ts';
import {
  createLink,
  createVisit,
  endVisit,
  givePageKey,
  keepVisit,
  linkOf,
  recordAudit,
  useUpLink,
  visitOf,
  type KeyHolder,
  type TeamStore,
  type Visit,
  type Work,
} from '../store/index.ts';

/** As on one's own machine: time to click it, not to find it later. */
const LINK_MS = 5 * 60_000;
/** A tab left open over the night still works in the morning. */
const IDLE_MS = 24 * 60 * 60_000;
/** However often it is used, somebody proves now and then that they still have a key. */
const LONGEST_MS = 30 * 24 * 60 * 60_000;
/** That a visit goes on is written down so often, not with every request. */
const KEEP_EVERY_MS = 5 * 60_000;

export interface TeamVisitsOptions {
  readonly store: TeamStore;
  readonly guard: Guard;
  readonly now: () => Date;
  /** Told when somebody leaves. */
  readonly left: () => void;
}

export class TeamVisits implements Visits<ServerEnv> {
  readonly #options: TeamVisitsOptions;

  constructor(options: TeamVisitsOptions) {
    this.#options = options;
  }

  async enter(key: string, c: Context<ServerEnv>): Promise<string | undefined> {
    const { store, guard, now } = this.#options;
    guard.mayTry(c);
    const link = await linkOf(store, key, now());
    if (!link) {
      guard.missed(c);
      return undefined;
    }
    return this.#change(link.holder, async (work) =>
      (await useUpLink(work, link.id)) ? this.#begin(work, link.holder, 'link') : undefined,
    );
  }

  /** Throws where the key is not good, or the address has guessed too often. */
  async login(key: string, c: Context<ServerEnv>): Promise<string> {
    const holder = await this.#options.guard.holderOf(c, key);
    requireScope(holder, 'read');
    return this.#change(holder, (work) => this.#begin(work, holder, 'key'));
  }

  async isVisitor(cookie: string): Promise<boolean> {
    return (await this.#visit(cookie)) !== undefined;
  }

  async claimPage(cookie: string): Promise<string | undefined> {
    const visit = await this.#visit(cookie);
    return visit && this.#change(visit.holder, (work) => givePageKey(work, visit.id));
  }

  /** Leaves who asks in `c.var.holder`. */
  async isPage(cookie: string, key: string, c: Context<ServerEnv>): Promise<boolean> {
    const { guard } = this.#options;
    const visit = await this.#visit(cookie);
    if (!visit?.isPageKey(key)) return false;
    guard.pass(c, visit.holder, 'read');
    await this.#keep(visit);
    return true;
  }

  async leave(cookie: string): Promise<void> {
    const visit = await this.#visit(cookie);
    if (!visit) return;
    const { holder, id } = visit;
    await this.#change(holder, async (work) => {
      await endVisit(work, id);
      await recordAudit(work, { action: 'hub.logout', object: holder.member.id, key: holder.key.id });
    });
    this.#options.left();
  }

  async #begin(work: Work, { member, key }: KeyHolder, by: 'key' | 'link'): Promise<string> {
    const until = new Date(this.#options.now().getTime() + IDLE_MS);
    const cookie = await createVisit(work, key.id, until);
    await recordAudit(work, { action: 'hub.login', object: member.id, key: key.id, detail: { by } });
    return cookie;
  }

  #visit(cookie: string): Promise<Visit | undefined> {
    return visitOf(this.#options.store, cookie, this.#options.now());
  }

  async #keep({ id, holder, until, createdAt, isPageUsed }: Visit): Promise<void> {
    const now = this.#options.now().getTime();
    const end = Math.min(now + IDLE_MS, Date.parse(createdAt) + LONGEST_MS);
    if (isPageUsed && end - Date.parse(until) < KEEP_EVERY_MS) return;
    await this.#change(holder, (work) => keepVisit(work, id, new Date(end)));
  }

  #change<T>({ team, member }: KeyHolder, work: (work: Work) => Promise<T>): Promise<T> {
    return this.#options.store.transaction({ team: team.id, member: member.id }, work, { unnoticed: true });
  }
}

/** For a machine with a key: what it puts into the address it opens in a browser. */
export async function newLink(
  work: Work,
  { key }: KeyHolder,
  now: Date,
): Promise<{ readonly key: string; readonly until: string }> {
  const until = new Date(now.getTime() + LINK_MS);
  return { key: await createLink(work, key.id, until), until: until.toISOString() };
}
