/** Lets in who proves a key, and not more often than agreed. Every request is looked up: a revoked key is out at once. */
import type { Context, MiddlewareHandler } from 'hono';
import { TidemarkError } from '../../core/index.ts';
import { Limiter, requireScope, type Rate } from '../access/index.ts';
import { checkKey, keyUsed, type KeyHolder, type Scope, type TeamStore } from '../store/index.ts';
import { addressOfClient, type ServerEnv } from './env.ts';
import { TooMany } from './errors.ts';

export interface GuardOptions {
  readonly store: TeamStore;
  /** Whether addresses of clients are those a proxy tells. */
  readonly behindProxy: boolean;
  /** Requests of one key. */
  readonly rate?: Rate;
  readonly now?: () => Date;
}

/** A machine that catches up after a week asks a few times a second. */
const RATE: Rate = { perSecond: 50, burst: 200 };
/** Somebody who mistypes a key does so a few times; who tries them out has to wait. */
const FAILURES: Rate = { perSecond: 0.2, burst: 20 };
/** When a key was last used is for people: to the minute is enough. */
const TOLD_EVERY_MS = 60_000;

export class Guard {
  readonly #store: TeamStore;
  readonly #behindProxy: boolean;
  readonly #now: () => Date;
  readonly #requests: Limiter;
  readonly #failures: Limiter;
  readonly #toldUsed = new Map<string, number>();

  constructor({ store, behindProxy, rate = RATE, now = () => new Date() }: GuardOptions) {
    this.#store = store;
    this.#behindProxy = behindProxy;
    this.#now = now;
    this.#requests = new Limiter(rate, () => now().getTime());
    this.#failures = new Limiter(FAILURES, () => now().getTime());
  }

  /** Goes before the handlers of a route; leaves who asks in `c.var.holder`. */
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

  /** Who was let in already, by whatever way; leaves them in `c.var.holder`. */
  pass(c: Context<ServerEnv>, holder: KeyHolder, scope: Scope): void {
    c.set('holder', holder);
    const wait = this.#requests.take(holder.key.id);
    if (wait > 0) throw new TooMany(wait, 'too many requests with this key');
    requireScope(holder, scope);
  }

  /** Throws where the address they come from has guessed too often. */
  mayTry(c: Context<ServerEnv>): void {
    const address = addressOfClient(c, this.#behindProxy);
    if (this.#failures.isOpen(address)) return;
    throw new TooMany(this.#failures.take(address), 'too many failed attempts from this address');
  }

  /** Counts against the address they come from. */
  missed(c: Context<ServerEnv>): void {
    this.#failures.take(addressOfClient(c, this.#behindProxy));
  }

  /** Throws where the key is not good. */
  async holderOf(c: Context<ServerEnv>, key: string): Promise<KeyHolder> {
    this.mayTry(c);
    const check = await checkKey(this.#store, key, this.#now());
    switch (check.kind) {
      case 'known':
        await this.#tellUsed(check.holder);
        return check.holder;
      case 'expired':
        throw refusal('this key has expired');
      case 'unknown':
        this.missed(c);
        throw refusal(key === '' ? 'no key was sent' : 'this key is not valid, or it was revoked');
    }
  }

  async #tellUsed({ team, member, key }: KeyHolder): Promise<void> {
    const now = this.#now().getTime();
    if (now - (this.#toldUsed.get(key.id) ?? 0) < TOLD_EVERY_MS) return;
    this.#toldUsed.set(key.id, now);
    await this.#store.transaction({ team: team.id, member: member.id }, (work) => keyUsed(work, key.id));
  }
}

function refusal(message: string): TidemarkError {
  return new TidemarkError('unauthorized', message, {
    hint: 'Get a key from an owner of the team (tidemark server key create), then: tidemark login',
  });
}
