/**
 * Measures the small model in its process: size, memory, start, vectors, and the three questions. Linux only: the kernel
 * reports the memory.
 *
 *   node bench/small.ts [--n 30] [--json]
 *
 * Inputs are sentences of train/data/sessions, as the product makes them.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { asRead, keepScores, unitsOf, type Unit } from '../src/distill/index.ts';
import { checkSmallModel, localEmbedder, localSmallModel } from '../src/models/index.ts';
import type { Embedder, LocalOptions, LocalSmallModel, Pair } from '../src/models/index.ts';
import { commit, machine } from './_facts.ts';
import { labelledProjects } from './labelled-sessions.ts';
import { cpuSeconds, memoryOf, type Memory } from './_process-memory.ts';

const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
  },
});
const N = Number(options.n);
const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'plugin', 'dist');
const OPTIONS: LocalOptions = {
  home: DIST,
  program: join(DIST, 'embedder.cjs'),
  runtime: join(DIST, 'embed'),
};
/** Median and 90th percentile of the sentences of a real turn. */
const TURNS = [13, 170] as const;
/** Candidates that a prompt is compared with, and the words of prompt and memory: about 60 tokens together. */
const CANDIDATES = 4;
const WORDS = 20;
const signal = AbortSignal.timeout(30 * 60_000);

interface Timed {
  readonly what: string;
  readonly n: number;
  readonly wallMs: number;
  readonly wallP90Ms: number;
  readonly cpuMs: number;
}

interface Figures {
  readonly version: string;
  readonly bytes: number;
  /** From the start of the process to the first vector. */
  readonly coldMs: number;
  readonly loaded: Memory;
  readonly after: Memory;
  readonly timed: readonly Timed[];
}

if (!existsSync(join(DIST, 'embedder.cjs'))) throw new Error('not built. Run `npm run build` first.');
const units = sentences(Math.max(...TURNS));
const texts = units.map(asRead);
const figures = await measured();
console.log(options.json ? JSON.stringify(figures, null, 2) : markdown(figures));

async function measured(): Promise<Figures> {
  const found = checkSmallModel(join(ROOT, 'plugin', 'model'));
  if (found.kind !== 'complete') throw new Error(found.why);
  const { embedder, close, ...run } = await opened();
  const small = localSmallModel(OPTIONS);
  const vectors = await timeVectors(embedder);
  const timed = [...vectors, ...(await timeQuestions(embedder, small))];
  const after = memoryOf(childPid());
  await small.close();
  await close();
  return { version: found.version, bytes: found.bytes, ...run, timed, after };
}

/** Starts the process a few times, and leaves the last one running. */
async function opened() {
  const cold: number[] = [];
  let embedder: Embedder | undefined;
  for (let i = 0; i < Math.min(N, 5); i++) {
    await embedder?.close();
    embedder = localEmbedder(OPTIONS);
    const began = performance.now();
    await embedder.embed([texts[0] ?? ''], signal);
    cold.push(performance.now() - began);
  }
  if (!embedder) throw new Error('--n must be at least 1');
  const close = embedder.close.bind(embedder);
  return { embedder, close, coldMs: quantile(cold, 0.5), loaded: memoryOf(childPid()) };
}

async function timeVectors(embedder: Embedder): Promise<readonly Timed[]> {
  const long = texts.join(' ').slice(0, 1200);
  return [
    await time('vector of a sentence', N, (i) => embedder.embed([texts[i % texts.length] ?? ''], signal)),
    await time('vector of a long text (256 tokens)', N, () => embedder.embed([long], signal)),
  ];
}

async function timeQuestions(embedder: Embedder, small: LocalSmallModel): Promise<readonly Timed[]> {
  const short = (text: string): string => text.split(' ').slice(0, WORDS).join(' ');
  const isLong = (text: string): boolean => text.split(' ').length >= WORDS;
  const long = texts.filter(isLong).map(short);
  const candidates = long.slice(0, CANDIDATES).map((a, i): Pair => ({ a, b: long[CANDIDATES + i] ?? a }));
  const read = () => small.read(candidates, signal);
  const timed: Timed[] = [];
  for (const size of TURNS)
    timed.push(
      await time(`keep, turn of ${size} sentences`, Math.ceil(N / size), () =>
        keptBy(small, units.slice(0, size)),
      ),
    );
  timed.push(await time(`read, ${CANDIDATES} pairs of 60 tokens`, N, read));
  const background = Promise.all([1, 2, 3].map(() => keptBy(small, units))).catch(() => {});
  timed.push(await time('the same while a turn is kept', N, read));
  timed.push(
    await time('vector of a sentence while a turn is kept', N, () => embedder.embed(['a question'], signal)),
  );
  await background;
  return timed;
}

async function time(what: string, n: number, work: (i: number) => Promise<unknown>): Promise<Timed> {
  await work(0);
  const wall: number[] = [];
  const before = cpuSeconds(childPid());
  for (let i = 0; i < n; i++) {
    const began = performance.now();
    await work(i);
    wall.push(performance.now() - began);
  }
  const cpuMs = ((cpuSeconds(childPid()) - before) * 1000) / n;
  return { what, n, wallMs: quantile(wall, 0.5), wallP90Ms: quantile(wall, 0.9), cpuMs };
}

/** The model's process is the only child of this one. */
function childPid(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ');
  return Number(children.at(-1));
}

function keptBy(small: LocalSmallModel, some: readonly Unit[]): Promise<unknown> {
  return keepScores(small, { units: some, turn: { prompt: '', answer: '', tools: [] } }, some, signal);
}

function sentences(count: number): readonly Unit[] {
  const found: Unit[] = [];
  for (const { sessions } of labelledProjects(join(ROOT, 'train', 'data', 'sessions')))
    for (const { turns } of sessions)
      for (const { user, assistant } of turns) {
        found.push(...unitsOf({ prompt: user, answer: assistant, tools: [] }));
        if (found.length >= count) return found.slice(0, count);
      }
  return found;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function markdown({ version, bytes, coldMs, loaded, after, timed }: Figures): string {
  const data = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12);
  const ms = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
  return [
    `Commit ${commit()}, data ${data}. ${machine()}. Wall time: median (90th percentile); CPU of the process.`,
    '',
    `| | ${version} |`,
    '|---|---|',
    `| files | ${(bytes / 1e6).toFixed(1)} MB |`,
    `| RSS after the first vector | ${loaded.rssMb.toFixed(0)} MB |`,
    `| RSS at the end (peak) | ${after.rssMb.toFixed(0)} MB (${after.peakMb.toFixed(0)}) |`,
    `| cold start until the first vector | ${ms(coldMs)} ms |`,
    ...timed.map(
      ({ what, wallMs, wallP90Ms, cpuMs }) =>
        `| ${what} | ${ms(wallMs)} ms (${ms(wallP90Ms)}), CPU ${ms(cpuMs)} ms |`,
    ),
  ].join('\n');
}
