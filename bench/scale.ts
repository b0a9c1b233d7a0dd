/**
 * `npm run bench:scale [-- --long] [--json]`: what 10,000, 100,000 and (with --long) a million memories cost: time to
 * index, size on disk, memory, time to search. Texts and vectors are synthetic and seeded: embedding a million is hours.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MemoryIndex } from '../src/index/index.ts';
import { search } from '../src/recall/index.ts';
import { percentile } from './_ranking.ts';
import { Synthetic } from './_synthetic.ts';

const SEED = 20_261_115;
const MODEL = 'bench:synthetic';
const BATCH = 1000;
const QUERIES = 100;
const QUERY_WORDS = 8;
const NOW = new Date('2027-01-01T00:00:00Z');
const MB = 1024 * 1024;

const { values: options } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    size: { type: 'string' },
    only: { type: 'boolean', default: false },
  },
});

interface Figures {
  readonly memories: number;
  readonly wordsSeconds: number;
  readonly vectorsSeconds: number;
  readonly diskMb: number;
  readonly loadMs: number;
  readonly rssMb: number;
  readonly words: readonly [number, number];
  readonly both: readonly [number, number];
  readonly project: readonly [number, number];
  /** Per search by both, which is what a busy machine cannot blur. */
  readonly cpuMs: number;
}

if (options.only) console.log(JSON.stringify(measure(Number(options.size))));
else main();

/** Each size in a process of its own, so that its memory is its own. */
function main(): void {
  const sizes = options.size
    ? [Number(options.size)]
    : [10_000, 100_000, ...(options.long ? [1_000_000] : [])];
  const rows = sizes.map((size) => {
    const args = [fileURLToPath(import.meta.url), '--only', '--size', String(size)];
    const out = execFileSync(process.execPath, ['--no-warnings', ...args], {
      encoding: 'utf8',
      maxBuffer: MB,
    });
    return JSON.parse(out) as Figures;
  });
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  if (options.json) return console.log(JSON.stringify({ commit, seed: SEED, rows }, null, 2));
  console.log(
    `commit ${commit} · synthetic texts and vectors, seed ${SEED} · ${QUERIES} queries of ${QUERY_WORDS} words`,
  );
  console.log(
    '\n| memories | words, s | vectors, s | disk, MB | load, ms | RSS, MB | words p50/p95 ms | both p50/p95 ms | CPU ms | both, one project p50/p95 ms |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const row of rows) {
    const pair = ([p50, p95]: readonly [number, number]): string => `${p50.toFixed(1)} / ${p95.toFixed(1)}`;
    const cells = [
      row.memories,
      row.wordsSeconds.toFixed(1),
      row.vectorsSeconds.toFixed(1),
      Math.round(row.diskMb),
    ];
    const rest = [
      Math.round(row.loadMs),
      Math.round(row.rssMb),
      pair(row.words),
      pair(row.both),
      row.cpuMs.toFixed(1),
      pair(row.project),
    ];
    console.log(`| ${[...cells, ...rest].join(' | ')} |`);
  }
}

function measure(size: number): Figures {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-scale-'));
  try {
    const path = join(folder, 'tidemark.db');
    const made = fill(path, size);
    const index = MemoryIndex.open(path, { readOnly: true });
    const began = performance.now();
    while (!index.loadVectors());
    const loadMs = performance.now() - began;
    const figures = { ...made, diskMb: diskOf(folder), loadMs, ...searched(index) };
    index.close();
    return { memories: size, ...figures, rssMb: process.memoryUsage().rss / MB };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fill(path: string, size: number): Pick<Figures, 'wordsSeconds' | 'vectorsSeconds'> {
  const synthetic = new Synthetic(SEED);
  const index = MemoryIndex.open(path);
  index.setVectorModel(MODEL);
  const began = performance.now();
  for (let i = 0; i < size; i += BATCH)
    index.upsertMemories(
      Array.from({ length: Math.min(BATCH, size - i) }, (_, k) => synthetic.memory(i + k)),
    );
  const indexed = performance.now();
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
  return { wordsSeconds: (indexed - began) / 1000, vectorsSeconds: (done - indexed) / 1000 };
}

function searched(index: MemoryIndex): Pick<Figures, 'words' | 'both' | 'project' | 'cpuMs'> {
  const synthetic = new Synthetic(SEED);
  const queries = Array.from({ length: QUERIES }, (_, i) => ({
    text: synthetic.text(QUERY_WORDS),
    vector: { model: MODEL, vector: synthetic.vector() },
    project: synthetic.project(i * 5),
  }));
  const times = (run: (query: (typeof queries)[number]) => unknown): readonly [number, number] => {
    const sorted = queries
      .map((query) => {
        const began = performance.now();
        run(query);
        return performance.now() - began;
      })
      .toSorted((a, b) => a - b);
    return [percentile(sorted, 0.5), percentile(sorted, 0.95)];
  };
  for (const { text, vector } of queries.slice(0, 10)) search(index, text, { now: NOW, vector });
  const words = times(({ text }) => search(index, text, { now: NOW }));
  const before = process.cpuUsage();
  const both = times(({ text, vector }) => search(index, text, { now: NOW, vector }));
  const { user, system } = process.cpuUsage(before);
  return {
    words,
    both,
    cpuMs: (user + system) / 1000 / QUERIES,
    project: times(({ text, vector, project }) =>
      search(index, text, { now: NOW, vector, project, scope: 'project' }),
    ),
  };
}

function diskOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / MB;
}
