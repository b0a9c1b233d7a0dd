/** Metrics of a ranking: fractional recall, NDCG, MRR, percentiles of time. Pure. */

export interface Judged {
  /** Best first. */
  readonly ranked: readonly string[];
  readonly gold: readonly string[];
  readonly ms: number;
  /** Tokens of the first ten results. */
  readonly tokens: number;
  /** The fold that the query belongs to when weights are chosen: its conversation. */
  readonly group: string;
}

export interface Quality {
  readonly queries: number;
  readonly recallAt: Readonly<Record<1 | 5 | 10, number>>;
  readonly ndcgAt10: number;
  readonly mrr: number;
  readonly p50ms: number;
  readonly p95ms: number;
  readonly tokens: number;
}

export function qualityOf(judged: readonly Judged[]): Quality {
  const times = judged.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return {
    queries: judged.length,
    recallAt: {
      1: mean(judged.map((one) => recall(one, 1))),
      5: mean(judged.map((one) => recall(one, 5))),
      10: mean(judged.map((one) => recall(one, 10))),
    },
    ndcgAt10: mean(judged.map(ndcg)),
    mrr: mean(judged.map(reciprocalRank)),
    p50ms: percentile(times, 0.5),
    p95ms: percentile(times, 0.95),
    tokens: mean(judged.map(({ tokens }) => tokens)),
  };
}

/** Returns the share of the relevant items among the first results. */
export function recall({ ranked, gold }: Pick<Judged, 'ranked' | 'gold'>, depth: number): number {
  const first = new Set(ranked.slice(0, depth));
  return gold.filter((id) => first.has(id)).length / gold.length;
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function ndcg({ ranked, gold }: Judged): number {
  const gain = (place: number): number => 1 / Math.log2(place + 2);
  const wanted = new Set(gold);
  const found = ranked.slice(0, 10).reduce((sum, id, place) => sum + (wanted.has(id) ? gain(place) : 0), 0);
  const best = gold.slice(0, 10).reduce((sum, _, place) => sum + gain(place), 0);
  return found / best;
}

function reciprocalRank({ ranked, gold }: Judged): number {
  const place = ranked.findIndex((id) => gold.includes(id));
  return place < 0 ? 0 : 1 / (place + 1);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
