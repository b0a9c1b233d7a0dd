/** A hub over a played daemon, and requests that may lie about everything a browser may not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHub, type Hub } from '../../src/hub/index.ts';
import { TidemarkError } from '../../src/model/index.ts';

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
  /** What the page itself would send. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Script, markup, a link that runs, a template's end and characters that end a line in old scripts. */
export const NASTY =
  '</script><img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>' +
  ' [x](javascript:document.title="owned") {{7*7}} \u2028 ]]>';

export class PlayedHub {
  readonly hub: Hub;
  readonly errors: unknown[] = [];
  readonly calls: { method: string; args: unknown }[] = [];
  readonly clock: { now: Date };
  readonly #folder: string;

  static async open(answers: Readonly<Record<string, (args: never) => unknown>> = {}, assets?: string) {
    const folder = mkdtempSync(join(tmpdir(), 'hub-'));
    const played = assets ?? pageIn(folder);
    const clock = { now: new Date('2026-11-15T12:00:00Z') };
    const errors: unknown[] = [];
    const calls: { method: string; args: unknown }[] = [];
    const hub = await serveHub({
      port: 0,
      assets: played,
      now: () => clock.now,
      onError: (error) => errors.push(error),
      call: async (method, args) => {
        calls.push({ method, args });
        const answer = answers[method];
        if (!answer) throw new TidemarkError('unknown-call', `no such call: ${method}`);
        return answer(args as never);
      },
    });
    return new PlayedHub(hub, folder, clock, errors, calls);
  }

  private constructor(
    hub: Hub,
    folder: string,
    clock: { now: Date },
    errors: unknown[],
    calls: { method: string; args: unknown }[],
  ) {
    this.hub = hub;
    this.#folder = folder;
    this.clock = clock;
    this.errors = errors;
    this.calls = calls;
  }

  get host(): string {
    return `127.0.0.1:${this.hub.port}`;
  }

  ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      // `path` goes out as it is: no client tidies `..` away.
      const to = { host: '127.0.0.1', port: this.hub.port, path, method, headers, agent: false } as const;
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
  async enter(): Promise<Visitor> {
    const cookie = await this.follow(this.hub.link());
    const own = { cookie, origin: `http://${this.host}`, 'sec-fetch-site': 'same-origin' };
    const reply = await this.ask('/api/page-key', { method: 'POST', headers: own });
    const { key } = JSON.parse(reply.text) as { key: string };
    return {
      cookie,
      pageKey: key,
      headers: { cookie, 'sec-fetch-site': 'same-origin', 'tidemark-page': key },
    };
  }

  /** The cookie a link gives, as `name=value`. */
  async follow(link: string): Promise<string> {
    const { headers } = await this.ask(new URL(link).pathname + new URL(link).search);
    return String(headers['set-cookie']).split(';')[0] ?? '';
  }

  async close(): Promise<void> {
    await this.hub.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function pageIn(folder: string): string {
  const assets = join(folder, 'page');
  mkdirSync(join(assets, 'deep'), { recursive: true });
  writeFileSync(join(folder, 'secret.html'), 'not for anyone');
  for (const name of ['index', 'locked', 'entered']) {
    writeFileSync(join(assets, `${name}.html`), `<!doctype html><title>${name}</title>`);
  }
  writeFileSync(join(assets, 'main.js'), 'export {}');
  writeFileSync(join(assets, 'locked.css'), 'body {}');
  writeFileSync(join(assets, 'notes.txt'), 'of no type the hub serves');
  writeFileSync(join(assets, 'deep', 'part.js'), 'export {}');
  return assets;
}
