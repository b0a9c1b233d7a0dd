/**
 * `npm run bench:gate-fit -- --coding FILE --transcripts DIR [--also DIR]… [--model ID | --words]`: fits the gate's weights
 * on all development parts, and on labelled sessions that must not be in the repository (DIR: `coding.json`, `real.json`,
 * and optionally a model's `replies.jsonl`), and scores each fit on prompts it has not seen. Prints weights; changes
 * nothing.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { MemoryIndex } from '../src/database/index.ts';
import { DEFAULT_MODEL } from '../src/models/index.ts';
import {
  signsOf as gateSigns,
  PROMPT_LIMIT,
  PROMPT_NEAR_BEST,
  search,
  type Signs,
} from '../src/recall/index.ts';
import { byReplies, replay, type Asked, type Distil } from './_gate-history.ts';
import { developmentParts, isRelevant, type GateLabel } from './_gate.ts';
import { fitLogistic, oddsOf, type Fit, type Sample } from './_logistic.ts';
import { codingTurns, transcriptSessions } from './_real-turns.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({
  options: {
    coding: { type: 'string' },
    transcripts: { type: 'string' },
    model: { type: 'string', default: DEFAULT_MODEL },
    words: { type: 'boolean', default: false },
    also: { type: 'string', multiple: true, default: [] },
  },
});

const WAYS = ['words', 'words and meaning'] as const;
type Way = (typeof WAYS)[number];
const SIGNS = [
  'title',
  'names',
  'file',
  'lasting',
  'session',
  'meaning',
  'aside',
  'length',
] as const satisfies readonly (keyof Signs)[];

/** Strength of the L2 penalty. The figures are the same from a tenth to ten times this value. */
const PENALTY = 3;
/** Total weight of a prompt's irrelevant memories: for a prompt that wants nothing, and for one that wants another memory. */
const WRONG = { nothingWanted: 30, otherWanted: 9 } as const;
/**
 * The share of prompts without a relevant memory that may get one when the floor is chosen. Real and written prompts count
 * half each, whatever their number. On left-out prompts the share is a little higher. It is lower for memories made by
 * rules, because these help less when they are right.
 */
const FALSE_SHARE = { told: 0.05, byRules: 0.035 } as const;
/** Real sessions are left out a sixth at a time, each written project as a whole. */
const REAL_FOLDS = 6;
/** Number of random splits of the sessions into folds; the figures are the mean. */
const DEALS = 4;
/** Divides the log odds, so that a score is about the share of relevant memories with that score. */
const TEMPER = 2;

interface Case {
  readonly way: Way;
  readonly group: string;
  readonly real: boolean;
  /** The memories were written by a model or a person; otherwise by rules. */
  readonly told: boolean;
  /** The group is left out as a whole; otherwise its sessions are split into folds. */
  readonly whole: boolean;
  readonly wanted: boolean;
  readonly most: number;
  readonly found: readonly { readonly values: readonly number[]; readonly relevant: boolean }[];
}

const FROM: readonly (readonly [string, (one: Case) => boolean])[] = [
  ['all', () => true],
  ['real sessions', ({ real }) => real],
  ['written', ({ real }) => !real],
];

const vectors = options.words ? undefined : await BenchVectors.open(options.model);
const cases: Case[] = [];
const parts = developmentParts();
for (const { name, written } of parts) {
  if (!written) continue;
  for (const prompt of written.prompts)
    await collect(written.index, prompt, prompt, { group: name, real: false, told: true, whole: true });
}
const kept = parts.flatMap(({ real }) => real);
if (options.coding !== undefined) await collectAll([...codingTurns(options.coding).values()], kept);
if (options.transcripts !== undefined) await collectAll(await transcriptSessions(options.transcripts), kept);
for (const folder of options.also) {
  const labels = JSON.parse(readFileSync(join(folder, 'real.json'), 'utf8')) as readonly GateLabel[];
  const replies = join(folder, 'replies.jsonl');
  const distil = existsSync(replies) ? byReplies(replies) : undefined;
  await collectAll([...codingTurns(join(folder, 'coding.json')).values()], labels, folder, distil);
}
await vectors?.close();
for (const way of WAYS) {
  const some = cases.filter((one) => one.way === way);
  // Memories made by rules are too different to help the fit for written ones; the reverse does help.
  if (some.length > 0)
    tell(
      `${way}, told`,
      some.filter(({ told }) => told),
    );
  if (some.some(({ told }) => !told))
    tell(
      `${way}, by rules`,
      some.filter(({ told, real }) => !told || !real),
    );
}

async function collectAll(
  sessions: Parameters<typeof replay>[0],
  labels: readonly GateLabel[],
  group?: string,
  distil?: Distil,
): Promise<void> {
  const byKey = new Map(labels.map((label) => [label.key, label]));
  const ask = async (index: MemoryIndex, asked: Asked): Promise<void> => {
    const label = byKey.get(asked.key);
    const from = {
      group: group ?? asked.session,
      real: true,
      told: distil !== undefined,
      whole: group !== undefined,
    };
    if (label) await collect(index, asked, label, from);
  };
  await replay(sessions, ask, distil);
}

