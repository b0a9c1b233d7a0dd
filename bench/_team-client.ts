/** A client of the team server over plain HTTP with keep-alive connections. Never retries. */
import { Agent, request } from 'node:http';

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

export class TeamClient {
  readonly #at: string;
  /** Each caller has its own connection. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

  constructor(at: string) {
    this.#at = at;
  }

  /** Sends a request. Throws if there is no answer; every status counts as an answer. */
  ask<T>(key: string | undefined, method: string, path: string, body?: unknown): Promise<Answer<T>> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const asked = request(this.#at + path, { method, headers, agent: this.#agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0 } = response;
          resolve({ status, body: (text === '' ? undefined : JSON.parse(text)) as T });
        });
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Sends a request. Throws if the answer is not a success. */
  async ok<T>(key: string | undefined, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask<T>(key, method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}
