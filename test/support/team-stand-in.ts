/**
 * A team server in memory that says what src/exchange/sync/wire.ts says, for tests of its clients. Keeps every byte it was sent, and
 * can be away, slow to answer or gone before it has answered.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import * as v from 'valibot';
import {
  isLater,
  NewProject,
  type Health,
  PushRequest,
  type Change,
  type Me,
  type PullAnswer,
  type PushAnswer,
  type PushResult,
  type SharedProject,
  type Version,
} from '../../src/exchange/sync/index.ts';

type Seen = PullAnswer['changes'][number];

interface Member {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly access: 'read' | 'write';
}

interface TeamProject {
  readonly shown: SharedProject;
  /** The last change of each entry. */
  readonly last: Map<string, Seen>;
  readonly answers: Map<string, PushAnswer>;
}

export class TeamServerStandIn {
  readonly #members = new Map<string, Member>();
  readonly #projects = new Map<string, TeamProject>();
  readonly #received: Buffer[] = [];
  #server: Server | undefined;
  #seq = 0;
  /** Answers nothing. */
  away = false;
  /** Does the next so many pushes and hangs up instead of answering. */
  hangUps = 0;
  /** Answers every request that needs a key like this, as a server or a proxy in front of it would. */
  answers: { readonly status: number; readonly body: unknown; readonly retryAfter?: number } | undefined;
  /** Titles that are refused, as a server of another version might. */
  refuses: RegExp | undefined;
  /** Changes as they are sent to members, as a server of another version might send them. */
  rewrites: ((change: Seen) => unknown) | undefined;

  static async open(t: TestContext): Promise<TeamServerStandIn> {
    const standIn = new TeamServerStandIn();
    await standIn.listen();
    t.after(() => standIn.close());
    return standIn;
  }

  get url(): string {
    const address = this.#server?.address() as AddressInfo | null; // it listens on a port
    return `http://127.0.0.1:${address?.port}`;
  }

