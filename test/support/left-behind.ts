/** Finds processes by a variable that everything a test starts inherits. Linux only; elsewhere it finds none. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';

export interface Found {
  readonly pid: number;
  readonly command: string;
}

/** Never this process itself. Compares only the one variable: nothing of an environment is kept or printed. */
export function processesWith(name: string, value: string): Found[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`${name}=${value}`))
    .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }));
}

export function endAll(found: readonly Found[]): void {
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone by itself
    }
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // gone by now, or another user's
  }
}
