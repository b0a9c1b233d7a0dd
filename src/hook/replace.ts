/**
 * Replaces a hung daemon. Runs detached, outside every budget, after a hook timed out. Ends only the process that
 * daemon.json names by pid and start time, never another one with the same pid.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Places } from '../core/index.ts';
import { ask, findSocket, readTextSync, startTimeOf, STATE_BYTES } from '../files/index.ts';
import type { Outcome } from './log.ts';
import { liftLeaveAlone } from './socket.ts';
import { startDaemon, type StartingDaemon } from './start.ts';

/** A daemon that is silent for this long hangs; a busy one answers. */
const PATIENCE_MS = 5000;

/** Time for a clean exit after SIGTERM, before SIGKILL. */
const GRACE_MS = 3000;

/** Time for the new daemon to listen; after that the next hook tries. */
const START_LIMIT_MS = 10_000;

const POLL_MS = 50;

export interface Replaced {
  readonly outcome: Outcome;
  readonly reason: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export async function replaceDaemon(places: Places, env: Env, clientFolder: string): Promise<Replaced> {
  if (await isAnswering(places, PATIENCE_MS)) {
    liftLeaveAlone(places);
    return { outcome: 'alive', reason: 'slow once' };
  }
  const ended = await endRecorded(places);
  const start = startDaemon(places, env, clientFolder, Date.now());
  if (start.kind === 'impossible') return { outcome: 'failed', reason: start.code };
  const daemon = start.kind === 'started' ? start.daemon : undefined;
  if (!(await isUp(places, daemon))) return { outcome: 'failed', reason: 'daemon-cannot-start' };
  liftLeaveAlone(places);
  return { outcome: 'replaced', reason: ended };
}

/** Any HTTP answer, even an error, shows that its main thread runs. A broken connection shows nothing. */
async function isAnswering(places: Places, limitMs: number): Promise<boolean> {
  const stopAt = performance.now() + limitMs;
  for (;;) {
    const socket = findSocket(places);
    if (!socket) return false;
    const { kind } = await ask(socket, '/v1/alive', Buffer.alloc(0), stopAt - performance.now());
    if (kind === 'answer' || kind === 'rejected') return true;
    if (kind !== 'broken' || performance.now() >= stopAt) return false;
    await delay(POLL_MS);
  }
}

async function endRecorded(
  places: Places,
): Promise<'no daemon recorded' | 'gone already' | 'ended' | 'killed'> {
  const daemon = recordedDaemon(places);
  if (!daemon) return 'no daemon recorded';
  const runs = (): boolean => (startTimeOf(daemon.pid) ?? null) === daemon.startTime;
  if (!runs()) return 'gone already';
  signal(daemon.pid, 'SIGTERM');
  if (await until(() => !runs(), GRACE_MS)) return 'ended';
  if (runs()) signal(daemon.pid, 'SIGKILL');
  await until(() => !runs(), GRACE_MS);
  return 'killed';
}

/** Returns undefined without a start time, because a pid alone does not identify a process. */
export function recordedDaemon(
  places: Places,
): { readonly pid: number; readonly startTime: string } | undefined {
  try {
    const { pid, startTime } = JSON.parse(readTextSync(places.daemon, STATE_BYTES));
    return Number.isSafeInteger(pid) && pid > 1 && typeof startTime === 'string'
      ? { pid, startTime }
      : undefined;
  } catch {
    return undefined;
  }
}

async function isUp(places: Places, daemon: StartingDaemon | undefined): Promise<boolean> {
  const stopAt = performance.now() + START_LIMIT_MS;
  while (performance.now() < stopAt && !daemon?.crashed()) {
    if (await isAnswering(places, stopAt - performance.now())) return true;
    daemon?.retry();
    await delay(POLL_MS);
  }
  return false;
}

async function until(condition: () => boolean, limitMs: number): Promise<boolean> {
  const stopAt = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() >= stopAt) return false;
    await delay(POLL_MS);
  }
  return true;
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It exited in the meantime.
  }
}
