/** The daemon and what it leaves on disk to be found by: alive, hung, of another version, or gone with its leftovers still there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { VERSION, type Places } from '../../core/index.ts';
import { recordedDaemon, type DaemonStatus } from '../../daemon/index.ts';
import { age } from '../../recall/index.ts';
import type { Context } from '../verb.ts';
import { firstLine, textOf } from './_files.ts';
import { note, well, wrong, type Check } from './check.ts';

/** A start takes a second or two; a marker older than this was left behind. */
const STALE_MS = 60_000;

export function daemonUp(status: DaemonStatus, started: boolean): Check {
  const name = 'daemon';
  const since = started
    ? 'was not running, started for this look'
    : `since ${age(status.startedAt, new Date())}`;
  const evidence = `${status.version} (Node ${status.node.slice(1)}), pid ${status.pid}, ${status.rssMb} MB, ${since}`;
  if (status.version !== VERSION)
    return note(
      name,
      `${evidence}; this program is ${VERSION}`,
      'The other one leaves when it is idle; at once with: tidemark stop',
    );
  if (status.update)
    return note(name, `${evidence}; ${status.update.latest} is there`, 'npx tidemark@latest install');
  return well(name, evidence);
}

export function daemonDown({ places, env, client }: Context, why: string): Check {
  const recorded = recordedDaemon(places);
  if (recorded?.running)
    return wrong(
      'daemon',
      `pid ${recorded.pid} runs but does not answer`,
      'It hangs; it is replaced by the next hook that notices, or with: tidemark doctor --fix',
      async () => {
        await replaceDaemon(env);
        if (!(await client.isUp())) throw new Error(`it could not be replaced; see ${places.log}`);
        return `replaced the daemon that hung (pid ${recorded.pid})`;
      },
    );
  if (!existsSync(places.home))
    return note(
      'daemon',
      'not running; nothing is kept yet',
      'It starts with the first session, or with: tidemark start',
    );
  return wrong(
    'daemon',
    `not running, and it does not start: ${why}`,
    `See: tidemark logs${lastError(places)}`,
    async () => {
      await client.start();
      return 'started the daemon';
    },
  );
}

export function socket(status: DaemonStatus, platform: NodeJS.Platform = process.platform): Check {
  if (platform === 'win32') return well('socket', `${status.socket} (named pipe)`);
  const stat = statSync(status.socket, { throwIfNoEntry: false });
  if (stat && (stat.mode & 0o077) === 0) return well('socket', `${status.socket}, for its owner only`);
  return wrong(
    'socket',
    stat ? `others may open ${status.socket}` : `${status.socket} is gone, so hooks cannot find the daemon`,
    'tidemark stop, then tidemark start',
  );
}

/** What a crash leaves behind, looked for before anything is started. None of it blocks a start, but each costs a hook time. */
export async function leftovers({ places, client }: Context): Promise<readonly Check[]> {
  const stale = async (): Promise<readonly string[]> => {
    const isRunning = recordedDaemon(places)?.running || (await client.isUp());
    const socketFile = firstLine(places.socketPointer) ?? places.socket;
    return [
      ...(isRunning ? [] : [places.daemon, socketFile, places.socketPointer]),
      ...[places.starting, places.leaveAlone].filter(isOld),
    ].filter((path) => existsSync(path));
  };
  const found = await stale();
  if (found.length === 0) return [];
  const names = found.map((path) => (path.startsWith(places.home) ? relative(places.home, path) : path));
  return [
    note(
      'leftovers',
      `${names.join(', ')} of a daemon that died`,
      'Harmless: cleared by the next start, or with: tidemark doctor --fix',
      async () => {
        for (const path of await stale()) rmSync(path, { force: true });
        return `cleared what a daemon that died had left (${names.join(', ')})`;
      },
    ),
  ];
}

function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > STALE_MS;
}

/** The hook client knows how: by pid and start time, never a process that merely has the same pid. */
async function replaceDaemon(env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [join(__dirname, 'hook.cjs'), 'replace'], {
    env,
    stdio: 'ignore',
    windowsHide: true,
  });
  await once(child, 'exit');
}

function lastError(places: Places): string {
  const lines = (textOf(places.log) ?? '').split('\n').filter((line) => line.includes('"level":"error"'));
  try {
    const { what, error } = JSON.parse(lines.at(-1) ?? '{}') as { what?: string; error?: string };
    return what ? ` (last error: ${what}${error ? `: ${error}` : ''})` : '';
  } catch {
    return '';
  }
}
