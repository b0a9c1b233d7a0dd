/** When a process started, in the kernel's own words: with the pid it names one process and no later one. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** `ps` answers within milliseconds or hangs with the machine. */
const PS_LIMIT_MS = 2000;

/** Of /proc/<pid>/stat after the name, which may itself hold spaces and brackets: fields 3 and 22. */
const STATE = 0;
const START_TIME = 19;

/** As the daemon writes it into daemon.json. Null if no such process runs or the platform does not tell. */
export function processStartTime(pid: number): string | null {
  try {
    if (process.platform === 'linux') return fromProc(pid);
    return process.platform === 'win32' ? null : fromPs(pid);
  } catch {
    return null;
  }
}

function fromProc(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const dead = fields[STATE] === 'Z' || fields[STATE] === 'X';
  return dead ? null : (fields[START_TIME] ?? null);
}

function fromPs(pid: number): string | null {
  const text = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', TZ: 'UTC' }, // lstart is written in the words and the zone of the asker
    timeout: PS_LIMIT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text.trim().replace(/\s+/g, ' ') || null;
}
