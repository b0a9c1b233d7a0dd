/**
 * The real team server, a process on a real PostgreSQL, behind a proxy of the test. The proxy can refuse connections or
 * drop answers, as the stand-in can.
 */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import type { Change, ProjectPage, PullAnswer } from '../../src/exchange/sync/index.ts';
import { Operator } from '../../src/server/admin/index.ts';
import { TeamStore } from '../../src/server/store/index.ts';
import type { Postgres } from '../support/postgres.ts';
import { startTeamServer, type TeamServer } from '../support/team-server.ts';
import type { Key, Team } from './_member.ts';

export class RealTeam implements Team {
  readonly #server: TeamServer;
  readonly #store: TeamStore;
  readonly #operator: Operator;
  readonly #team: string;
  readonly #owner: string;
  readonly #database: string;
  #proxy: Server | undefined;
  away = false;
  hangUps = 0;
  /** Called with the next pull, which continues when the result is there. */
  onPull: (() => Promise<unknown>) | undefined;
  /** Requests that wait for changes now. */
  waits = 0;
  /** Such requests so far. */
  waitsSoFar = 0;
  /** Those that the server answered; the machine ended the others. */
  waitsAnswered = 0;

  static async open(t: TestContext, postgres: Postgres): Promise<RealTeam> {
    const database = await postgres.newDatabase();
    const store = await TeamStore.open({ database });
    const operator = new Operator(store);
    const { team, key } = await operator.createTeam({ team: 'Tide', owner: 'Olga' });
    const server = await startTeamServer(database);
    const real = new RealTeam(server, store, operator, { id: team.id, key: key.secret, database });
    await real.#listen();
    t.after(() => real.#close());
    return real;
  }

  private constructor(
    server: TeamServer,
    store: TeamStore,
    operator: Operator,
    team: { readonly id: string; readonly key: string; readonly database: string },
  ) {
    this.#server = server;
    this.#store = store;
    this.#operator = operator;
    this.#team = team.id;
    this.#owner = team.key;
    this.#database = team.database;
  }

  get url(): string {
    const address = this.#proxy?.address() as AddressInfo | null; // it listens on a port
    return `http://127.0.0.1:${address?.port}`;
  }

  async member(name: string, access: 'read' | 'write' = 'write'): Promise<Key> {
    const team = this.#team;
    const role = access === 'read' ? 'reader' : 'member';
    const { id } = await this.#operator.addMember({ team, name, role });
    const scopes = access === 'read' ? (['read'] as const) : (['read', 'write'] as const);
    const wanted = { team, who: id, scopes, name: 'test' };
    return { name, key: (await this.#operator.createKey(wanted)).secret };
  }

  /** Changes settings of the team, as its owner. */
  async settings(changes: Readonly<Record<string, unknown>>): Promise<void> {
    await this.raw(this.#owner, 'PUT', '/v1/team/settings', { settings: changes });
  }

  async entries(): Promise<readonly Change[]> {
    const { projects } = await this.#ask<ProjectPage>('/v1/projects');
    const found: Change[] = [];
    for (const { id } of projects) {
      let [after, more] = [0, true];
      while (more) {
        const page = await this.#ask<PullAnswer>(`/v1/projects/${id}/changes?after=${after}&limit=100`);
        found.push(...page.changes);
        [after, more] = [page.next, page.more];
      }
    }
    return found;
  }

  /** Sends a request without Tidemark's client. */
  async raw<T>(key: string, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.#server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
    return json as T;
  }

  /** Runs a statement in the database, bypassing the server. */
  async sql(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.#database });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      return rows;
    } finally {
      await client.end();
    }
  }

  #ask<T>(path: string): Promise<T> {
    return this.raw<T>(this.#owner, 'GET', path);
  }

  async #listen(): Promise<void> {
    this.#proxy = createServer((asked, answer) => this.#pass(asked, answer));
    await new Promise<void>((resolve) => this.#proxy?.listen(0, '127.0.0.1', resolve));
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    if (this.away) return void asked.socket.destroy();
    const { method, url: path, headers } = asked;
    const { onPull } = this;
    if (onPull && method === 'GET' && path?.includes('/changes?')) {
      this.onPull = undefined;
      return void onPull().finally(() => this.#pass(asked, answer));
    }
    if (path === '/v1/changes/wait') {
      this.waits++;
      this.waitsSoFar++;
      asked.socket.once('close', () => passed.destroy());
      answer.once('close', () => {
        this.waits--;
        if (answer.writableFinished) this.waitsAnswered++;
      });
    }
    const passed = request({ host: '127.0.0.1', port: this.#server.port, method, path, headers }, (came) => {
      if (method === 'POST' && path?.endsWith('/changes') && this.hangUps > 0) {
        this.hangUps--;
        came.resume();
        return void asked.socket.destroy();
      }
      answer.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(answer);
    });
    passed.on('error', () => asked.socket.destroy());
    asked.pipe(passed);
  }

  async #close(): Promise<void> {
    this.#proxy?.closeAllConnections();
    await new Promise((resolve) => this.#proxy?.close(resolve));
    await this.#server.stop();
    await this.#store.close();
  }
}
