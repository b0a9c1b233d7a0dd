/**
 * `npm run bench:scale [-- --long] [--keep DIR] [--json]`: measures 10,000, 100,000 and (with --long) a million
 * memories: time to index, size on disk, memory, time to search. Texts and vectors are synthetic and seeded, because
 * embedding a million texts takes hours. With `--keep` the indexes stay, and a later run only searches.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MemoryIndex, SCHEMA_VERSION } from '../src/database/index.ts';
import { search, type SearchOptions } from '../src/recall/index.ts';
import { commit } from './_facts.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';

const SEED = 20_261_115;
const MODEL = 'bench:synthetic';
const BATCH = 1000;
/** Enough that the slowest 5 % are more than a few. */
const QUERIES = 500;
/** Searches before the measurement starts, because a daemon runs for hours and its code is compiled by then. */
const WARM_UP = 50;
const QUERY_WORDS = 8;
const NOW = new Date('2027-01-01T00:00:00Z');
const MB = 1024 * 1024;

const { values: options } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    size: { type: 'string', multiple: true, default: [] },
    keep: { type: 'string' },
    only: { type: 'boolean', default: false },
  },
});

/** Median and 95th percentile of wall time and of CPU time, which other load affects less. */
interface Times {
  readonly wall: readonly [number, number];
  readonly cpu: readonly [number, number];
}

interface Built {
  readonly wordsSeconds: number;
  readonly wordsCpuSeconds: number;
  readonly vectorsSeconds: number;
  readonly diskMb: number;
}

interface Figures extends Built {
  readonly memories: number;
  readonly loadMs: number;
  readonly rssMb: number;
  readonly words: Times;
  readonly both: Times;
  /** The search of a prompt: all projects, and as deep again in its own project. */
  readonly ownFirst: Times;
  readonly projectWords: Times;
  readonly projectBoth: Times;
}

if (options.only) console.log(JSON.stringify(measure(Number(options.size[0]))));
else main();

/** Runs each size in its own process, so that memory is measured separately. */
function main(): void {
  const named = options.size.map(Number);
  const sizes = named.length > 0 ? named : [10_000, 100_000, ...(options.long ? [1_000_000] : [])];
  const rows = sizes.map((size) => {
    const keep = options.keep === undefined ? [] : ['--keep', options.keep];
    const args = [fileURLToPath(import.meta.url), '--only', '--size', String(size), ...keep];
    const out = execFileSync(process.execPath, ['--no-warnings', ...args], {
      encoding: 'utf8',
      maxBuffer: MB,
    });
    return JSON.parse(out) as Figures;
  });
  const load = loadavg().map((value) => Number(value.toFixed(1)));
  if (options.json) return console.log(JSON.stringify({ commit: commit(), seed: SEED, load, rows }, null, 2));
  console.log(
    `commit ${commit()} · synthetic texts and vectors, seed ${SEED} · ${QUERIES} queries of ${QUERY_WORDS} words · load ${load.join(' ')}`,
  );
  print(
    ['memories', 'words, s', 'of it CPU', 'vectors, s', 'disk, MB', 'load, ms', 'RSS, MB'],
    rows.map((row) => [
      row.memories,
      row.wordsSeconds.toFixed(1),
      row.wordsCpuSeconds.toFixed(1),
      row.vectorsSeconds.toFixed(1),
      Math.round(row.diskMb),
      Math.round(row.loadMs),
      Math.round(row.rssMb),
    ]),
  );
  const pair = ([p50, p95]: readonly [number, number]): string => `${p50.toFixed(1)} / ${p95.toFixed(1)}`;
  print(
    ['memories', 'searched', 'wall p50 / p95 ms', 'CPU p50 / p95 ms'],
    rows.flatMap((row) =>
      (
        [
          ['words', row.words],
          ['words and meaning', row.both],
          ['words and meaning, own project first', row.ownFirst],
          ['words, one project', row.projectWords],
          ['words and meaning, one project', row.projectBoth],
        ] as const
      ).map(([name, { wall, cpu }]) => [row.memories, name, pair(wall), pair(cpu)]),
    ),
  );
}