async function collect(
  index: MemoryIndex,
  asked: Asked,
  { wants }: GateLabel,
  from: Pick<Case, 'group' | 'real' | 'told' | 'whole'>,
): Promise<void> {
  await vectors?.embedIndex(index);
  for (const way of vectors ? WAYS : (['words'] as const)) {
    const vector = way === 'words' ? undefined : await vectors?.query(asked.prompt);
    const { considered } = search(index, asked.prompt, {
      now: asked.now,
      project: asked.project,
      scope: 'project',
      floor: 0,
      talk: true,
      ...(vector ? { vector } : {}),
    });
    const found = [...gateSigns(index, asked.prompt, considered)]
      .filter(([{ memory }]) => memory.state !== 'superseded')
      .map(([{ memory }, signs]) => ({
        values: SIGNS.map((sign) => signs[sign]),
        relevant: isRelevant(memory, wants),
      }));
    const most = asked.first ? PROMPT_LIMIT.first : PROMPT_LIMIT.later;
    cases.push({ ...from, way, wanted: wants.length > 0, most, found });
  }
}

function tell(name: string, some: readonly Case[]): void {
  const whole = fitted(some);
  const deals = Array.from({ length: DEALS }, (_, deal) => leftOut(some, deal));
  const floor = mean(deals.map(({ outcomes }) => floorOf(outcomes)));
  const weights = SIGNS.map((sign, i) => `${sign} ${((whole.weights[i] ?? 0) / TEMPER).toFixed(2)}`).join(
    ', ',
  );
  console.log(
    `\n${name}: ${some.length} prompts\nbias ${((whole.bias - floor) / TEMPER).toFixed(2)}, ${weights}`,
  );
  console.log('\n| prompts from | false injections % | recall |\n|---|---|---|');
  const also = options.also.map(
    (folder) => [basename(folder), ({ group }: Case) => group === folder] as const,
  );
  for (const [from, isOne] of [...FROM, ...also].filter(([, isOne]) => some.some(isOne))) {
    const shares = deals.map(({ outcomes, floors }) => sharesOf(outcomes, floors, isOne));
    const [wrong, met] = [mean(shares.map((one) => one.wrong)), mean(shares.map((one) => one.met))];
    console.log(`| ${from} | ${(wrong * 100).toFixed(1)} | ${met.toFixed(2)} |`);
  }
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
  readonly fold: string;
  readonly best: number;
  readonly relevant: number;
}

function leftOut(some: readonly Case[], deal: number) {
  const foldOf = ({ group, whole }: Case): string => (whole ? group : `sessions ${dealt(group, deal)}`);
  const folds = [...new Set(some.map(foldOf))];
  const outcomes = folds.flatMap((fold) => {
    const fit = fitted(some.filter((one) => foldOf(one) !== fold));
    return some.filter((one) => foldOf(one) === fold).map((one) => outcomeOf(one, fit, fold));
  });
  const floors = new Map(folds.map((fold) => [fold, floorOf(outcomes.filter((one) => one.fold !== fold))]));
  return { outcomes, floors };
}

function outcomeOf(one: Case, fit: Fit, fold: string): Outcome {
  const given = one.found
    .map(({ values, relevant }) => ({ odds: oddsOf(fit, values), relevant }))
    .toSorted((a, b) => b.odds - a.odds)
    .slice(0, one.most);
  const best = given[0]?.odds ?? -Infinity;
  const near = given.filter(({ odds }) => chance(odds) >= PROMPT_NEAR_BEST * chance(best));
  return {
    one,
    fold,
    best,
    relevant: near.some((hit) => hit.relevant) ? best : -Infinity,
  };
}

/** Returns the lowest floor at which at most the allowed share of prompts that want nothing get a memory. */
function floorOf(outcomes: readonly Outcome[]): number {
  const allowed = outcomes.every(({ one }) => one.told) ? FALSE_SHARE.told : FALSE_SHARE.byRules;
  const wrong = outcomes.filter(({ one }) => !one.wanted).toSorted((a, b) => b.best - a.best);
  const halves = Map.groupBy(wrong, ({ one }) => one.real);
  let share = 0;
  const first = wrong.find(({ one }) => {
    share += 1 / halves.size / (halves.get(one.real)?.length ?? 1);
    return share > allowed;
  });
  return first?.best ?? 0;
}

/** Scores each prompt with the floor that was chosen without it. */
function sharesOf(
  outcomes: readonly Outcome[],
  floors: ReadonlyMap<string, number>,
  isOne: (one: Case) => boolean,
) {
  const asked = outcomes.filter(({ one }) => isOne(one));
  const above = (odds: number, fold: string): boolean => odds > (floors.get(fold) ?? 0);
  const [wanted, unwanted] = [asked.filter(({ one }) => one.wanted), asked.filter(({ one }) => !one.wanted)];
  return {
    wrong: unwanted.filter(({ best, fold }) => above(best, fold)).length / unwanted.length,
    met: wanted.filter(({ relevant, fold }) => above(relevant, fold)).length / wanted.length,
  };
}

function dealt(group: string, deal: number): number {
  return (createHash('sha256').update(`${deal}\n${group}`).digest()[0] ?? 0) % REAL_FOLDS;
}

function chance(odds: number): number {
  return 1 / (1 + Math.exp(-odds / TEMPER));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
