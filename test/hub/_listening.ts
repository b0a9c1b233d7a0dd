/** A page that listens for live events, reading the stream as its script does. */
import { request, type ClientRequest } from 'node:http';
import type { LiveEvent } from '../../src/http/index.ts';
import { waitFor } from '../support/wait-for.ts';

export interface Heard {
  readonly id: string;
  readonly event: LiveEvent;
}

export class Listening {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly heard: Heard[] = [];
  isOver = false;
  readonly #request: ClientRequest;

  /** Resolves once the hub has answered, also with an error. */
  static open(port: number, headers: Readonly<Record<string, string>>): Promise<Listening> {
    return new Promise((resolve, reject) => {
      const to = { host: '127.0.0.1', port, path: '/api/events', headers, agent: false } as const;
      const asked = request(to, (response) => {
        const listening = new Listening(asked, response.statusCode ?? 0, response.headers);
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          const blocks = text.split('\n\n');
          text = blocks.pop() ?? '';
          listening.heard.push(...blocks.flatMap(heardIn));
        });
        response.on('close', () => (listening.isOver = true)).on('error', () => {});
        resolve(listening);
      });
      asked.on('error', reject).end();
    });
  }

  private constructor(asked: ClientRequest, status: number, headers: Listening['headers']) {
    this.#request = asked;
    this.status = status;
    this.headers = headers;
  }

  get lastId(): string {
    return this.heard.at(-1)?.id ?? '';
  }

  kinds(): readonly string[] {
    return this.heard.map(({ event }) => event.kind);
  }

  /** Resolves with the first matching event, received before or later. */
  async until(what: string, isWanted: (event: LiveEvent) => boolean): Promise<Heard> {
    return waitFor(what, () => this.heard.find(({ event }) => isWanted(event)), {
      explain: () => JSON.stringify(this.heard),
    });
  }

  close(): void {
    this.#request.destroy();
  }
}

function heardIn(block: string): readonly Heard[] {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)] as const;
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return [];
  const event = JSON.parse(data) as LiveEvent;
  if (fields.get('event') !== event.kind) throw new Error(`event and data disagree: ${block}`);
  return [{ id: fields.get('id') ?? '', event }];
}
