/** The daemon as tests see it from outside: who it is, waiting for what it does, and stopping it by its own pid. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Places } from '../../src/core/index.ts';
import { waitFor } from './wait-for.ts';

/** pid of the daemon that serves these places, if one does. */
export function daemonPid(places: Places): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(places.daemon, 'utf8')) as { pid: number };
    return isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Ends the daemon as a crash would, and waits until it is gone. */
export async function killDaemon(places: Places): Promise<void> {
  const pid = daemonPid(places);
  if (pid === undefined) throw new Error('there is no daemon to kill');
  process.kill(pid, 'SIGKILL');
  await waitFor('the daemon to be gone', () => !isAlive(pid));
}

/** Asks it to leave, insists after a while; a test's last act. */
export async function stopDaemon(places: Places): Promise<void> {
  const pid = daemonPid(places);
  if (pid === undefined) return;
  process.kill(pid, 'SIGTERM');
  try {
    await waitFor('the daemon to leave', () => !isAlive(pid));
  } catch (error) {
    process.kill(pid, 'SIGKILL');
    throw error;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/**
 * Ended, but nobody has asked for its exit code: in a container without an init that may stay so. While another of its
 * threads is still on its way out, the process has its sockets and locks.
 */
function isZombie(pid: number): boolean {
  try {
    return (
      /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) &&
      readdirSync(`/proc/${pid}/task`).length <= 1
    );
  } catch {
    return false;
  }
}
