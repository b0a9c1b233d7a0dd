/** The hub of a real daemon with its own data folder, the bundled sample in its memory, and a signed-in visitor. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ErrorBody, Routes } from '../../src/http/index.ts';
import { ask, enter, type Asked, type Reply, type Visitor } from '../support/hub-client.ts';
import { Machine, type Env } from '../support/machine.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'plugin', 'sample');

export class RealHub {
  readonly machine: Machine;
  readonly port: number;
  visitor: Visitor;

  /** Ends with the test. */
  static async open(t: TestContext, env: Env = {}): Promise<RealHub> {
    const hub = await RealHub.start(env);
    t.after(() => hub.close());
    return hub;
  }

  static async start(env: Env = {}): Promise<RealHub> {
    const machine = new Machine(env);
    await machine.up();
    await machine.call('import.history', {
      sources: [{ agent: 'claude-code', folder: SAMPLE }],
      finished: true,
    });
    const { url } = await machine.call('hub.link', {});
    return new RealHub(machine, Number(new URL(url).port), await enter(url));
  }

  private constructor(machine: Machine, port: number, visitor: Visitor) {
    this.machine = machine;
    this.port = port;
    this.visitor = visitor;
  }

  async link(): Promise<string> {
    return (await this.machine.call('hub.link', {})).url;
  }

  async enter(): Promise<Visitor> {
    return enter(await this.link());
  }

  ask(path: string, asked?: Asked): Promise<Reply> {
    return ask(this.port, path, asked);
  }

  /** `get<'GET /memories'>('/memories?limit=5')` */
  async get<K extends keyof Routes>(path: string): Promise<Routes[K]['answer']> {
    return answered<K>(path, await this.ask(`/api${path}`, { headers: this.visitor.headers }));
  }

  async send<K extends keyof Routes>(path: string, body: unknown = {}): Promise<Routes[K]['answer']> {
    return answered<K>(path, await this.tell(path, body));
  }

  /** Sends a change like the page and returns any answer. */
  tell(path: string, body: unknown = {}, method: 'POST' | 'PUT' = 'POST'): Promise<Reply> {
    const headers = { ...this.visitor.headers, 'content-type': 'application/json' };
    return this.ask(`/api${path}`, { method, headers, body: JSON.stringify(body) });
  }

  close(): Promise<void> {
    return this.machine.close();
  }
}

export function errorOf(reply: Reply): ErrorBody {
  return JSON.parse(reply.text) as ErrorBody;
}

function answered<K extends keyof Routes>(path: string, reply: Reply): Routes[K]['answer'] {
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return JSON.parse(reply.text) as Routes[K]['answer'];
}
