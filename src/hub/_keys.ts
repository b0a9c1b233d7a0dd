/**
 * Access to the hub: one-time links, the cookies they become, and the key of the page. Everything is hashed and in
 * memory only, so it ends with the daemon and cannot be read out of it.
 *
 * A cookie alone is not enough: browsers send it to every port of this machine, also to a port of another user. The
 * page stores its key for its own port only, and no other key is issued after the first use.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const LINK_MS = 5 * 60_000;
/** A tab that is left open overnight still works in the morning. */
const IDLE_MS = 24 * 60 * 60_000;
const KEY_BYTES = 32;
/** More than anyone has open; the oldest are dropped first. */
const MOST_LINKS = 20;
const MOST_COOKIES = 50;

interface Link {
  readonly hash: Buffer;
  readonly until: number;
}

interface Visit {
  readonly hash: Buffer;
  until: number;
  page: Buffer | undefined;
  isPageKnown: boolean;
}

export class Keys {
  readonly #now: () => number;
  #links: Link[] = [];
  #visits: Visit[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  newLink(): string {
    const key = newKey();
    this.#links = [...this.#links, { hash: hashOf(key), until: this.#now() + LINK_MS }].slice(-MOST_LINKS);
    return key;
  }

  /** Exchanges a link's key for a cookie; undefined if the key is used, expired or unknown. */
  enter(key: string): string | undefined {
    const link = find(this.#links, key, this.#now());
    if (!link) return undefined;
    this.#links = this.#links.filter((other) => other !== link);
    const cookie = newKey();
    const visit = { hash: hashOf(cookie), until: this.#now() + IDLE_MS, page: undefined, isPageKnown: false };
    this.#visits = [...this.#visits, visit].slice(-MOST_COOKIES);
    return cookie;
  }

  isVisitor(cookie: string): boolean {
    return this.#visit(cookie) !== undefined;
  }

  /** Issues the page's key. A page that was reloaded before it used its key may ask again; after that no one can. */
  claimPage(cookie: string): string | undefined {
    const visit = this.#visit(cookie);
    if (!visit || visit.isPageKnown) return undefined;
    const key = newKey();
    visit.page = hashOf(key);
    return key;
  }

  isPage(cookie: string, key: string): boolean {
    const visit = this.#visit(cookie);
    if (!visit?.page || !timingSafeEqual(visit.page, hashOf(key))) return false;
    visit.isPageKnown = true;
    return true;
  }

  leave(cookie: string): void {
    const visit = this.#visit(cookie);
    this.#visits = this.#visits.filter((other) => other !== visit);
  }

  #visit(cookie: string): Visit | undefined {
    const visit = find(this.#visits, cookie, this.#now());
    if (visit) visit.until = this.#now() + IDLE_MS;
    return visit;
  }
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Compares with all entries, so that the time it takes reveals nothing. */
function find<T extends { readonly hash: Buffer; readonly until: number }>(
  all: readonly T[],
  key: string,
  now: number,
): T | undefined {
  const hash = hashOf(key);
  return all.filter((one) => timingSafeEqual(one.hash, hash)).find((one) => one.until > now);
}
