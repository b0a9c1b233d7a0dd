/** Requests to a hub that may lie about everything a browser may not, and the way in as a browser takes it. */
import { request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Visitor {
  readonly cookie: string;
  readonly pageKey: string;
  /** The headers that the page itself sends. */
  readonly headers: Readonly<Record<string, string>>;
}

export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    // `path` goes out as it is: no client tidies `..` away.
    const to = { host: '127.0.0.1', port, path, method, headers, agent: false } as const;
    const asked = request(to, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Follows a link and lets the page fetch its key, as a browser does. */
export async function enter(link: string): Promise<Visitor> {
  const cookie = await follow(link);
  const { host, port } = new URL(link);
  const own = { cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  const reply = await ask(Number(port), '/api/page-key', { method: 'POST', headers: own });
  const { key } = JSON.parse(reply.text) as { key: string };
  return {
    cookie,
    pageKey: key,
    headers: { cookie, 'sec-fetch-site': 'same-origin', 'tidemark-page': key },
  };
}

/** The cookie a link gives, as `name=value`. */
export async function follow(link: string): Promise<string> {
  const { port, pathname, search } = new URL(link);
  const { headers } = await ask(Number(port), pathname + search);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}
