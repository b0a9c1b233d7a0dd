/**
 * `npm run bench:gate-fit [-- --json] [--small DIR] [--every N]`: fits the weights of the gate on invented projects that the small model was not
 * trained on, and scores each fit on projects it has not seen. Everything it reads is in the clone, unless `--small` names
 * another model. Prints weights; changes nothing.
 */
import { parseArgs } from 'node:util';
import type { MemoryIndex } from '../src/database/index.ts';
import {
  GATE,
  PROMPT_LIMIT,
  PROMPT_NEAR_BEST,
  search,
  seenOf,
  signsOf,
  readable,
  type Signs,
} from '../src/recall/index.ts';
import { BLIND, DAILY, developmentParts, UNTRAINED, isNamed, type GateLabel } from './_gate.ts';
import type { Asked } from './_gate-history.ts';
import { fitLogistic, oddsOf, type Fit, type Sample } from './_logistic.ts';
import { cachedSmallModel, readWith } from './cached-small.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    small: { type: 'string' },
    every: { type: 'string', default: '1' },
  },
});

/** The signs of each model of the gate. */
const MODELS = {
  byWords: ['title', 'lasting', 'aside', 'length'],
  withMeaning: ['title', 'lasting', 'meaning', 'aside', 'length'],
  reading: ['title', 'meaning', 'aside', 'length', 'read'],
} as const satisfies Readonly<Record<string, readonly (keyof Signs)[]>>;
type ModelName = keyof typeof MODELS;
const NAMES = Object.keys(MODELS) as readonly ModelName[];

/** Strength of the L2 penalty. The figures are the same from a tenth to ten times this value. */
const PENALTY = 3;
/** Total weight of a prompt's irrelevant memories: for a prompt that wants nothing, and for one that wants another memory. */
const WRONG = { nothingWanted: 30, otherWanted: 9 } as const;
/** The share of prompts without a relevant memory that may get one when the floor is chosen. */
const FALSE_SHARE = 0.045;
/** Divides the log odds, so that a score is about the share of relevant memories with that score. */
const TEMPER = 2;

interface Found {
  readonly values: readonly number[];
  /** Log odds by words and meaning for the part of the prompt that the small model does not see; 0 if it sees all. */
  readonly unseen: number;
  readonly relevant: boolean;
}

interface Case {
  readonly part: string;
  readonly project: string;
  readonly wanted: boolean;
  readonly most: number;
  readonly found: readonly Found[];
}

const vectors = await BenchVectors.open();
const model = await cachedSmallModel(options.small);
const cases: Record<ModelName, Case[]> = { byWords: [], withMeaning: [], reading: [] };
/** How many prompts want something, and of how many a wanted memory was read. */
const candidates = { wanted: 0, read: 0 };
for (const { name, written } of await developmentParts(Number(options.every))) {
  if (name === BLIND) continue;
  const ways = name === DAILY ? (['reading'] as const) : NAMES;
  for (const { name: project, index, prompts } of written) {
    await vectors.embedIndex(index);
    for (const prompt of prompts)
      for (const way of ways) await collect(way, index, prompt, { part: name, project });
    index.close();
    process.stderr.write(`${project}\n`);
  }
}
await vectors.close();
const result = NAMES.map((name) => ({ name, ...fitOf(name) }));
if (options.json) console.log(JSON.stringify({ candidates, result }, null, 2));
else {
  console.log(`a wanted memory is among those read: ${candidates.read} of ${candidates.wanted}`);
  for (const { name, weights, rows } of result) {
    console.log(`\n${name}: ${weights}\n\n| projects | false injections % | recall |\n|---|---|---|`);
    for (const { part, wrong, met } of rows)
      console.log(`| ${part} | ${(wrong * 100).toFixed(1)} | ${met.toFixed(2)} |`);
  }
}

async function collect(
  way: ModelName,
  index: MemoryIndex,
  asked: Asked & GateLabel,
  from: Pick<Case, 'part' | 'project'>,
): Promise<void> {
  const { prompt, now, project, wants, maybe = [] } = asked;
  const vector = way === 'byWords' ? undefined : await vectors.query(prompt);
  const { considered } = search(index, prompt, {
    now,
    project,
    scope: 'project',
    floor: 0,
    talk: true,
    ...(vector ? { vector } : {}),
  });
  const live = considered.filter(({ memory }) => memory.state !== 'superseded');
  const pairs = way === 'reading' ? readable(index, prompt, live) : [];
  const ids = await readWith(model, pairs);
  const read = live.filter(({ memory }) => ids.has(memory.id));
  const wanted = wants.length > 0;
  if (way === 'reading' && wanted) {
    candidates.wanted++;
    if (read.some(({ memory }) => isNamed(memory, wants))) candidates.read++;
  }
  const signs = signsOf(index, prompt, considered, ids);
  const found = [...signs]
    .filter(([hit]) => (way === 'reading' ? read : live).includes(hit))
    .filter(([{ memory }]) => !maybe.includes(memory.id))
    .map(([{ memory }, its]) => ({
      values: MODELS[way].map((sign) => its[sign]),
      unseen: way === 'reading' ? unseenOf(its, seenOf(prompt)) : 0,
      relevant: isNamed(memory, wants),
    }));
  const most = asked.first ? PROMPT_LIMIT.first : PROMPT_LIMIT.later;
  cases[way].push({ ...from, wanted, most, found });
}

