/** Entry of the daemon: `node daemon.cjs`. One per user and data folder, the hub in its hand; a second one leaves at once. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { placesIn, tidemarkHome } from '../core/index.ts';
import { Daemon } from '../daemon/index.ts';

const places = placesIn(tidemarkHome(process.env, homedir()));

// The hub costs 40 ms to load, and a session that starts may be waiting for the daemon: only who asks for it pays.
void Daemon.start(places, process.env, (options) =>
  import('./index.ts').then(({ serveHub }) => serveHub({ ...options, assets: join(__dirname, 'hub') })),
).then(
  (daemon) => {
    if (!daemon) return;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => void daemon.stop(`signal ${signal}`));
    }
    void replaceHooks(daemon);
  },
  (error: unknown) => {
    // No log can be counted on here; the hook's log row and `doctor` tell the person.
    process.stderr.write(
      `tidemark: the daemon cannot start: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  },
);

/** An agent that copied an older version of the plugin never updates it by itself: the newer daemon makes its hooks safe. */
async function replaceHooks(daemon: Daemon): Promise<void> {
  try {
    const { replaceOldHooks } = await import('../install/index.ts');
    const files = replaceOldHooks(places, process.env);
    if (files.length > 0) daemon.note('unsafe hooks of an older version replaced', { files });
  } catch (error) {
    daemon.note('unsafe hooks of an older version remain', { error: String(error) });
  }
}
