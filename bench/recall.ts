/**
 * `npm run bench:recall -- --locomo FILE --coding FILE [--json]`: how well what is asked for is found, by words alone, by
 * meaning alone and by both, through the index and the recall of the product. Prints figures, judges nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { search, searchSessions, tokenCost } from '../src/recall/index.ts';
import { loadCoding } from './_coding.ts';
import { loadLocomo, sessionOf } from './_locomo.ts';
import { qualityOf, type Judged, type Quality } from './_ranking.ts';

const DEEP_ENOUGH = 50;

const { values: options } = parseArgs({
  options: {
    locomo: { type: 'string' },
    coding: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const rows: { readonly data: string; readonly by: string; readonly quality: Quality }[] = [];
if (options.locomo !== undefined) locomo(options.locomo);
if (options.coding !== undefined) coding(options.coding);
print();

function locomo(file: string): void {
  const turns: Judged[] = [];
  const sessions: Judged[] = [];
  for (const { id, index, now, questions } of loadLocomo(file)) {
    for (const { text, evidence } of questions) {
      const common = { now, project: id, limit: DEEP_ENOUGH };
      const found = timed(() => search(index, text, { ...common, floor: 0 }).hits);
      turns.push({
        ranked: found.value.map(({ memory }) => memory.provenance.turn),
        gold: evidence,
        ms: found.ms,
        tokens: found.value.slice(0, 10).reduce((sum, { cost }) => sum + cost, 0),
        group: id,
      });
      const about = timed(() => searchSessions(index, text, common));
      sessions.push({
        ranked: about.value.map(({ session }) => session),
        gold: [...new Set(evidence.map(sessionOf))],
        ms: about.ms,
        tokens: 0,
        group: id,
      });
    }
    index.close();
  }
  rows.push({ data: 'LoCoMo turns', by: 'words', quality: qualityOf(turns) });
  rows.push({ data: 'LoCoMo sessions', by: 'words', quality: qualityOf(sessions) });
}

function coding(file: string): void {
  const { index, now, project, queries } = loadCoding(file);
  const judged = queries.map(({ text, gold }): Judged => {
    const found = timed(() => searchSessions(index, text, { now, project, limit: DEEP_ENOUGH }));
    const tokens = found.value
      .slice(0, 10)
      .flatMap(({ turns }) => turns.slice(0, 1))
      .reduce((sum, id) => sum + tokenCost(index.turn(id)?.prompt ?? ''), 0);
    return { ranked: found.value.map(({ session }) => session), gold, ms: found.ms, tokens, group: '' };
  });
  rows.push({ data: 'coding sessions', by: 'words', quality: qualityOf(judged) });
  index.close();
}

function timed<T>(work: () => T): { readonly value: T; readonly ms: number } {
  const began = performance.now();
  const value = work();
  return { value, ms: performance.now() - began };
}

function print(): void {
  const facts = { commit: commit(), data: dataHash() };
  if (options.json) return console.log(JSON.stringify({ ...facts, rows }, null, 2));
  console.log(`commit ${facts.commit} · data ${facts.data}`);
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
}

function dataHash(): string {
  const hash = createHash('sha256');
  for (const file of [options.locomo, options.coding])
    if (file !== undefined) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', 'src', 'bench') === '' ? '' : '+changes';
  return `${git('rev-parse', '--short', 'HEAD')}${dirty}`;
}
