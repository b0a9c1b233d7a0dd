/**
 * Visits of the team's hub: signed in with a key, or with a link that a machine with a key asked for. Every request looks
 * the visit up in the database, so it ends at once after a logout, or when the key is revoked or the member removed.
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

/** The same as on a machine: time to click the link, not to find it later. */
const LINK_MS = 5 * 60_000;
/** A tab that is left open overnight still works in the morning. */
const IDLE_MS = 24 * 60 * 60_000;
/** After this time a member logs in again, however often the visit is used. */
const LONGEST_MS = 30 * 24 * 60 * 60_000;
/** How often the end of a visit in use is moved on, to save a write with every request. */
const EXTEND_EVERY_MS = 5 * 60_000;

export interface TeamVisitsOptions {
  readonly store: TeamStore;
  readonly guard: Guard;
  readonly now: () => Date;
  /** Called when a visit ends. */
  readonly onLeave: () => void;
}

export class TeamVisits implements Visits<ServerEnv> {
  readonly #options: TeamVisitsOptions;

  constructor(options: TeamVisitsOptions) {
    this.#options = options;
  }

  async enter(key: string, c: Context<ServerEnv>): Promise<string | undefined> {
    const { store, guard, now } = this.#options;
    const link = await guard.lookUp(c, () => linkOf(store, key, now()));
    if (!link) {
      await guard.missed(c);
      return undefined;
    }
    return this.#change(link.holder, async (work) =>
      (await useUpLink(work, link.id)) ? this.#begin(work, link.holder, 'link') : undefined,
    );
  }

  /** Throws where the key is not valid, or the address has tried too often. */
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

  /** Sets `c.var.holder`. */
  async isPage(cookie: string, key: string, c: Context<ServerEnv>): Promise<boolean> {
    const { guard } = this.#options;
    const visit = await this.#visit(cookie);
    if (!visit?.isPageKey(key)) return false;
    guard.pass(c, visit.holder, 'read');
    await this.#extend(visit);
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
    this.#options.onLeave();
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

  async #extend({ id, holder, until, createdAt, isPageUsed }: Visit): Promise<void> {
    const now = this.#options.now().getTime();
    const end = Math.min(now + IDLE_MS, Date.parse(createdAt) + LONGEST_MS);
    if (isPageUsed && end - Date.parse(until) < EXTEND_EVERY_MS) return;
    await this.#change(holder, (work) => keepVisit(work, id, new Date(end)));
  }

  #change<T>({ team, member }: KeyHolder, work: (work: Work) => Promise<T>): Promise<T> {
    return this.#options.store.transaction({ team: team.id, member: member.id }, work, { unnoticed: true });
  }
}

/** Creates a link key for a machine, which opens the hub's address with it in a browser. */
export async function newLink(
  work: Work,
  { key }: KeyHolder,
  now: Date,
): Promise<{ readonly key: string; readonly until: string }> {
  const until = new Date(now.getTime() + LINK_MS);
  return { key: await createLink(work, key.id, until), until: until.toISOString() };
}
