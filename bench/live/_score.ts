/** Compares what a memory contains after a played project with the project's labels. Pure. */
import type { Keep, LabelledFile } from '../labelled-sessions.ts';
import type { Known } from './_projects.ts';

/** A memory after the last turn. */
export interface Entry extends Known {
  readonly body: string;
  readonly reason?: string;
  readonly facts?: readonly string[];
  readonly state: string;
  /** Other turns that it rests on. */
  readonly alsoKeys: readonly string[];
  /** The writer: `agent`, or a part of the product. */
  readonly by: string;
  readonly supersededBy?: string;
}

export const MEASURES = [
  'in force, remembered',
  'open right',
  'ended, still live',
  'noise',
  'kind right',
  'title carries the point',
] as const;
export type Measure = (typeof MEASURES)[number];
export interface Share {
  readonly count: number;
  readonly of: number;
}
export type Shares = Readonly<Record<Measure, Share>>;

export interface Score {
  readonly shares: Shares;
  /** One line for each label that is missing or wrong, and for each entry that nobody would keep. */
  readonly misses: readonly string[];
}

/** The share of a label's words that an entry must have: of the same turn, of another turn. */
const NEAR = 0.5;
const FAR = 0.8;
const TITLE = 0.5;

export function score({ keep, end }: LabelledFile, entries: readonly Entry[]): Score {
  const live = entries.filter(({ state }) => state === 'current' || state === 'open');
  const holds = keep.filter(({ id }) => end.holds.includes(id));
  const open = keep.filter(({ id }) => end.open.includes(id));
  const ended = keep.filter((one) => one.until !== undefined && !holds.includes(one) && !open.includes(one));
  const lineages = new Map(entries.map((entry) => [entry, lineage(entry, entries)]));
  const counts = (label: Keep, entry: Entry): boolean =>
    lineages.get(entry)?.some((one) => matches(label, one)) ?? false;

  const missed = holds.filter((k) => !entries.some((e) => e.state === 'current' && counts(k, e)));
  const notOpen = open.filter((k) => !entries.some((e) => e.state === 'open' && counts(k, e)));
  const isOfHold = (entry: Entry): boolean => holds.some((label) => matches(label, entry));
  const stillLive = ended.flatMap((label) => {
    const entry = live.find((one) => matches(label, one) && !isOfHold(one));
    return entry ? [{ label, entry }] : [];
  });
  const noise = live.filter((entry) => !keep.some((label) => counts(label, entry)));
  const pairs = live.flatMap((entry) => {
    const label = [...holds, ...open].find((one) => counts(one, entry));
    return label ? [{ label, entry }] : [];
  });
  const carries = pairs.filter(({ label, entry }) => cover(bag(label.title), bag(entry.title)) >= TITLE);
  return {
    shares: {
      'in force, remembered': { count: holds.length - missed.length, of: holds.length },
      'open right': { count: open.length - notOpen.length, of: open.length },
      'ended, still live': { count: stillLive.length, of: ended.length },
      noise: { count: noise.length, of: live.length },
      'kind right': {
        count: pairs.filter(({ label, entry }) => label.kind === entry.kind).length,
        of: pairs.length,
      },
      'title carries the point': { count: carries.length, of: pairs.length },
    },
    misses: [
      ...missed.map(({ turn, title }) => `missed ${turn} ${title}`),
      ...notOpen.map(({ turn, title }) => `not open ${turn} ${title}`),
      ...stillLive.map(({ label, entry }) => `still live ${label.turn} ${label.title} <- ${entry.title}`),
      ...noise.map((one) => `noise ${one.turnKey} ${one.kind} by ${one.by}: ${one.title}`),
    ],
  };
}

export function total(scores: readonly Score[]): Shares {
  const sum = (measure: Measure, part: 'count' | 'of'): number =>
    scores.reduce((all, { shares }) => all + shares[measure][part], 0);
  const of = (measure: Measure): Share => ({ count: sum(measure, 'count'), of: sum(measure, 'of') });
  return Object.fromEntries(MEASURES.map((measure) => [measure, of(measure)])) as Shares; // every measure
}

export function matches(label: Keep, entry: Entry): boolean {
  const words = bag(
    [entry.title, entry.body, entry.reason, ...(entry.facts ?? [])].filter(Boolean).join(' '),
  );
  const covered = Math.max(cover(bag(label.title), words), cover(bag(label.quote), words));
  const isNear = entry.turnKey === label.turn || entry.alsoKeys.includes(label.turn);
  return covered >= (isNear ? NEAR : FAR);
}

/** An entry, and those that the agent replaced with it, which counts for their labels. */
function lineage(entry: Entry, entries: readonly Entry[]): readonly Entry[] {
  const others = entries.filter((one) => one !== entry); // two that replace each other end here
  const replaced = others.filter(({ supersededBy }) => entry.by === 'agent' && supersededBy === entry.id);
  return [entry, ...replaced.flatMap((old) => lineage(old, others))];
}

const STOP_WORDS = new Set(
  `a an the of to in on for and or is are was were be it its this that with by at as from not no we i you they he she do does did so if
then than into over under out up our your their has have had will would should can could may might must just only also when where which
who what why how all any each more most some such use used uses using`.split(/\s+/),
);
const JAPANESE_OR_CHINESE = /[\u3040-\u30ff\u3400-\u9fff]/;

/** The words of a text without endings and stop words, or its pairs of characters where words have no spaces. */
function bag(text: string): ReadonlySet<string> {
  if (JAPANESE_OR_CHINESE.test(text)) {
    const characters = text.replace(/\s+/g, '');
    return new Set(Array.from({ length: characters.length - 1 }, (_, i) => characters.slice(i, i + 2)));
  }
  const words = text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [];
  const stems = words.map((word) => word.replace(/^[./-]+|[./-]+$/g, '').replace(/(ing|ed|es|s)$/, ''));
  return new Set(stems.filter((stem) => stem.length > 1 && !STOP_WORDS.has(stem)));
}

function cover(words: ReadonlySet<string>, by: ReadonlySet<string>): number {
  return [...words].filter((word) => by.has(word)).length / (words.size || 1);
}
