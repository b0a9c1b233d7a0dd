/** Checks the daemon and its files: running, hung, of another version, or dead with files left behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { VERSION, type Places } from '../../core/index.ts';
import { recordedDaemon, type DaemonStatus } from '../../daemon/index.ts';
import { age } from '../../recall/index.ts';
import type { Context } from '../verb.ts';
import { firstLine, textOf } from './_files.ts';
import { checkOf, type Check } from './check.ts';

/** A start takes a second or two; an older marker is a leftover. */
const STALE_MS = 60_000;

export function daemonUp(status: DaemonStatus, started: boolean): Check {
  const check = checkOf('daemon');
  const since = started
    ? 'was not running, started for this check'
    : `since ${age(status.startedAt, new Date())}`;
  const evidence = `${status.version} (Node ${status.node.slice(1)}), pid ${status.pid}, ${status.rssMb} MB, ${since}`;
  if (status.version !== VERSION)
    return check.note(
      `${evidence}; this program is ${VERSION}`,
      'The running daemon exits when it is idle. To stop it now: tidemark stop',
    );
  if (status.update)
    return check.note(`${evidence}; ${status.update.latest} is available`, 'npx tidemark@latest install');
  return check.well(evidence);
}

export function daemonDown({ places, env, client }: Context, why: string): Check {
  const check = checkOf('daemon');
  const recorded = recordedDaemon(places);
  if (recorded?.running)
    return check.wrong(
      `pid ${recorded.pid} runs but does not answer`,
      'It hangs. The next hook that notices replaces it; or run: tidemark doctor --fix',
      async () => {
        await replaceDaemon(env);
        if (!(await client.isUp())) throw new Error(`it could not be replaced; see ${places.log}`);
        return `replaced the daemon that hung (pid ${recorded.pid})`;
      },
    );
  if (!existsSync(places.home))
    return check.note(
      'not running; nothing is stored yet',
      'It starts with the first session, or with: tidemark start',
    );
  return check.wrong(
    `not running and cannot start: ${why}`,
    `See: tidemark logs${lastError(places)}`,
    async () => {
      await client.start();
      return 'started the daemon';
    },
  );
}

export function socket(status: DaemonStatus, platform: NodeJS.Platform = process.platform): Check {
  const check = checkOf('socket');
  if (platform === 'win32') return check.well(`${status.socket} (named pipe)`);
  const stat = statSync(status.socket, { throwIfNoEntry: false });
  if (stat && (stat.mode & 0o077) === 0) return check.well(`${status.socket}, owner only`);
  return check.wrong(
    stat
      ? `other users can open ${status.socket}`
      : `${status.socket} is gone, so hooks cannot find the daemon`,
    'tidemark stop, then tidemark start',
  );
}

/** Finds files that a crash left behind, before anything is started. None blocks a start, but each costs a hook time. */
export async function leftovers({ places, client }: Context): Promise<readonly Check[]> {
  const check = checkOf('leftovers');
  const stale = async (): Promise<readonly string[]> => {
    const isRunning = recordedDaemon(places)?.running || (await client.isUp());
    const socketFile = firstLine(places.socketPointer) ?? places.socket;
    // A clean stop keeps the pointer, which names the folder of the socket.
    const died = !isRunning && [places.daemon, socketFile].some((path) => existsSync(path));
    return [
      ...(died ? [places.daemon, socketFile, places.socketPointer] : []),
      ...[places.starting, places.leaveAlone].filter(isOld),
    ].filter((path) => existsSync(path));
  };
  const found = await stale();
  if (found.length === 0) return [];
  const names = found.map((path) => (path.startsWith(places.home) ? relative(places.home, path) : path));
  return [
    check.note(
      `${names.join(', ')} of a daemon that died`,
      'Harmless. The next start removes them; or run: tidemark doctor --fix',
      async () => {
        for (const path of await stale()) rmSync(path, { force: true });
        return `removed files of a daemon that died (${names.join(', ')})`;
      },
    ),
  ];
}

function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > STALE_MS;
}

/** Uses the hook client, which ends the daemon by pid and start time, never another process with the same pid. */
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
