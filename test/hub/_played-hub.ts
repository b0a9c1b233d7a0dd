/** A hub over a simulated daemon. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidemarkError } from '../../src/core/index.ts';
import { serveHub, type Hub } from '../../src/hub/index.ts';
import { ask, enter, follow, type Asked, type Reply, type Visitor } from '../support/hub-client.ts';

/** Script, markup, a script link, a template and characters that end a line in old scripts. */
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
      listen: () => () => {},
      call: async (method, args) => {
        calls.push({ method, args });
        const answer = answers[method];
        if (!answer) throw new TidemarkError('unknown-call', `no such call: ${method}`);
        return answer(args as never) as never; // the test's answer
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

  ask(path: string, asked?: Asked): Promise<Reply> {
    return ask(this.hub.port, path, asked);
  }

  enter(): Promise<Visitor> {
    return enter(this.hub.link());
  }

  follow(link: string): Promise<string> {
    return follow(link);
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
