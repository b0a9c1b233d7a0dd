/**
 * Measures hooks at rest and while `import history` reads synthetic transcripts, the speed of the import, and the daemon's
 * peak memory. Prints the figures and removes its folders.
 *
 *   node bench/import-load.ts [--mb 2048] [--sessions 1000] [--kill 10] [--minutes 20] [--seed 1]
 *
 * `--kill` kills the daemon that many times during the import, which must continue where it stopped. The same transcripts
 * are then imported without interruption into another data folder, and journal and turns are compared.
 */
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { ImportReport } from '../src/exchange/import/index.ts';
import { Machine } from '../test/support/machine.ts';
import { commit } from './_facts.ts';
import { HOOKS, LiveSession, type Hook } from './_live-session.ts';
import { makePast, type Past } from './_past.ts';
import { differences, resultOf } from './_same-result.ts';

const { values: options } = parseArgs({
  options: {
    mb: { type: 'string', default: '2048' },
    sessions: { type: 'string' },
    kill: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});

const MB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
const AT_REST_ROUNDS = 40;
const KILLS = Number(options.kill);
/** The limit for resident memory of a background process on a laptop. */
const MOST_MB = 300;
/** The rate is printed for each quarter, because it must not fall as the journal grows. */
const PARTS = 4;
const SHOWN = 10;

await main();

async function main(): Promise<void> {
  const machine = new Machine();
  const stopAt = Date.now() + Number(options.minutes) * 60_000;
  try {
    const size = {
      bytes: Number(options.mb) * MB,
      ...(options.sessions ? { sessions: Number(options.sessions) } : {}),
    };
    const past = makePast(machine.root, machine.config, size, Number(options.seed));
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
    const importing = importAll(machine, past.turns, KILLS, stopAt);
    let done = false;
    void importing.finally(() => (done = true)).catch(() => {});
    while (!done && Date.now() < stopAt) await live.round(during);
    const run = await importing;
    const seconds = (performance.now() - started) / 1000;
    await machine.drained();
    for (const hook of HOOKS) print(row(hook, rest.get(hook) ?? [], during.get(hook) ?? []));
    tellRun('import beside the hooks', past, run, seconds);
    print(`hooks that took the way without the daemon: ${tookFallback(machine)}`);
    const { turns } = await machine.call('read.stats', {});
    const expected = past.turns + live.turns;
    print(`turns kept: ${turns} of ${expected}${turns === expected ? '' : '  <-- WRONG'}`);
    if (turns !== expected) process.exitCode = 1;
    if (KILLS > 0) await compare(machine, past);
  } finally {
    await machine.close();
  }
}

/** Imports the same transcripts without interruption; journal and turns must be the same. */
async function compare(disturbed: Machine, past: Past): Promise<void> {
  const calm = new Machine({ CLAUDE_CONFIG_DIR: disturbed.config });
  try {
    await calm.up();
    const started = performance.now();
    const run = await importAll(calm, past.turns, 0, Date.now() + Number(options.minutes) * 60_000);
    const seconds = (performance.now() - started) / 1000;
    for (const machine of [disturbed, calm]) {
      await machine.drained();
      // Sessions without an end are closed at some later time; do it on both sides now.
      await machine.call('sweep', { now: new Date(Date.now() + DAY_MS).toISOString() });
      await machine.stopDaemon();
    }
    tellRun('import undisturbed', past, run, seconds);
    const isPast = (project: string): boolean => /^project-\d+-/.test(project);
    const [a, b] = [await resultOf(disturbed.places, isPast), await resultOf(calm.places, isPast)];
    const different = differences(a, b);
    print(
      `same result: ${different.length === 0 ? 'yes' : 'NO  <-- WRONG'} (${b.days.size} days, ${b.entries} entries, ${b.turns.size} turns, byte for byte; ${a.repeated} turns written a second time after a kill)`,
    );
    for (const one of different.slice(0, SHOWN)) print(`  ${one}`);
    if (different.length > 0 || b.turns.size !== past.turns) process.exitCode = 1;
  } finally {
    await calm.close();
  }
}

interface Run {
  readonly report: ImportReport;
  readonly peakMb: number;
  readonly kills: number;
  /** Turns per second, by quarter. */
  readonly rates: readonly number[];
}

function tellRun(what: string, past: Past, { report, peakMb, kills, rates }: Run, seconds: number): void {
  print(
    `${what}: ${seconds.toFixed(1)} s, ${(past.bytes / MB / seconds).toFixed(1)} MB/s, ${(past.turns / seconds).toFixed(0)} turns/s` +
      ` (by quarters ${rates.map((rate) => rate.toFixed(0)).join(', ')})` +
      `${kills > 0 ? `, killed ${kills} times` : ''}, ${report.memories} memories in the last run`,
  );
  print(`daemon: peak ${peakMb} MB resident${peakMb > MOST_MB ? `  <-- WRONG, at most ${MOST_MB}` : ''}`);
  if (peakMb > MOST_MB) process.exitCode = 1;
}

async function importAll(machine: Machine, turns: number, mostKills: number, stopAt: number): Promise<Run> {
  let peakMb = 0;
  let kills = 0;
  const passed = [performance.now()];
  const watch = setInterval(() => {
    for (const pid of machine.daemons()) peakMb = Math.max(peakMb, peakOf(pid));
    void kept(machine).then((count) => {
      while (passed.length <= PARTS && count >= (passed.length / PARTS) * turns)
        passed.push(performance.now());
    });
  }, 200);
  try {
    for (;;) {
      const importing = machine.startCli(['import', 'history', '--json'], { timeout: stopAt - Date.now() });
      if (kills < mostKills) {
        const share = (kills + 1) / (mostKills + 1);
        await until(async () => (await kept(machine)) > share * turns, stopAt);
        await machine.killDaemons();
        kills++;
        await importing.ended;
        continue;
      }
      const { stdout, stderr, code } = await importing.ended;
      if (code !== 0) throw new Error(`import failed with ${code}: ${stderr}`);
      const rates = passed.slice(1).map((at, i) => turns / PARTS / ((at - (passed[i] ?? at)) / 1000));
      return { report: JSON.parse(stdout) as ImportReport, peakMb, kills, rates };
    }
  } finally {
    clearInterval(watch);
  }
}

async function kept(machine: Machine): Promise<number> {
  const { turns } = await machine.call('read.stats', {}).catch(() => ({ turns: 0 }));
  return turns;
}

async function until(look: () => Promise<boolean>, stopAt: number): Promise<void> {
  while (!(await look())) {
    if (Date.now() > stopAt) throw new Error('out of time');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns the peak resident memory that the kernel recorded. */
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

function print(line: string): void {
  console.log(line);
}