  /** Everything that was ever sent to it, headers too. */
  get received(): string {
    return Buffer.concat(this.#received).toString('utf8');
  }

  member(name: string, access: Member['access'] = 'write'): Member {
    const member = { id: randomUUID(), name, key: `tmk_${name}_${randomUUID()}`, access };
    this.#members.set(member.key, member);
    return member;
  }

  /** The last change of each entry, of all projects. */
  entries(): readonly Change[] {
    return [...this.#projects.values()].flatMap(({ last }) => [...last.values()]);
  }

  get projects(): readonly SharedProject[] {
    return [...this.#projects.values()].map(({ shown }) => shown);
  }

  async listen(): Promise<void> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  makeProject(member: Member, wanted: NewProject): SharedProject {
    const known = this.projects.find(({ keys }) => keys.some((key) => wanted.keys.includes(key)));
    if (known) return { ...known, access: member.access };
    const shown: SharedProject = {
      id: randomUUID(),
      name: wanted.name,
      keys: wanted.keys,
      access: member.access,
      createdBy: { id: member.id, name: member.name },
    };
    this.#projects.set(shown.id, { shown, last: new Map(), answers: new Map() });
    return shown;
  }

  push(member: Pick<Member, 'id' | 'name'>, remote: string, request: PushRequest): PushAnswer {
    const project = this.#projects.get(remote);
    if (!project) throw new Refusal(404, 'no such project');
    const before = project.answers.get(request.idempotencyKey);
    if (before) return before;
    const bad = request.changes.find((one) => one.op === 'put' && this.refuses?.test(one.entry.title));
    if (bad) throw new Refusal(400, 'a title nobody wants');
    const results = request.changes.map((change) => this.#apply(project, member, change));
    const answer = { results, cursor: this.#seq };
    project.answers.set(request.idempotencyKey, answer);
    return answer;
  }

  pull(remote: string, after: number, limit: number): PullAnswer {
    const project = this.#projects.get(remote);
    if (!project) throw new Refusal(404, 'no such project');
    const all = [...project.last.values()].filter(({ seq }) => seq > after).toSorted((a, b) => a.seq - b.seq);
    const changes = all.slice(0, limit);
    const { rewrites } = this;
    return {
      changes: rewrites ? (changes.map(rewrites) as Seen[]) : changes, // what it sends need not be valid
      next: changes.at(-1)?.seq ?? Math.max(after, this.#seq),
      more: all.length > limit,
    };
  }

  withdrawAll(member: Pick<Member, 'id' | 'name'>, remote: string): void {
    const project = this.#projects.get(remote);
    if (!project) throw new Refusal(404, 'no such project');
    for (const [id, one] of project.last) {
      if (one.op !== 'put' || one.author.id !== member.id) continue;
      const { clock } = one.entry.version;
      this.#apply(project, member, { op: 'withdraw', id, version: { clock: clock + 1, machine: 'server' } });
    }
  }

  #apply(
    project: TeamProject,
    { id: memberId, name }: Pick<Member, 'id' | 'name'>,
    change: Change,
  ): PushResult {
    const id = change.op === 'put' ? change.entry.id : change.id;
    const known = project.last.get(id);
    if (known?.op === 'tombstone') return { id, outcome: change.op === 'tombstone' ? 'same' : 'forgotten' };
    if (known && change.op !== 'tombstone') {
      const [now, given] = [versionOf(known), versionOf(change)];
      if (now.clock === given.clock && now.machine === given.machine) return { id, outcome: 'same' };
      const isOthers = change.op === 'withdraw' && known.op === 'put' && known.author.id !== memberId;
      if (isOthers || !isLater(given, now)) return { id, outcome: 'older', version: now };
    }
    // Whose entry it is does not change with who changed it last.
    const author = change.op === 'put' && known?.op === 'put' ? known.author : { id: memberId, name };
    project.last.set(id, { ...change, seq: ++this.#seq, author });
    return { id, outcome: 'stored' };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.away) return void request.socket.destroy();
    const { method = '', url = '', rawHeaders } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.#received.push(Buffer.from(`${method} ${url}\n${rawHeaders.join('\n')}\n`), body, Buffer.from('\n'));
    if (url === '/healthz') return void sendJson(response, 200, HEALTHY);
    if (this.answers) {
      const { status, body: told, retryAfter } = this.answers;
      if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
      return void sendJson(response, status, told);
    }
    try {
      const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const member = this.#members.get(key);
      if (!member) throw new Refusal(401, 'no such key');
      const answer = this.#answer(member, method, new URL(url, 'http://stand-in'), body);
      if (method === 'POST' && url.includes('/changes') && this.hangUps > 0) {
        this.hangUps--;
        return void request.socket.destroy();
      }
      sendJson(response, 200, answer);
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 400;
      sendJson(response, status, {
        error: { code: `http-${status}`, message: String((error as Error).message) },
      });
    }
  }

  #answer(member: Member, method: string, url: URL, body: Buffer): unknown {
    const route = `${method} ${url.pathname}`;
    if (route === 'GET /v1/me') return me(member);
    if (route === 'GET /v1/projects')
      return { projects: this.projects.map((one) => ({ ...one, access: member.access })), cursor: null };
    const json = (): unknown => JSON.parse(body.toString('utf8'));
    if (route === 'POST /v1/projects') return this.makeProject(member, v.parse(NewProject, json()));
    const [, remote = '', what] = /^\/v1\/projects\/([^/]+)\/(changes|entries)$/.exec(url.pathname) ?? [];
    if (method === 'GET' && what === 'changes')
      return {
        ...this.pull(remote, Number(url.searchParams.get('after')), Number(url.searchParams.get('limit'))),
        access: member.access,
      };
    if (member.access === 'read') throw new Refusal(403, 'this key may only read');
    if (method === 'POST' && what === 'changes')
      return this.push(member, remote, v.parse(PushRequest, json()));
    if (method === 'DELETE' && what === 'entries') {
      this.withdrawAll(member, remote);
      return {};
    }
    throw new Refusal(404, `no route ${route}`);
  }
}

const HEALTHY: v.InferOutput<typeof Health> = { status: 'ok', name: 'tidemark', version: '0.1.0' };

/** Text is sent as it is: what a proxy says is no JSON. */
function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' });
  response.end(isText ? body : JSON.stringify(body));
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function me({ id, name, access }: Member): Me {
  return {
    member: { id, name, role: access === 'read' ? 'reader' : 'member' },
    team: { id: '5f0f3e5c-2b8e-4a52-9a51-0d6d3a4a0001', name: 'Tide' },
    key: { id: 'k1', scopes: ['read', 'write'], expiresAt: null },
    server: { version: '0.1.0', vectors: 'none' },
  };
}

function versionOf(change: Change): Version {
  return change.op === 'put' ? change.entry.version : change.version;
}
