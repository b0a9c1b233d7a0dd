/**
 * `npm run score -- [--quick] [--write] [--json] [--only GROUP,…] [--locomo FILE] [--coding FILE] [--transcripts DIR] [--sde DIR]`:
 * every figure of the product on one page, beside the committed one. Runs each benchmark once, and once more if a figure
 * looks worse. Exits with 1 if a figure is worse both times, is gone, or could not be measured.
 *
 * `--quick` takes minutes and has figures of its own. `--write` makes the figures the committed ones (docs/score.json and
 * docs/score.md). Data by path may also come from BENCH_LOCOMO, BENCH_CODING, BENCH_TRANSCRIPTS and BENCH_SDE.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { commit, machine } from './_facts.ts';
import { interleaved } from './_measure.ts';
import { compared, page, tables, type Committed, type Figures, type Mode, type Row } from './_score-page.ts';
import { SOURCES, type Curl, type DataPaths, type Source } from './_score-sources.ts';
import { Served } from './_served.ts';

const ROOT = join(import.meta.dirname, '..');
const COMMITTED = join(ROOT, 'docs', 'score.json');
const PAGE = join(ROOT, 'docs', 'score.md');
/** Runs of `curl` before and after a benchmark. */
const CURLS = 25;
/** A process that was ended still writes for a moment. */
const SETTLE_MS = 200;
const LONGEST_OUTPUT = 256 * 1024 * 1024;
const LONGEST_MS = 40 * 60_000;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    locomo: { type: 'string', default: process.env['BENCH_LOCOMO'] ?? '' },
    coding: { type: 'string', default: process.env['BENCH_CODING'] ?? '' },
    transcripts: { type: 'string', default: process.env['BENCH_TRANSCRIPTS'] ?? '' },
    sde: { type: 'string', default: process.env['BENCH_SDE'] ?? '' },
  },
});
const mode: Mode = options.quick ? 'quick' : 'full';
const data: DataPaths = options;
const run = promisify(execFile);

process.exitCode = await main();

async function main(): Promise<number> {
  const committed = existsSync(COMMITTED) ? (JSON.parse(readFileSync(COMMITTED, 'utf8')) as Committed) : {};
  const before = (committed[mode]?.rows ?? []).filter(({ group }) => isNamed(group));
  const began = performance.now();
  const rows: Row[] = [];
  const measured = new Set<string>();
  const failed: string[] = [];
  for (const source of SOURCES.filter(isAsked)) {
    const { group } = source;
    const at = performance.now();
    try {
      const found = await better(source, before);
      rows.push(...found.filter(({ value }) => Number.isFinite(value)));
      for (const { name, value } of found)
        if (!Number.isFinite(value)) failed.push(`${group}: there is no figure for "${name}"`);
      measured.add(group);
    } catch (error) {
      failed.push(`${group}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 4000));
    }
    say(`${group}: ${((performance.now() - at) / 1000).toFixed(0)} s`);
  }
  const all = compared(rows, before, measured);
  const facts = { commit: commit(), date: new Date().toISOString().slice(0, 10), machine: machine() };
  const bad = all.filter(({ verdict }) => verdict === 'worse' || verdict === 'gone');
  if (options.json) console.log(JSON.stringify({ ...facts, mode, rows: all, failed }, null, 2));
  else {
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    console.log(`${mode}, ${minutes} minutes. Commit ${facts.commit}. ${facts.machine}\n\n${tables(all)}\n`);
    for (const { now, before: old, verdict } of bad)
      console.log(`${verdict}: ${(now ?? old)?.group}, ${(now ?? old)?.name}`);
    for (const problem of failed) console.log(`not measured: ${problem}`);
    if (bad.length + failed.length === 0) console.log('Nothing is worse.');
  }
  if (options.write) write(committed, { ...facts, rows: [...rows, ...kept(committed[mode], measured)] });
  return bad.length + failed.length > 0 ? 1 : 0;
}

function isNamed(group: string): boolean {
  return options.only?.split(',').includes(group) ?? true;
}

/** Data that was not given, or a benchmark that a quick run leaves out, is no failure. */
function isAsked({ group, needs, command }: Source): boolean {
  if (!isNamed(group)) return false;
  if (needs !== undefined && data[needs] === '') return false;
  return command === undefined || command(data)[mode] !== undefined;
}

/** Measures once, and again if something looks worse: only what is worse both times stays so. */
async function better(source: Source, before: readonly Row[]): Promise<readonly Row[]> {
  const isWorse = (row: Row): boolean =>
    compared([row], before, new Set()).some(({ verdict }) => verdict === 'worse');
  const once = await measure(source);
  if (source.command === undefined || !once.some(isWorse)) return once;
  const again = await measure(source);
  const second = new Map(again.map((row) => [row.name, row]));
  return once.map((row) => {
    const other = second.get(row.name);
    return isWorse(row) && other && !isWorse(other) ? other : row;
  });
}

async function measure(source: Source): Promise<readonly Row[]> {
  const args = source.command?.(data)[mode];
  const first = source.isTimeless ? undefined : await curl();
  const printed = args && (await printedBy(args));
  const last = source.isTimeless ? undefined : await curl();
  const mean = (of: keyof Curl): number => ((first?.[of] ?? NaN) + (last?.[of] ?? NaN)) / 2;
  const figures = await source.rows(printed, { wall: mean('wall'), cpu: mean('cpu') });
  return figures.map((figure) => {
    return { group: source.group, ...figure, value: Number(figure.value.toFixed(3)) };
  });
}

async function printedBy([file = '', ...args]: readonly string[]): Promise<unknown> {
  const program = ['--disable-warning=ExperimentalWarning', join(ROOT, file), ...args];
  const { stdout } = await run(process.execPath, program, {
    cwd: ROOT,
    maxBuffer: LONGEST_OUTPUT,
    timeout: LONGEST_MS,
  });
  return JSON.parse(stdout);
}

/** The unit of all times: other load on the machine makes it longer too. */
async function curl(): Promise<Curl> {
  const folder = mkdtempSync(join(tmpdir(), 'sc-'));
  const served = new Served(folder);
  try {
    const { socket } = await served.played('bare', false);
    const command = `curl -q -sS --data-binary @- --unix-socket ${socket} http://localhost/`.split(' ');
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const one = { name: 'curl', command, env, cwd: folder, input: () => '{}' };
    const [summary] = await interleaved([one], CURLS);
    return { wall: summary?.wallMedian ?? NaN, cpu: summary?.cpuMean ?? NaN };
  } finally {
    served.close();
    await delay(SETTLE_MS);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Committed rows that this run did not measure. */
function kept(figures: Figures | undefined, measured: ReadonlySet<string>): readonly Row[] {
  const groups = new Set(SOURCES.map(({ group }) => group));
  return (figures?.rows ?? [])
    .filter(({ group }) => groups.has(group) && !measured.has(group))
    .map((row) => ({ ...row, from: row.from ?? figures?.commit ?? '' }));
}

function write(committed: Committed, figures: Figures): void {
  const order = SOURCES.map(({ group }) => group);
  const rows = figures.rows.toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
  const next: Committed = { ...committed, [mode]: { ...figures, rows } };
  // One row per line.
  const lines = Object.entries(next).map(([name, { rows: all, ...facts }]) => {
    const head = JSON.stringify(facts).slice(0, -1);
    return `"${name}": ${head}, "rows": [\n${all.map((row) => JSON.stringify(row)).join(',\n')}\n]}`;
  });
  writeFileSync(COMMITTED, `{\n${lines.join(',\n')}\n}\n`);
  writeFileSync(PAGE, page(next));
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
