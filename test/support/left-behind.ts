/** Finds processes by a variable that everything a test starts inherits. Linux only; elsewhere it finds none. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';

export interface Found {
  readonly pid: number;
  readonly command: string;
}

/** Never finds this process itself. Compares only the one variable, and neither stores nor prints an environment. */
export function processesWith(name: string, value: string): Found[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => procFile(pid, 'environ').split('\0').includes(`${name}=${value}`))
    .map((pid) => ({ pid: Number(pid), command: procFile(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
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

/** Reads from another thread where the first has ended: the kernel then shows nothing for the process itself. */
function procFile(pid: string, file: 'environ' | 'cmdline'): string {
  const text = read(`/proc/${pid}/${file}`);
  if (text !== '') return text;
  return threadsOf(pid)
    .map((thread) => read(`/proc/${pid}/task/${thread}/${file}`))
    .join('');
}

function threadsOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== pid);
  } catch {
    return []; // gone by now
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // gone by now, or another user's
  }
}
