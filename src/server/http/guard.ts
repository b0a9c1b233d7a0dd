/**
 * Authenticates requests by key and limits their rate. Checks the key of every request, so that revoking works at once. A
 * right key is never refused for the failures of others at the same address: only failed attempts have to wait. All servers
 * of a database count together.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { TidemarkError } from '../../core/index.ts';
import { Semaphore } from '../../files/index.ts';
import { requireScope, type Rate } from '../access/index.ts';
import { checkKey, checkKeyId, keyUsed, type KeyHolder, type Scope, type TeamStore } from '../store/index.ts';
import { networkOfClient, type ServerEnv } from './body.ts';
import { TooMany } from './errors.ts';
import { errorFacts, type Log } from './log.ts';
import { SharedLimits } from './shared-limits.ts';

export interface GuardOptions {
  readonly store: TeamStore;
  /** Whether to take client addresses from the proxy's header. */
  readonly behindProxy: boolean;
  /** Request limit per key. */
  readonly rate?: Rate;
  readonly now?: () => Date;
  readonly log: Log;
}

/** A machine that syncs after a week offline sends a few requests per second. */
const RATE: Rate = { perSecond: 50, burst: 200 };
/** Allows a few mistyped keys per address, and stops guessing. */
const FAILURES: Rate = { perSecond: 0.2, burst: 20 };
/** Lookups at a time for all networks with too many failures, so that guessing does not take all connections. */
const LOOKUPS_OF_STRANGERS = 2;
const LOOKUP_WAIT_MS = 10_000;
/** The last use of a key is shown to people, so a minute's precision is enough. */
const RECORD_USE_MS = 60_000;

export class Guard {
  readonly #store: TeamStore;
  readonly #behindProxy: boolean;
  readonly #now: () => Date;
  readonly #requests: SharedLimits;
  readonly #failures: SharedLimits;
  readonly #strangers = new Semaphore(LOOKUPS_OF_STRANGERS, LOOKUP_WAIT_MS, tooBusy);
  readonly #log: Log;
  /** By id of each valid key. */
  readonly #recordedUse = new Map<string, number>();

  constructor({ store, behindProxy, rate = RATE, now = () => new Date(), log }: GuardOptions) {
    this.#log = log;
    this.#store = store;
    this.#behindProxy = behindProxy;
    this.#now = now;
    const shared = {
      store,
      now: () => now().getTime(),
      failed: (error: unknown) => log('warn', 'limits are not shared', errorFacts(error)),
    };
    this.#requests = new SharedLimits({ ...shared, name: 'key', rate });
    this.#failures = new SharedLimits({ ...shared, name: 'failures', rate: FAILURES });
  }

  close(): void {
    this.#requests.close();
    this.#failures.close();
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

  /** Looks up a key or a link by its id. `id`: undefined if it is not known to be valid. */
  lookUp<T>(c: Context<ServerEnv>, find: () => Promise<T>, id?: string): Promise<T> {
    const isTrusted = id !== undefined && this.#recordedUse.has(id);
    if (isTrusted || this.#failures.isOpen(networkOfClient(c, this.#behindProxy))) return find();
    return this.#strangers.run(find);
  }

  /** Counts and logs a failed attempt. Throws if the client's network has failed too often. */
  async missed(c: Context<ServerEnv>): Promise<void> {
    const network = networkOfClient(c, this.#behindProxy);
    const wait = await this.#failures.takeEverywhere(network);
    if (wait > 0) throw new TooMany(wait, 'too many failed attempts from this address');
    this.#log('warn', 'key refused', { request: c.var.requestId, from: network });
  }

  /** Throws if the key is unknown, revoked or expired. */
  async holderOf(c: Context<ServerEnv>, key: string): Promise<KeyHolder> {
    const check = await this.lookUp(c, () => checkKey(this.#store, key, this.#now()), key.split('_')[1]);
    switch (check.kind) {
      case 'known':
        await this.#recordUse(check.holder);
        return check.holder;
      case 'expired':
        throw refusal('this key has expired');
      case 'unknown':
        await this.missed(c);
        throw refusal(key === '' ? 'no key was sent' : 'this key is not valid, or it was revoked');
    }
  }

  /** Checks a key that was valid when its request began. Throws if it no longer is. */
  async checkAgain(id: string): Promise<void> {
    const { kind } = await checkKeyId(this.#store, id, this.#now());
    if (kind !== 'known') throw refusal('this key is no longer valid');
  }

  async #recordUse({ team, member, key }: KeyHolder): Promise<void> {
    const now = this.#now().getTime();
    if (now - (this.#recordedUse.get(key.id) ?? 0) < RECORD_USE_MS) return;
    this.#recordedUse.set(key.id, now);
    await this.#store.transaction({ team: team.id, member: member.id }, (work) => keyUsed(work, key.id));
  }
}

function tooBusy(): TidemarkError {
  return new TidemarkError('unavailable', 'too many keys are being checked', {
    hint: 'Try again after a moment.',
  });
}

function refusal(message: string): TidemarkError {
  return new TidemarkError('unauthorized', message, {
    hint: 'Get a key from an owner of the team (tidemark server key create), then: tidemark login',
  });
}
