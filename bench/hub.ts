/**
 * `npm run bench:hub [-- --sizes 10000,100000] [--json]`: measures the hub: size of the page, first paint, search
 * while typing, frames while scrolling, API and live stream. Uses the real daemon, Chromium and seeded memories, which are
 * created once and cached (the first run takes minutes).
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Machine } from '../test/support/machine.ts';
import { commit } from './_facts.ts';
import { apiFigures, streamFigures, type ApiFigures, type StreamFigures } from './_hub-api.ts';
import { pageFigures, type PageFigures } from './_hub-page.ts';
import { manyMemories } from './_many-memories.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000' },
    json: { type: 'boolean', default: false },
    'no-page': { type: 'boolean', default: false },
  },
});

/** Switches off background work of the daemon, which is not measured here. */
const ALONE = {
  TIDEMARK_EMBED_DRIVER: 'none',
  TIDEMARK_JOURNAL_ARCHIVE_DAYS: '0',
  TIDEMARK_BACKUP_DAYS: '0',
};

interface Figures {
  readonly memories: number;
  readonly api: ApiFigures;
  readonly page?: PageFigures;
  readonly stream: StreamFigures;
}

await main();

async function main(): Promise<void> {
  const about = { commit: commit(), node: process.version, cores: cpus().length };
  const rows: Figures[] = [];
  for (const size of options.sizes.split(',').map(Number)) rows.push(await measure(size));
  const load = loadavg()[0] ?? 0;
  if (options.json) return console.log(JSON.stringify({ ...about, load, rows }, null, 2));
  console.log(
    `commit ${about.commit}, Node ${about.node}, ${about.cores} cores, load ${load.toFixed(1)} at the end`,
  );
  for (const row of rows) print(row);
}

async function measure(size: number): Promise<Figures> {
  const machine = new Machine(ALONE);
  try {
    await manyMemories(size, machine.places.home);
    const { pid } = await machine.up();
    await machine.call('read.stats', {});
    const link = async (): Promise<string> => (await machine.call('hub.link', {})).url;
    const api = await apiFigures(await link(), pid);
    const page = options['no-page'] ? undefined : await pageFigures(link);
    const stream = await streamFigures(await link(), (draft) => machine.call('remember', { draft }));
    return { memories: size, api, stream, ...(page ? { page } : {}) };
  } finally {
    await machine.close();
  }
}

function print({ memories, api, page, stream }: Figures): void {
  console.log(`\n${memories.toLocaleString('en')} memories`);
  console.log('\n| what the API answers | p50 ms | p95 ms | CPU ms | KB |\n|---|---|---|---|---|');
  for (const [name, { p50, p95, cpuMs, kb }] of Object.entries(api))
    console.log(
      `| ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} | ${cpuMs.toFixed(1)} | ${kb.toFixed(0)} |`,
    );
  if (page) {
    console.log('\n| the page in Chromium | |\n|---|---|');
    const { bundle, paint, search, scroll } = page;
    const lines = [
      ['first view, gzipped', `${(bundle.gzipped / 1024).toFixed(1)} KB in ${bundle.files} files`],
      ['first contentful paint', `${paint.firstContentful.toFixed(0)} ms`],
      ['DOM ready', `${paint.domReady.toFixed(0)} ms`],
      ['memories of the first screen shown', `${paint.memories.toFixed(0)} ms`],
      ['figures of the overview shown', `${paint.shown.toFixed(0)} ms`],
      ['key pressed to hits shown, p50 / p95', `${search.p50.toFixed(0)} / ${search.p95.toFixed(0)} ms`],
      [
        `frames while scrolling ${scroll.rows.toLocaleString('en')} rows, p50 / p95 / longest`,
        `${scroll.p50.toFixed(1)} / ${scroll.p95.toFixed(1)} / ${scroll.longest.toFixed(0)} ms of ${scroll.frames}`,
      ],
      ['rows in the document then', String(scroll.inDocument)],
      ['memory of the page then', `${scroll.heapMb.toFixed(0)} MB`],
    ];
    for (const [name, value] of lines) console.log(`| ${name} | ${value} |`);
  }
  const { clients, listening, refused, connectMs, heardMs } = stream;
  console.log(
    `\n${clients} live streams requested: ${listening} connected, ${refused} refused with Retry-After, in ${connectMs.toFixed(0)} ms; ` +
      `a new memory reached all of them in ${heardMs.toFixed(0)} ms.`,
  );
}
