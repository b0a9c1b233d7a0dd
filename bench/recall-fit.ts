/**
 * `npm run bench:recall-fit -- --locomo FILE --coding FILE [--words] [--every N]`: were the weights of search fitted too closely?
 * Tries a few settings of each, chooses the best on all conversations but one, and scores it on that one; coding queries
 * in six parts. Prints the shipped setting, the best on everything and the one chosen without the scored part.
 */
import { parseArgs } from 'node:util';
import type { QueryVector } from '../src/database/index.ts';
import { MEANING, NEAR_WEIGHTS, search, searchSessions, SESSION_WHOLE, TEXT } from '../src/recall/index.ts';
import { loadCoding } from './_coding.ts';
import { loadLocomo, sessionOf } from './_locomo.ts';
import { recall } from './_ranking.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: {
    locomo: { type: 'string' },
    coding: { type: 'string' },
    words: { type: 'boolean', default: false },
    /** Every nth question of LoCoMo. */
    every: { type: 'string', default: '1' },
  },
});

const PARTS = 6;
const DEEP = 10;

/** The weights are constants of the product; only here they change for a moment. */
type Setting = readonly [weights: object, values: object];

const FAMILIES: Readonly<Record<string, readonly Setting[]>> = {
  'saturation and length (TEXT)': [0.3, 0.6, 0.9, 1.2].flatMap((saturation) =>
    [0, 0.15, 0.4, 0.75].map((byLength): Setting => [TEXT, { saturation, byLength }]),
  ),
  'neighbours (NEAR_WEIGHTS)': [0, 0.2, 0.4, 0.6, 0.8].map((near): Setting => [
    NEAR_WEIGHTS,
    [near, near / 2],
  ]),
  'meaning (MEANING.weight)': [0, 0.3, 0.5, 0.7, 1, 1.4].map((weight): Setting => [MEANING, { weight }]),
  'whole sessions (SESSION_WHOLE)': [0, 0.2, 0.4, 0.6, 0.8].flatMap((weight) =>
    [0.15, 0.5, 0.75].map((byLength): Setting => [SESSION_WHOLE, { weight, byLength }]),
  ),
};

/** The recall of one question, and the part of the data it belongs to. */
interface Scored {
  readonly part: string;
  readonly value: number;
}

interface Measure {
  readonly name: string;
  readonly run: () => readonly Scored[];
}

const vectors = options.words ? undefined : await BenchVectors.open();
const measures: Measure[] = [];
if (options.locomo !== undefined) measures.push(...(await locomo(options.locomo)));
if (options.coding !== undefined) measures.push(await coding(options.coding));
console.log('| weights | data | shipped | best on all | chosen without the part it is scored on |');
console.log('|---|---|---|---|---|');
for (const [family, settings] of Object.entries(FAMILIES))
  for (const measure of measures) fit(family, settings, measure);
await vectors?.close();

function fit(family: string, settings: readonly Setting[], { name, run }: Measure): void {
  const shipped = run();
  const tried = settings.map((setting) => withWeights(setting, run));
  const parts = [...new Set(shipped.map(({ part }) => part))];
  const bestFor = (isSeen: (part: string) => boolean): readonly Scored[] =>
    tried.reduce((a, b) => (meanOf(b, isSeen) > meanOf(a, isSeen) ? b : a));
  const all = (): boolean => true;
  const unseen = parts.flatMap((left) =>
    bestFor((part) => part !== left).filter(({ part }) => part === left),
  );
  const percent = (scored: readonly Scored[]): string => (meanOf(scored, all) * 100).toFixed(1);
  console.log(`| ${[family, name, percent(shipped), percent(bestFor(all)), percent(unseen)].join(' | ')} |`);
}

function withWeights([weights, values]: Setting, run: () => readonly Scored[]): readonly Scored[] {
  const before = structuredClone(weights);
  Object.assign(weights, values);
  try {
    return run();
  } finally {
    Object.assign(weights, before);
  }
}

function meanOf(scored: readonly Scored[], isSeen: (part: string) => boolean): number {
  const seen = scored.filter(({ part }) => isSeen(part));
  return seen.reduce((sum, { value }) => sum + value, 0) / Math.max(1, seen.length);
}

async function locomo(file: string): Promise<readonly Measure[]> {
  const asked: {
    readonly of: ReturnType<typeof loadLocomo>[number];
    readonly text: string;
    readonly evidence: readonly string[];
    readonly vector: { readonly vector?: QueryVector };
  }[] = [];
  for (const of of loadLocomo(file)) {
    await vectors?.embedIndex(of.index);
    for (const [i, { text, evidence }] of of.questions.entries())
      if (i % Number(options.every) === 0) asked.push({ of, text, evidence, vector: await vectorOf(text) });
  }
  return [
    {
      name: 'LoCoMo turns, R@10',
      run: () =>
        asked.map(({ of: { id, index, now }, text, evidence, vector }) => {
          const { hits } = search(index, text, { now, project: id, limit: DEEP, floor: 0, ...vector });
          const ranked = hits.map(({ memory }) => memory.provenance.turn);
          return { part: id, value: recall({ ranked, gold: evidence }, DEEP) };
        }),
    },
    {
      name: 'LoCoMo sessions, R@10',
      run: () =>
        asked.map(({ of: { id, index, now }, text, evidence, vector }) => {
          const found = searchSessions(index, text, { now, project: id, limit: DEEP, ...vector });
          const gold = [...new Set(evidence.map(sessionOf))];
          return { part: id, value: recall({ ranked: found.map(({ session }) => session), gold }, DEEP) };
        }),
    },
  ];
}

async function coding(file: string): Promise<Measure> {
  const { index, now, project, queries } = loadCoding(file);
  await vectors?.embedIndex(index);
  const asked = await Promise.all(
    queries.map(async ({ text, gold }, i) => ({
      text,
      gold,
      vector: await vectorOf(text),
      part: String(i % PARTS),
    })),
  );
  return {
    name: 'coding sessions, R@5',
    run: () =>
      asked.map(({ text, gold, vector, part }) => {
        const found = searchSessions(index, text, { now, project, limit: DEEP, ...vector });
        return { part, value: recall({ ranked: found.map(({ session }) => session), gold }, 5) };
      }),
  };
}

async function vectorOf(text: string): Promise<{ readonly vector?: QueryVector }> {
  const vector = await vectors?.query(text);
  return vector ? { vector } : {};
}
