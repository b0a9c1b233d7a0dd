/** Authenticates requests by key and limits their rate. Checks the key of every request, so that revoking works at once. */
import type { Context, MiddlewareHandler } from 'hono';
import { TidemarkError } from '../../core/index.ts';
import { Limiter, requireScope, type Rate } from '../access/index.ts';
import { checkKey, keyUsed, type KeyHolder, type Scope, type TeamStore } from '../store/index.ts';
import { addressOfClient, type ServerEnv } from './body.ts';
import { TooMany } from './errors.ts';

export interface GuardOptions {
  readonly store: TeamStore;
  /** Whether to take client addresses from the proxy's header. */
  readonly behindProxy: boolean;
  /** Request limit per key. */
  readonly rate?: Rate;
  readonly now?: () => Date;
}

/** A machine that syncs after a week offline sends a few requests per second. */
const RATE: Rate = { perSecond: 50, burst: 200 };
/** Allows a few mistyped keys per address, and stops guessing. */
const FAILURES: Rate = { perSecond: 0.2, burst: 20 };
/** The last use of a key is shown to people, so a minute's precision is enough. */
const RECORD_USE_MS = 60_000;

export class Guard {
  readonly #store: TeamStore;
  readonly #behindProxy: boolean;
  readonly #now: () => Date;
  readonly #requests: Limiter;
  readonly #failures: Limiter;
  readonly #recordedUse = new Map<string, number>();

  constructor({ store, behindProxy, rate = RATE, now = () => new Date() }: GuardOptions) {
    this.#store = store;
    this.#behindProxy = behindProxy;
    this.#now = now;
    this.#requests = new Limiter(rate, () => now().getTime());
    this.#failures = new Limiter(FAILURES, () => now().getTime());
  }

  /** Returns the middleware of a route; it sets `c.var.holder`. */
  needs(scope: Scope): MiddlewareHandler<ServerEnv> {
    return async (c, next) => {
      await this.admit(c, scope);
      await next();
    };
  }

  async admit(c: Context<ServerEnv>, scope: Scope): Promise<KeyHolder> {
    const [, key = ''] = /^bearer +(\S+)$/i.exec(c.req.header('authorization')?.trim() ?? '') ?? [];
    const holder = await this.holderOf(c, key);
    this.pass(c, holder, scope);
    return holder;
  }

  /** Checks rate and scope of an authenticated caller and sets `c.var.holder`. */
  pass(c: Context<ServerEnv>, holder: KeyHolder, scope: Scope): void {
    c.set('holder', holder);
    const wait = this.#requests.take(holder.key.id);
    if (wait > 0) throw new TooMany(wait, 'too many requests with this key');
    requireScope(holder, scope);
  }

  /** Throws if the client's address has failed too often. */
  mayTry(c: Context<ServerEnv>): void {
    const address = addressOfClient(c, this.#behindProxy);
    if (this.#failures.isOpen(address)) return;
    throw new TooMany(this.#failures.take(address), 'too many failed attempts from this address');
  }

  /** Counts a failed attempt of the client's address. */
  missed(c: Context<ServerEnv>): void {
    this.#failures.take(addressOfClient(c, this.#behindProxy));
  }

  /** Throws if the key is unknown, revoked or expired. */
  async holderOf(c: Context<ServerEnv>, key: string): Promise<KeyHolder> {
    this.mayTry(c);
    const check = await checkKey(this.#store, key, this.#now());
    switch (check.kind) {
      case 'known':
        await this.#recordUse(check.holder);
        return check.holder;
      case 'expired':
        throw refusal('this key has expired');
      case 'unknown':
        this.missed(c);
        throw refusal(key === '' ? 'no key was sent' : 'this key is not valid, or it was revoked');
    }
  }

  async #recordUse({ team, member, key }: KeyHolder): Promise<void> {
    const now = this.#now().getTime();
    if (now - (this.#recordedUse.get(key.id) ?? 0) < RECORD_USE_MS) return;
    this.#recordedUse.set(key.id, now);
    await this.#store.transaction({ team: team.id, member: member.id }, (work) => keyUsed(work, key.id));
  }
}

function refusal(message: string): TidemarkError {
  return new TidemarkError('unauthorized', message, {
    hint: 'Get a key from an owner of the team (tidemark server key create), then: tidemark login',
  });
}
