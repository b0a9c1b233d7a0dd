/**
 * `npm run bench:recall -- --locomo FILE --coding FILE [--words] [--read] [--noise] [--json]`: measures retrieval
 * by words, by meaning and by both, through the index and the recall of the product; with `--read` also re-ranked by the
 * small model, with `--noise` how much of it may be chance. Prints figures; asserts nothing.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { QueryVector } from '../src/database/index.ts';
import { memoryText } from '../src/models/index.ts';
import { entryCost, search, searchSessions, tokenCost, type By } from '../src/recall/index.ts';
import { commit } from './_facts.ts';
import { spreadOf, type Spread } from './_bootstrap.ts';
import { loadCoding } from './_coding.ts';
import { loadLocomo, sessionOf } from './_locomo.ts';
import { qualityOf, recall, type Judged, type Quality } from './_ranking.ts';
import { cachedSmallModel } from './cached-small.ts';
import { BenchVectors } from './_vectors.ts';

const DEEP_ENOUGH = 50;
const READ = 'both, re-ranked by read';
/** How many of the best the small model reads and puts in a new order. */
const RE_RANKED = 10;

const { values: options } = parseArgs({
  options: {
    locomo: { type: 'string' },
    coding: { type: 'string' },
    words: { type: 'boolean', default: false },
    read: { type: 'boolean', default: false },
    groups: { type: 'boolean', default: false },
    noise: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly data: string;
  readonly by: By | typeof READ;
  readonly quality: Quality;
  /** Of R@5 and R@10. */
  readonly spreads?: readonly [Spread, Spread];
}

const vectors = options.words ? undefined : await BenchVectors.open();
const ways: readonly By[] = vectors ? ['words', 'meaning', 'both'] : ['words'];
const model = options.read && vectors ? await cachedSmallModel() : undefined;
const rows: Row[] = [];
if (options.locomo !== undefined) await locomo(options.locomo);
if (options.coding !== undefined) await coding(options.coding);
print();
await vectors?.close();

async function locomo(file: string): Promise<void> {
  const turns = new Map<By, Judged[]>(ways.map((by) => [by, []]));
  const sessions = new Map<By, Judged[]>(ways.map((by) => [by, []]));
  const read: Judged[] = [];
  for (const { id, index, now, questions } of loadLocomo(file)) {
    await vectors?.embedIndex(index);
    for (const { text, evidence } of questions) {
      const vector = await vectors?.query(text);
      for (const by of ways) {
        const common = { now, project: id, limit: DEEP_ENOUGH, by, ...given(vector) };
        const found = timed(() => search(index, text, { ...common, floor: 0 }).hits);
        turns.get(by)?.push({
          ranked: found.value.map(({ memory }) => memory.provenance.turn),
          gold: evidence,
          ms: found.ms,
          tokens: found.value.slice(0, 10).reduce((sum, { cost }) => sum + cost, 0),
          group: id,
        });
        if (by === 'both' && model) {
          const texts = found.value.map(({ memory }) => ({
            id: memory.provenance.turn,
            text: memoryText(memory),
          }));
          read.push(await reRanked(text, texts, evidence));
        }
        const about = timed(() => searchSessions(index, text, common));
        sessions.get(by)?.push({
          ranked: about.value.map(({ session }) => session),
          gold: [...new Set(evidence.map(sessionOf))],
          ms: about.ms,
          tokens: about.value
            .slice(0, 10)
            .map(({ memories }) => index.memory(memories[0] ?? ''))
            .reduce((sum, memory) => sum + (memory ? entryCost(memory) : 0), 0),
          group: id,
        });
      }
    }
    index.close();
  }
  add('LoCoMo turns', turns);
  if (model) rows.push({ data: 'LoCoMo turns', by: READ, quality: qualityOf(read) });
  add('LoCoMo sessions', sessions);
}

async function coding(file: string): Promise<void> {
  const { index, now, project, queries } = loadCoding(file);
  await vectors?.embedIndex(index);
  const judged = new Map<By, Judged[]>(ways.map((by) => [by, []]));
  const read: Judged[] = [];
  for (const { text, gold } of queries) {
    const vector = await vectors?.query(text);
    for (const by of ways) {
      const found = timed(() =>
        searchSessions(index, text, { now, project, limit: DEEP_ENOUGH, by, ...given(vector) }),
      );
      const tokens = found.value
        .slice(0, 10)
        .flatMap(({ turns }) => turns.slice(0, 1))
        .reduce((sum, id) => sum + tokenCost(index.turn(id)?.prompt ?? ''), 0);
      judged.get(by)?.push({
        ranked: found.value.map(({ session }) => session),
        gold,
        ms: found.ms,
        tokens,
        group: '',
      });
      if (by === 'both' && model) {
        const texts = found.value.map(({ session, turns }) => ({
          id: session,
          text: index.turn(turns[0] ?? '')?.prompt ?? '',
        }));
        read.push(await reRanked(text, texts, gold));
      }
    }
  }
  add('coding sessions', judged);
  if (model) rows.push({ data: 'coding sessions', by: READ, quality: qualityOf(read) });
  index.close();
}

/** Puts the best into the order of the small model. */
async function reRanked(
  question: string,
  found: readonly { readonly id: string; readonly text: string }[],
  gold: readonly string[],
): Promise<Judged> {
  const best = found.slice(0, RE_RANKED);
  const pairs = best.map(({ text }) => ({ a: question, b: text }));
  const odds = (await model?.read(pairs, new AbortController().signal)) ?? [];
  const order = best.map(({ id }, i) => ({ id, odds: odds[i] ?? 0 })).toSorted((a, b) => b.odds - a.odds);
  const ranked = [...order, ...found.slice(RE_RANKED)].map(({ id }) => id);
  return { ranked, gold, ms: 0, tokens: 0, group: '' };
}

function given(vector: QueryVector | undefined): { readonly vector?: QueryVector } {
  return vector ? { vector } : {};
}

function add(data: string, judged: ReadonlyMap<By, readonly Judged[]>): void {
  for (const [by, all] of judged) {
    const spread = (depth: number): Spread =>
      spreadOf(all.map((one) => ({ group: one.group, value: recall(one, depth) })));
    const spreads = options.noise ? { spreads: [spread(5), spread(10)] as const } : {};
    rows.push({ data, by, quality: qualityOf(all), ...spreads });
    if (!options.groups) continue;
    for (const [group, some] of Map.groupBy(all, (one) => one.group))
      rows.push({ data: `${data} ${group}`, by, quality: qualityOf(some) });
  }
}

function timed<T>(work: () => T): { readonly value: T; readonly ms: number } {
  const began = performance.now();
  const value = work();
  return { value, ms: performance.now() - began };
}

function print(): void {
  const embedding =
    vectors && vectors.made > 0 ? { texts: vectors.made, msEach: vectors.ms / vectors.made } : null;
  const facts = { commit: commit(), data: dataHash(), model: vectors ? 'small' : null, embedding };
  if (options.json) return console.log(JSON.stringify({ ...facts, rows }, null, 2));
  console.log(`commit ${facts.commit} · data ${facts.data} · model ${facts.model ?? 'none'}`);
  if (embedding) console.log(`${embedding.texts} texts embedded, ${embedding.msEach.toFixed(0)} ms each`);
  console.log('\n| data | by | queries | R@1 | R@5 | R@10 | NDCG@10 | MRR | p50 ms | p95 ms | tokens |');
  console.log('|---|---|---|---|---|---|---|---|---|---|---|');
  for (const { data, by, quality } of rows) {
    const { recallAt, ndcgAt10, mrr, p50ms, p95ms, tokens } = quality;
    const shares = [recallAt[1], recallAt[5], recallAt[10], ndcgAt10].map((share) =>
      (share * 100).toFixed(1),
    );
    const times = [p50ms, p95ms].map((ms) => ms.toFixed(1));
    console.log(
      `| ${[data, by, quality.queries, ...shares, mrr.toFixed(3), ...times, Math.round(tokens)].join(' | ')} |`,
    );
  }
  if (options.noise) printNoise();
}

/** Prints how much two samples of this size may differ by chance. */
function printNoise(): void {
  const percent = (share: number): string => (share * 100).toFixed(1);
  const cells = ({ mean: [low, high], difference }: Spread): string =>
    `${percent(low)} to ${percent(high)} | ±${percent(difference)}`;
  console.log(
    '\n| data | by | R@5, 95 % | two samples | R@10, 95 % | two samples |\n|---|---|---|---|---|---|',
  );
  for (const { data, by, spreads } of rows)
    if (spreads) console.log(`| ${[data, by, ...spreads.map(cells)].join(' | ')} |`);
}

function dataHash(): string {
  const hash = createHash('sha256');
  for (const file of [options.locomo, options.coding])
    if (file !== undefined) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}
