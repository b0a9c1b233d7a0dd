/** Measures wall and CPU time of a command and everything it waits for. Uses bash, so that Node's spawn is not included. */
import { spawn } from 'node:child_process';

export interface Case {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Returns the stdin of the command; called once per round. */
  readonly input: () => string;
  /** Fewer rounds than the others and no warm-up, for commands that take many seconds. */
  readonly rounds?: number;
  readonly before?: () => void | Promise<void>;
  readonly after?: () => void | Promise<void>;
}

export interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly exit: number;
}

export interface Summary {
  readonly name: string;
  readonly n: number;
  readonly wallMedian: number;
  readonly wallP95: number;
  readonly cpuMedian: number;
  readonly cpuP95: number;
  /** Finer than the median, because the shell counts whole milliseconds. */
  readonly cpuMean: number;
  /** Runs that did not exit with 0. A hook that fails fast must not look fast. */
  readonly failed: number;
}

/** Needs bash 5. The input is in a variable, so that the pipe is filled at once, as with the client. */
const SCRIPT = `
input=$(cat); TIMEFORMAT='%3U %3S'; exec 3>&2
start=$EPOCHREALTIME
{ time "$@" <<<"$input" >/dev/null 2>&1; } 2>&3
exit=$? end=$EPOCHREALTIME
printf '%s %s %s\\n' "$start" "$end" "$exit" >&3`;

/** Runs all cases in turn, round after round, so that other load on the machine affects all of them equally. */
export async function interleaved(cases: readonly Case[], rounds: number): Promise<Summary[]> {
  const samples = cases.map((): Sample[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, one] of cases.entries()) {
      if (one.rounds !== undefined && (round < 0 || round >= one.rounds)) continue;
      await one.before?.();
      const sample = await measure(one);
      await one.after?.();
      if (round >= 0) samples[i]?.push(sample); // the first round only warms the caches
    }
  }
  return cases.map(({ name }, i) => summary(name, samples[i] ?? []));
}

function measure({ command, env, cwd, input }: Case): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', SCRIPT, 'bash', ...command], {
      env: { ...env },
      cwd,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => {
      const text = Buffer.concat(chunks).toString();
      const [user, system, start, end, exit] = text.trim().split(/\s+/).map(Number);
      if (user === undefined || system === undefined || !start || !end || exit === undefined)
        return reject(new Error(`the measurement failed: ${text}`));
      resolve({ wallMs: (end - start) * 1000, cpuMs: (user + system) * 1000, exit });
    });
    child.stdin.end(input());
  });
}

function summary(name: string, samples: readonly Sample[]): Summary {
  const wall = samples.map((sample) => sample.wallMs).toSorted((a, b) => a - b);
  const cpu = samples.map((sample) => sample.cpuMs).toSorted((a, b) => a - b);
  return {
    name,
    n: samples.length,
    wallMedian: quantile(wall, 0.5),
    wallP95: quantile(wall, 0.95),
    cpuMedian: quantile(cpu, 0.5),
    cpuP95: quantile(cpu, 0.95),
    cpuMean: cpu.reduce((sum, ms) => sum + ms, 0) / cpu.length,
    failed: samples.filter((sample) => sample.exit !== 0).length,
  };
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
