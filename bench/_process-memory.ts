/** Memory and CPU time of a process as the kernel reports them, and the heaps of its threads as Node reports them. */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../test/support/wait-for.ts';

const MB = 1024 * 1024;
/** USER_HZ, which is 100 on every Linux of today. */
const TICKS_PER_SECOND = 100;

export interface Memory {
  readonly rssMb: number;
  /** Pages shared with other processes count in part. */
  readonly pssMb: number;
  /** Pages that belong to no file. */
  readonly anonymousMb: number;
  /** The highest RSS so far. */
  readonly peakMb: number;
  readonly threads: number;
}

export interface Heap {
  readonly usedMb: number;
  readonly committedMb: number;
}

/** By thread: `main`, then the workers in the order they were started. */
export type Heaps = Readonly<Record<string, Heap>>;

/** NODE_OPTIONS of a process whose heaps are measured. The reports contain no environment. */
export const reportOptions = (folder: string): string =>
  `--report-on-signal --report-exclude-env --report-directory=${folder}`;

export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (text: string, name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN) / 1024;
  return {
    rssMb: mb(rollup, 'Rss'),
    pssMb: mb(rollup, 'Pss'),
    anonymousMb: mb(rollup, 'Anonymous'),
    peakMb: mb(status, 'VmHWM'),
    threads: mb(status, 'Threads') * 1024,
  };
}

export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Asks a process that was started with `reportOptions` for a report. */
export async function heapsOf(pid: number, folder: string): Promise<Heaps> {
  process.kill(pid, 'SIGUSR2');
  const report = await waitFor('a report of the daemon', () => completeReport(folder));
  const heap = ({ javascriptHeap: { usedMemory, totalCommittedMemory } }: Report): Heap => ({
    usedMb: usedMemory / MB,
    committedMb: totalCommittedMemory / MB,
  });
  const workers = report.workers.map((worker, i) => [`worker ${i + 1}`, heap(worker)] as const);
  return Object.fromEntries([['main', heap(report)], ...workers]);
}

interface Report {
  readonly javascriptHeap: { readonly usedMemory: number; readonly totalCommittedMemory: number };
  readonly workers: readonly Report[];
}

/** Undefined while it is being written. */
function completeReport(folder: string): Report | undefined {
  const [name] = readdirSync(folder);
  if (name === undefined) return undefined;
  try {
    const report = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report;
    rmSync(join(folder, name));
    return report;
  } catch {
    return undefined;
  }
}
