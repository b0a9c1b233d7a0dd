/** Tells a process from a later one with the same pid by the kernel's start time. Never ends a process. */
import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { readFileSync } from 'node:fs';

const PS_TIMEOUT_MS = 2_000;
/** Of /proc/<pid>/stat after the name in parentheses, which may contain spaces and parentheses: fields 3 and 22. */
const STATE = 0;
const START_TIME = 19;

/** Returns the kernel's start time of a running process as an opaque text; undefined where there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  switch (process.platform) {
    case 'linux':
      return linuxStartTime(pid);
    case 'win32':
      return undefined;
    default:
      return psStartTime(pid);
  }
}

/** Reports whether the process with this pid and start time still runs; without a start time, whether any with this pid does. */
export function isSame(pid: number, startTime: string | null | undefined): boolean {
  if (!isAlive(pid)) return false;
  const now = startTimeOf(pid);
  if (now === undefined) return process.platform === 'win32';
  return startTime === null || startTime === undefined || now === startTime;
}

export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function linuxStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[STATE] === 'Z' || fields[STATE] === 'X') return undefined; // dead, only not yet waited for
    return fields[START_TIME];
  } catch {
    return undefined;
  }
}

function psStartTime(pid: number): string | undefined {
  try {
    // lstart is written in the language and the time zone of the caller.
    const options = {
      encoding: 'utf8',
      timeout: PS_TIMEOUT_MS,
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    } satisfies ExecFileSyncOptionsWithStringEncoding;
    const text = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], options).trim();
    return text === '' ? undefined : text.replace(/\s+/g, ' ');
  } catch {
    return undefined;
  }
}