function print(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  console.log(`\n| ${head.join(' | ')} |\n|${head.map(() => '---|').join('')}`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}

function measure(size: number): Figures {
  const kept = options.keep;
  const folder =
    kept === undefined
      ? mkdtempSync(join(tmpdir(), 'tidemark-scale-'))
      : join(kept, `${size}-schema-${SCHEMA_VERSION}-seed-${SEED}`);
  try {
    const path = join(folder, 'tidemark.db');
    const built = builtBefore(folder) ?? fill(path, folder, size);
    const index = MemoryIndex.open(path, { readOnly: true });
    const began = performance.now();
    while (!index.loadVectors());
    const loadMs = performance.now() - began;
    const figures = { memories: size, ...built, loadMs, ...searched(index) };
    index.close();
    return { ...figures, rssMb: process.memoryUsage().rss / MB };
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true });
  }
}

/** Stores the cost of building. Written last, so that an interrupted index is not taken as complete. */
function builtBefore(folder: string): Built | undefined {
  const note = join(folder, 'built.json');
  return existsSync(note) ? (JSON.parse(readFileSync(note, 'utf8')) as Built) : undefined;
}

function fill(path: string, folder: string, size: number): Built {
  rmSync(folder, { recursive: true, force: true });
  const synthetic = new Synthetic(SEED);
  const index = MemoryIndex.open(path);
  index.setVectorModel(MODEL);
  const began = performance.now();
  const cpuBefore = cpuMs();
  for (let i = 0; i < size; i += BATCH)
    index.upsertMemories(
      Array.from({ length: Math.min(BATCH, size - i) }, (_, k) => synthetic.memory(i + k)),
    );
  const indexed = performance.now();
  const wordsCpuSeconds = (cpuMs() - cpuBefore) / 1000;
  for (;;) {
    const waiting = index.unembedded(BATCH);
    if (waiting.length === 0) break;
    index.putVectors(
      MODEL,
      waiting.map((one) => ({ ...one, vector: synthetic.vector() })),
    );
  }
  const done = performance.now();
  index.checkpoint();
  index.close();
  const built = {
    wordsSeconds: (indexed - began) / 1000,
    wordsCpuSeconds,
    vectorsSeconds: (done - indexed) / 1000,
    diskMb: diskOf(folder),
  };
  writeFileSync(join(folder, 'built.json'), JSON.stringify(built));
  return built;
}

function searched(index: MemoryIndex): Omit<Figures, keyof Built | 'memories' | 'loadMs' | 'rssMb'> {
  const synthetic = new Synthetic(SEED);
  const questions = Array.from({ length: WARM_UP + QUERIES }, (_, i) => ({
    text: synthetic.text(QUERY_WORDS),
    vector: { model: MODEL, vector: synthetic.vector() },
    project: synthetic.project(i * 5),
  }));
  type Query = (typeof questions)[number];
  const times = (given: (query: Query) => Omit<SearchOptions, 'now'>): Times => {
    const all = questions.map((query) => {
      const [began, cpu] = [performance.now(), cpuMs()];
      search(index, query.text, { now: NOW, ...given(query) });
      return { wall: performance.now() - began, cpu: cpuMs() - cpu };
    });
    const taken = all.slice(WARM_UP);
    const spread = (values: readonly number[]): readonly [number, number] => {
      const sorted = values.toSorted((a, b) => a - b);
      return [percentile(sorted, 0.5), percentile(sorted, 0.95)];
    };
    return { wall: spread(taken.map(({ wall }) => wall)), cpu: spread(taken.map(({ cpu }) => cpu)) };
  };
  return {
    words: times(() => ({})),
    both: times(({ vector }) => ({ vector })),
    ownFirst: times(({ vector, project }) => ({ vector, project })),
    projectWords: times(({ project }) => ({ project, scope: 'project' })),
    projectBoth: times(({ vector, project }) => ({ vector, project, scope: 'project' })),
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function diskOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / MB;
}
