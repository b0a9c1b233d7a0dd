/** Entry of the daemon with the hub: `node daemon.cjs`. One per user and data folder; a second one exits at once. */
import { flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { leaveDaemonEnv, placesIn, plainLine, tidemarkHome } from '../core/index.ts';
import { Daemon, isDemo, isDemoRunning, keepHeapsSmall, removeDemo } from '../daemon/index.ts';
import { ensureHome } from '../files/index.ts';

/** The functions that the first events need are compiled by then. */
const STORE_COMPILED_MS = 2000;
/** Small heaps make the start a fifth slower. After the code is stored: V8 accepts it only under the same flags. */
const SMALL_AFTER_MS = 2 * STORE_COMPILED_MS;
/** A session may be waiting for its brief. */
const REPLACE_HOOKS_MS = 1000;
/** How soon the daemon of a killed demo ends. */
const DEMO_LOOK_MS = 2000;

leaveDaemonEnv(process.env);
ensureHome(process.env);
setTimeout(() => flushCompileCache(), STORE_COMPILED_MS).unref();
setTimeout(() => keepHeapsSmall(), SMALL_AFTER_MS).unref();
const places = placesIn(tidemarkHome(process.env, homedir()));

// Loading the hub takes 40 ms, and a starting session may be waiting for the daemon: it is loaded on first use.
void Daemon.start(places, process.env, (options) =>
  import('./index.ts').then(({ serveHub }) => serveHub({ ...options, assets: join(__dirname, 'hub') })),
).then(
  (daemon) => {
    if (!daemon) return;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => void daemon.stop(`signal ${signal}`));
    }
    // A demo changes nothing outside its folder.
    if (isDemo(places)) endWithDemo(daemon);
    else setTimeout(() => void replaceHooks(daemon), REPLACE_HOOKS_MS).unref();
  },
  (error: unknown) => {
    // The log may not be writable here; the hook's log row and `doctor` tell the user.
    process.stderr.write(
      `tidemark: the daemon cannot start: ${plainLine(error instanceof Error ? error.message : String(error))}\n`,
    );
    // Threads that were started already would keep the process alive, and with it the lock.
    process.exit(1);
  },
);

/** Stops when the demo was killed, and removes its folder: it contains a copy of the user's sessions. */
function endWithDemo(daemon: Daemon): void {
  process.on('exit', () => {
    if (!isDemoRunning(places)) removeDemo(places);
  });
  setInterval(() => {
    if (!isDemoRunning(places)) void daemon.stop('the demo was killed');
  }, DEMO_LOOK_MS).unref();
}

/** Replaces unsafe hooks in copies of older plugin versions, which their agents never update. */
async function replaceHooks(daemon: Daemon): Promise<void> {
  try {
    const { replaceOldHooks } = await import('../install/index.ts');
    const files = replaceOldHooks(places, process.env);
    if (files.length > 0) daemon.note('unsafe hooks of an older version replaced', { files });
  } catch (error) {
    daemon.note('unsafe hooks of an older version remain', { error: String(error) });
  }
}
