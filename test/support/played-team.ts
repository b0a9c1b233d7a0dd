/** Members of a team played in one process, for the tests of the exchange. */
import assert from 'node:assert/strict';
import { given, memoryId, TidemarkError, type Memory } from '../../src/core/index.ts';
import { exchange, readPage, type Exchange, type SharingRules } from '../../src/exchange/sync/index.ts';
import { PlayedStore } from './played-store.ts';
import { TeamServerStandIn } from './team-stand-in.ts';

export const PROJECT = 'app-1';

/** The server in the same process; the wire is tested across processes. */
export class Played {
  readonly standIn = new TeamServerStandIn();
  readonly remote: string;
  isAway = false;
  losesAnswers = false;
  refusesWriting = false;
  /** The access of a member in its answers; an older server does not send it. */
  access: 'read' | 'write' | undefined;
  pushes = 0;
  /** The highest clock it says it accepts; an older server does not say. */
  latest: number | undefined;

  constructor() {
    const owner = this.standIn.member('owner');
    this.remote = this.standIn.makeProject(owner, { name: 'app', keys: [] }).id;
  }
}

export class Machine {
  readonly name: string;
  readonly store: PlayedStore;
  /** By default no entry waits. */
  rules: SharingRules = { delayMs: 0 };
  readonly #server: Played;
  readonly member: ReturnType<TeamServerStandIn['member']>;

  constructor(name: string, server: Played) {
    this.name = name;
    this.store = new PlayedStore(`${name}-machine`);
    this.#server = server;
    this.member = server.standIn.member(name);
  }

  exchange(now = 1): Promise<Exchange> {
    const { standIn, remote } = this.#server;
    const guard = (): void => {
      if (this.#server.isAway) throw new Error('away');
    };
    return exchange({
      server: {
        pull: async (of, after, limit = 3) => {
          guard();
          const page = readPage(standIn.pull(of, after, limit), after);
          const { latest, access } = this.#server;
          return { ...page, ...given({ latest, access }) };
        },
        push: async (of, changes, idempotencyKey) => {
          guard();
          this.#server.pushes++;
          if (this.#server.refusesWriting) throw new TidemarkError('team.refused', 'this key may only read');
          const answer = refusing(() => standIn.push(this.member, of, { changes, idempotencyKey }));
          if (this.#server.losesAnswers) throw new Error('hung up');
          return answer;
        },
      },
      use: (work) => work(this.store),
      share: { project: PROJECT, remote },
      clock: { machine: `${this.name}-machine`, now: () => new Date(now) },
      rules: this.rules,
      member: this.member.id,
      signal: new AbortController().signal,
    });
  }
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new TidemarkError('team.bad', (error as Error).message);
  }
}

export function team() {
  const server = new Played();
  return { server, ada: new Machine('ada', server), bob: new Machine('bob', server) };
}

export function edit(store: PlayedStore, id: string, title: string): void {
  const found = store.here.get(id);
  assert.ok(found);
  store.write({ ...found.memory, title });
}

export function entry(n: string, title = `Fact ${n}`): Memory {
  const at = '2026-11-15T10:00:00.000Z';
  return {
    id: memoryId(at, `turn-${n}`, 'decision', 0),
    project: PROJECT,
    at,
    kind: 'decision',
    title,
    body: '',
    facts: [],
    concepts: [],
    files: [],
    state: 'current',
    provenance: { agent: 'claude-code', session: 's', turn: `turn-${n}`, messages: [], by: 'local' },
  };
}