function fitOf(name: ModelName) {
  const all = cases[name];
  const whole = fitted(all);
  const projects = [...new Set(all.map(({ project }) => project))];
  const outcomes = projects.flatMap((project) => {
    const fit = fitted(all.filter((one) => one.project !== project));
    return all.filter((one) => one.project === project).map((one) => outcomeOf(one, fit));
  });
  const weights = MODELS[name].map((sign, i) => `${sign}: ${((whole.weights[i] ?? 0) / TEMPER).toFixed(2)}`);
  const bias = (whole.bias / TEMPER - floorOf(outcomes)).toFixed(2);
  const parts = ['all', ...new Set(all.map(({ part }) => part))];
  return {
    weights: `bias: ${bias}, weights: { ${weights.join(', ')} }`,
    rows: parts.map((part) => ({ part, ...sharesOf(outcomes, part) })),
  };
}

function fitted(some: readonly Case[]): Fit {
  const samples = some.flatMap(({ found, wanted }): readonly Sample[] => {
    const right = found.filter(({ relevant }) => relevant).length;
    const wrong = (wanted ? WRONG.otherWanted : WRONG.nothingWanted) / (found.length - right);
    return found.map(({ values, relevant }) => ({
      values,
      holds: relevant,
      weight: relevant ? 1 / right : wrong,
    }));
  });
  return fitLogistic(samples, PENALTY);
}

/** The best odds among the memories a prompt would get; `relevant` repeats them if a relevant memory is among those. */
interface Outcome {
  readonly one: Case;
  readonly best: number;
  readonly relevant: number;
}

function outcomeOf(one: Case, fit: Fit): Outcome {
  const given = one.found
    .map(({ values, unseen, relevant }) => ({ odds: oddsOf(fit, values) / TEMPER + unseen, relevant }))
    .toSorted((a, b) => b.odds - a.odds)
    .slice(0, one.most);
  const best = given[0]?.odds ?? -Infinity;
  const near = given.filter(({ odds }) => chance(odds) >= PROMPT_NEAR_BEST * chance(best));
  return { one, best, relevant: near.some((hit) => hit.relevant) ? best : -Infinity };
}

/**
 * Returns the lowest floor at which at most the allowed share of prompts that want nothing get a memory: of the clean
 * projects that were left out of training, so that the first memories of a project are not missed.
 */
function floorOf(outcomes: readonly Outcome[]): number {
  const wrong = outcomes
    .filter(({ one }) => one.part === UNTRAINED && !one.wanted)
    .map(({ best }) => best)
    .toSorted((a, b) => b - a);
  return wrong[Math.floor(wrong.length * FALSE_SHARE)] ?? 0;
}

/** Scores the prompts of a part, each project with the floor that was chosen without it. */
function sharesOf(outcomes: readonly Outcome[], part: string) {
  const asked = outcomes.filter(({ one }) => part === 'all' || one.part === part);
  const floors = new Map(
    [...new Set(asked.map(({ one }) => one.project))].map((project) => [
      project,
      floorOf(outcomes.filter(({ one }) => one.project !== project)),
    ]),
  );
  const above = (odds: number, { project }: Case): boolean => odds > (floors.get(project) ?? 0);
  const [wanted, unwanted] = [asked.filter(({ one }) => one.wanted), asked.filter(({ one }) => !one.wanted)];
  return {
    wrong: unwanted.filter(({ best, one }) => above(best, one)).length / unwanted.length,
    met: wanted.filter(({ relevant, one }) => above(relevant, one)).length / wanted.length,
  };
}

/** Returns the log odds of the present weights of words and meaning for the part that the small model does not see. */
function unseenOf(signs: Signs, seen: number): number {
  const { bias, weights } = GATE.models.withMeaning;
  const odds = Object.entries(weights).reduce<number>(
    (sum, [sign, weight]) => sum + weight * signs[sign as keyof Signs],
    bias,
  );
  return (odds * (1 - seen)) / seen;
}

function chance(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
