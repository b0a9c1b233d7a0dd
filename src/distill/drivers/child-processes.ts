/**
 * Records the processes of drivers, so that the next daemon ends those of a daemon that was killed. A pid counts only
 * together with the kernel's start time of its process.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, startTimeOf } from '../../files/index.ts';
import type { ProcessWatch } from './_process-group.ts';

export function watchChildren(places: Pick<Places, 'run'>): ProcessWatch {
  const folder = join(places.run, 'children');
  return {
    started: (pid) => {
      const startTime = startTimeOf(pid);
      if (startTime === undefined) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, String(pid)), startTime, { mode: 0o600 });
    },
    ended: (pid) => rmSync(join(folder, String(pid)), { force: true }),
  };
}

/** Ends the recorded processes with their process groups. */
export function endLeftChildren(places: Pick<Places, 'run'>): void {
  const folder = join(places.run, 'children');
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const pid = Number(name);
    if (Number.isSafeInteger(pid) && pid > 1 && startTimeOf(pid) === read(file)) kill(pid);
    rmSync(file, { force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // already ended
  }
}

function read(file: string): string | undefined {
  try {
    return readTextSync(file, STATE_BYTES);
  } catch {
    return undefined;
  }
}
