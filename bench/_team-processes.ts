/** CPU time and memory of processes with their children, as the kernel reports them, and their end with this process. */
import { readFileSync } from 'node:fs';

const TICK_MS = 10;

const running = new Map<number, NodeJS.Signals>();
process.once('exit', endAll);

/** Ends a process with this one, also if this one is interrupted. @returns a function that forgets it */
export function endWithThis(pid: number, signal: NodeJS.Signals): () => void {
  running.set(pid, signal);
  return () => void running.delete(pid);
}

function endAll(): void {
  for (const [pid, signal] of running) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}

/** Returns the memory of a process and its children in MB; shared memory counts once. */
export function memoryOf(pid: number): number {
  return familyOf(pid).reduce((sum, one) => sum + shareOf(one), 0);
}

/** Returns the CPU time of a process and its children, including those that ended, in milliseconds. */
export function cpuOf(pid: number): number {
  return familyOf(pid).reduce((sum, one) => {
    // The name in brackets may contain anything, so fields are counted after it.
    const fields = textOf(`/proc/${one}/stat`).split(') ')[1]?.split(' ').map(Number) ?? [];
    const [user = 0, system = 0, ofEnded = 0, systemOfEnded = 0] = fields.slice(11, 15);
    return sum + (user + system + ofEnded + systemOfEnded) * TICK_MS;
  }, 0);
}

function familyOf(pid: number): readonly number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(familyOf)];
}

function shareOf(pid: number): number {
  return Number(/^Pss:\s*(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
