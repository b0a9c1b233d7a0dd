/** The team server in this process on a real PostgreSQL, and clients with keys. */
import { randomUUID } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { given } from '../../src/core/index.ts';
import type { SharedProject } from '../../src/exchange/sync/index.ts';
import { Operator } from '../../src/server/admin/index.ts';
import { serve, jsonLog, type Mount, type Serving } from '../../src/server/http/index.ts';
import { ROUTES } from '../../src/server/routes/index.ts';
import { TeamStore, type Scope, type Role } from '../../src/server/store/index.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkDescribed } from './_description.ts';

export interface Answer<T = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: T;
}

export interface Person {
  readonly id: string;
  readonly team: string;
  readonly name: string;
  readonly key: string;
}

export interface ApiOptions {
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  readonly behindProxy?: boolean;
  readonly now?: () => Date;
  readonly mounts?: readonly Mount[];
  /** The times after which a slow client is cut off. */
  readonly patience?: {
    readonly headersTimeout: number;
    readonly requestTimeout: number;
    readonly connectionsCheckingInterval: number;
  };
  /** The address without a pooler, and that of a replica. */
  readonly direct?: string;
  readonly replica?: string;
  /** Limits of waiting machines. */
  readonly waits?: { readonly longestMs?: number; readonly mostPerMember?: number; readonly most?: number };
  /** The times after which the store gives a frozen database up. */
  readonly limits?: { readonly transactionMs: number; readonly checkMs: number };
}

/** High, because tests send requests as fast as they can. */
const NO_LIMIT = { perSecond: 1e6, burst: 1e6 };

export class Api {
  readonly store: TeamStore;
  readonly operator: Operator;
  readonly #serving: Serving;
  /** Lines of the log. */
  readonly log: string[];

  static async open(database: string, options: ApiOptions = {}): Promise<Api> {
    const log: string[] = [];
    const { limits, direct, replica, waits } = options;
    const store = await TeamStore.open({ database, ...given({ limits, direct, replica }) });
    const serving = await serve({
      store,
      routes: ROUTES,
      mounts: options.mounts ?? [],
      log: jsonLog((line) => log.push(line)),
      address: { host: '127.0.0.1', port: 0 },
      behindProxy: options.behindProxy ?? false,
      rate: options.rate ?? NO_LIMIT,
      ...(options.now ? { now: options.now } : {}),
      ...given({ waits }),
      ...(options.patience ? { patience: options.patience } : {}),
    });
    return new Api(store, serving, log);
  }

  private constructor(store: TeamStore, serving: Serving, log: string[]) {
    this.store = store;
    this.operator = new Operator(store);
    this.#serving = serving;
    this.log = log;
  }

  get port(): number {
    return this.#serving.port;
  }

  /** Resolves when notices of the database arrive. */
  async live(): Promise<this> {
    await waitFor('notices', () => this.store.notices.isLive);
    return this;
  }

  /** Creates a project that is shared with everyone. */
  async project({ key }: Person, name: string): Promise<SharedProject> {
    const { body } = await this.ask<SharedProject>(key, 'POST', '/v1/projects', {
      name,
      keys: [`git:${name}`],
      with: 'everyone',
    });
    return body;
  }

  /** Pushes one new entry. @returns its id */
  async push({ key }: Person, { id }: { readonly id: string }, title: string): Promise<string> {
    const entry = entryOf(title);
    const changes = { changes: [put(entry)], idempotencyKey: `push-${randomUUID()}` };
    const { status, text } = await this.ask(key, 'POST', `/v1/projects/${id}/changes`, changes);
    if (status !== 200) throw new Error(text);
    return entry.id;
  }

  /** Creates a team with its owner. */
  async team(name: string, owner: string): Promise<Person> {
    const made = await this.operator.createTeam({ team: name, owner });
    return { id: made.owner.id, team: made.team.id, name: owner, key: made.key.secret };
  }

  async member(team: string, name: string, role: Role, scopes?: readonly Scope[]): Promise<Person> {
    const { id } = await this.operator.addMember({ team, name, role });
    const asFarAsAllowed: readonly Scope[] =
      role === 'reader' ? ['read', 'admin'] : ['read', 'write', 'admin'];
    const key = await this.key(team, id, scopes ?? asFarAsAllowed);
    return { id, team, name, key };
  }

  async key(team: string, who: string, scopes: readonly Scope[], expiresAt?: string): Promise<string> {
    const wanted = { team, who, scopes, name: 'test', ...(expiresAt === undefined ? {} : { expiresAt }) };
    return (await this.operator.createKey(wanted)).secret;
  }

  /** Sends a request and checks the answer against the OpenAPI description. */
  async ask<T = Readonly<Record<string, unknown>>>(
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await new Promise<Answer<T>>((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port: this.port,
          method,
          path,
          headers: {
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
            ...(text === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          let said = '';
          response.setEncoding('utf8').on('data', (piece: string) => (said += piece));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: said,
              body: (/json/.test(response.headers['content-type'] ?? '') ? JSON.parse(said) : {}) as T,
            }),
          );
        },
      );
      asked.on('error', reject).end(text);
    });
    checkDescribed(method, path, answer);
    return answer;
  }

  async close(): Promise<void> {
    await this.#serving.close();
    await this.store.close();
  }
}
