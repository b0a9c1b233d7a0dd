/**
 * Whether a hook feels an import: hooks fired at rest and while `import history` takes in synthetic transcripts, the
 * import's own speed, and the daemon's peak memory. Prints what it measured; leaves nothing behind.
 *
 *   node bench/import-load.ts [--mb 2048] [--kill] [--minutes 20] [--seed 1]
 *
 * `--kill` ends the daemon with SIGKILL ten times on the way and starts the import again, which has to go on, not begin anew.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { ImportReport } from '../src/daemon/index.ts';
import { Machine } from '../test/support/machine.ts';
import { HOOKS, LiveSession, type Hook } from './_live-session.ts';
import { makePast } from './_past.ts';

const { values: options } = parseArgs({
  options: {
    mb: { type: 'string', default: '2048' },
    kill: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});

const MB = 1024 * 1024;
const AT_REST_ROUNDS = 40;
/** Shares of the past after which the daemon is killed. */
const KILL_AT = Array.from({ length: 10 }, (_, i) => (i + 1) / 11);

await main();

async function main(): Promise<void> {
  const machine = new Machine();
  const stopAt = Date.now() + Number(options.minutes) * 60_000;
  try {
    const past = makePast(machine.root, machine.config, Number(options.mb) * MB, Number(options.seed));
    print(
      `commit ${commit()}, Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`,
    );
    print(
      `past: ${(past.bytes / MB).toFixed(0)} MB, ${past.sessions} sessions, ${past.turns} turns (seed ${options.seed})`,
    );
    await machine.up();
    const live = new LiveSession(machine);
    const rest = new Map<Hook, number[]>();
    for (let i = 0; i < AT_REST_ROUNDS; i++) await live.round(rest);
    const during = new Map<Hook, number[]>();
    const started = performance.now();
    const importing = importAll(machine, past.turns, stopAt);
    let done = false;
    void importing.finally(() => (done = true)).catch(() => {});
    while (!done && Date.now() < stopAt) await live.round(during);
    const { report, peakMb, kills } = await importing;
    const seconds = (performance.now() - started) / 1000;
    await machine.drained();
    for (const hook of HOOKS) print(row(hook, rest.get(hook) ?? [], during.get(hook) ?? []));
    print(
      `import: ${seconds.toFixed(1)} s, ${(past.bytes / MB / seconds).toFixed(1)} MB/s, ${(past.turns / seconds).toFixed(0)} turns/s` +
        `${kills > 0 ? `, killed ${kills} times` : ''}, ${report.memories} memories in the last run`,
    );
    print(`daemon: peak ${peakMb} MB resident`);
    print(`hooks that took the way without the daemon: ${tookFallback(machine)}`);
    const { turns } = await machine.call<{ turns: number }>('read.stats');
    const expected = past.turns + live.turns;
    print(`turns kept: ${turns} of ${expected}${turns === expected ? '' : '  <-- WRONG'}`);
    if (turns !== expected) process.exitCode = 1;
  } finally {
    await machine.close();
  }
}

async function importAll(
  machine: Machine,
  turns: number,
  stopAt: number,
): Promise<{ report: ImportReport; peakMb: number; kills: number }> {
  let peakMb = 0;
  let kills = 0;
  const watch = setInterval(() => {
    for (const pid of machine.daemons()) peakMb = Math.max(peakMb, peakOf(pid));
  }, 200);
  try {
    for (;;) {
      const importing = machine.startCli(['import', 'history', '--json'], { timeout: stopAt - Date.now() });
      const share = options.kill ? KILL_AT[kills] : undefined;
      if (share !== undefined) {
        await until(async () => (await kept(machine)) > share * turns, stopAt);
        await machine.killDaemons();
        kills++;
        await importing.ended;
        continue;
      }
      const { stdout, stderr, code } = await importing.ended;
      if (code !== 0) throw new Error(`import failed with ${code}: ${stderr}`);
      return { report: JSON.parse(stdout) as ImportReport, peakMb, kills };
    }
  } finally {
    clearInterval(watch);
  }
}

async function kept(machine: Machine): Promise<number> {
  const { turns } = await machine.call<{ turns: number }>('read.stats').catch(() => ({ turns: 0 }));
  return turns;
}

async function until(look: () => Promise<boolean>, stopAt: number): Promise<void> {
  while (!(await look())) {
    if (Date.now() > stopAt) throw new Error('out of time');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The kernel's own high-water mark of resident memory. */
function peakOf(pid: number): number {
  try {
    const kb = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kb ?? 0) / 1024);
  } catch {
    return 0; // gone by now
  }
}

function tookFallback(machine: Machine): number {
  try {
    return readFileSync(machine.places.hookLog, 'utf8').trimEnd().split('\n').length;
  } catch {
    return 0; // none ever did
  }
}

function row(hook: Hook, rest: readonly number[], during: readonly number[]): string {
  const figures = (times: readonly number[]): string =>
    `p50 ${at(times, 0.5)} ms, p95 ${at(times, 0.95)} ms, max ${at(times, 1)} ms (n=${times.length})`;
  return `${hook.padEnd(17)} at rest: ${figures(rest)}   during: ${figures(during)}`;
}

function at(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0);
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

function print(line: string): void {
  console.log(line);
}
