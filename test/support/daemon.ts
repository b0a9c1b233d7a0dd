/** The daemon from outside: finds its pid, and stops it by that pid. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Places } from '../../src/core/index.ts';
import { waitFor } from './wait-for.ts';

/** Returns the pid of the daemon of these places, if one runs. */
export function daemonPid(places: Places): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(places.daemon, 'utf8')) as { pid: number };
    return isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Kills the daemon as a crash would, and waits until it is gone. */
export async function killDaemon(places: Places): Promise<void> {
  const pid = daemonPid(places);
  if (pid === undefined) throw new Error('there is no daemon to kill');
  process.kill(pid, 'SIGKILL');
  await waitFor('the daemon to be gone', () => !isAlive(pid));
}

/** Asks the daemon to stop, and kills it if it does not. For the end of a test. */
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
 * Whether a process has ended but no parent has read its exit code, which stays so in a container without an init.
 * While another of its threads is still exiting, the process has its sockets and locks.
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
