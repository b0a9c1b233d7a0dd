/** Labelled prompts for the gate, the memories each prompt got, and the scores. Reads labels; ranks nothing itself. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { memoryId, type Memory, type MemoryKind, type MemoryState } from '../src/core/index.ts';
import { MemoryIndex } from '../src/database/index.ts';
import type { Asked } from './_gate-history.ts';

export interface GateLabel {
  readonly key: string;
  /**
   * The relevant memories; empty if there are none. For a written prompt: ids of memories. For a real prompt: marks, which
   * are hashes of runs of words, because the text itself must not be in the repository. A mark names every memory that
   * contains the run.
   */
  readonly wants: readonly string[];
  /** Memories that may help: two careful readers could disagree. Injecting one counts neither for nor against the gate. */
  readonly maybe?: readonly string[];
  /** The round that chose a real prompt; docs/research/gate.md describes the rounds. All labels are of round 14. */
  readonly round?: number;
}

export interface WrittenPrompts {
  /** The project. */
  readonly name: string;
  readonly index: MemoryIndex;
  readonly prompts: readonly (Asked & GateLabel)[];
}

/** Labelled prompts of real sessions or of invented projects; a held-out part may have both. */
export interface GatePart {
  readonly name: string;
  readonly real: readonly GateLabel[];
  readonly written: readonly WrittenPrompts[];
}

/** A prompt and the memories it got. */
export interface GateCase {
  readonly key: string;
  /** The name of the part. */
  readonly part: string;
  readonly real: boolean;
  readonly prompt: string;
  readonly wanted: boolean;
  readonly given: readonly { readonly title: string; readonly score: number; readonly relevant: boolean }[];
  /** The reason, when the prompt got nothing. */
  readonly explanation: string;
}

export interface GateScore {
  readonly prompts: number;
  readonly withoutRelevant: number;
  /** Prompts without a relevant memory that got one anyway. */
  readonly falseInjections: number;
  readonly falseShare: number;
  /** Of the prompts with a relevant memory, the share that got one. */
  readonly recall: number;
  readonly injected: number;
  /** Of all injected memories, the share that is relevant. */
  readonly precision: number;
}

const LABELS = join(import.meta.dirname, 'labels');
const RELEVANCE = join(import.meta.dirname, '..', 'train', 'data', 'relevance');
/** One file per project: `gate-<project>-real.json` or `gate-<project>-written.json`. */
const REAL = ['getspecstory', 'session-share'] as const;
/** Invented projects, in the order in which they were written. */
const WRITTEN = ['web-shop', 'parcels', 'smart-meters', 'hiking-map', 'sheet-music', 'wildlife'] as const;
const LONGEST_WANT = 4;
/** More memories than any part has. */
const EVERY = 100_000;
const PROJECT = 'written';
/** Prompts are asked this long after the newest memory. */
const DAYS_LATER = 30;

/** The projects on which the small model was not trained. The gate is fitted on the first two, and the last are used for nothing. */
export const UNTRAINED = 'projects left out of training';
export const DAILY = 'daily work';
export const BLIND = 'blind projects';

/** Returns memories of other projects that fill a project up. */
export type Fill = (project: WrittenProject) => Promise<readonly WrittenMemory[]>;

/**
 * Returns the parts that can be published: invented projects, and labels of real sessions that are read by path.
 * @param every takes every so many of the projects that were left out of training; all of them take an hour
 */
export async function developmentParts(every = 1, fill: Fill = async () => []): Promise<readonly GatePart[]> {
  const six = WRITTEN.map((name) => ({ name, ...readProject(join(LABELS, `gate-${name}-written.json`)) }));
  const heldOut = relevance((name) => !isBlind(name) && isHeldOut(name));
  const untrained = heldOut.filter(({ name }) => !isDaily(name));
  const daily = heldOut.filter(({ name }) => isDaily(name));
  const filled = (some: readonly WrittenProject[]): Promise<readonly WrittenPrompts[]> =>
    Promise.all(some.map(async (project) => writtenPrompts(project, await fill(project))));
  return [
    { name: 'six projects', real: [], written: await filled(six) },
    { name: UNTRAINED, real: [], written: await filled(untrained.filter((_, i) => i % every === 0)) },
    { name: DAILY, real: [], written: await filled(daily.filter((_, i) => i % every === 0)) },
    { name: BLIND, real: [], written: await filled(relevance(isBlind)) },
    ...REAL.map((name) => ({ name, real: readLabels(name), written: [] })),
  ];
}

/** Returns the labels of real prompts; their sessions are read by path. */
export function realLabels(): readonly GateLabel[] {
  return REAL.flatMap(readLabels);
}

function readLabels(name: string): readonly GateLabel[] {
  return readReal(join(LABELS, `gate-${name}-real.json`));
}

/** As in train/inputs.py. */
const isBlind = (name: string): boolean => name.startsWith('t-');
const isHeldOut = (name: string): boolean => crc32(name) % 5 === 0;
/** Noisy memories, and prompts as they are typed. */
const isDaily = (name: string): boolean => /^(?:daily|desk|work)-/.test(name);

/** Reads labels on which no weight was chosen: a folder anywhere with `real.json` and `written.json`. */
export function heldOutPart(folder: string): GatePart {
  return {
    name: 'held out',
    real: readReal(join(folder, 'real.json')),
    written: [writtenPrompts({ name: 'held out', ...readProject(join(folder, 'written.json')) })],
  };
}

/** The projects of the small model's data whose name is chosen. */
function relevance(isChosen: (name: string) => boolean): readonly WrittenProject[] {
  return readdirSync(RELEVANCE)
    .map((file) => file.replace(/\.json$/, ''))
    .filter(isChosen)
    .toSorted()
    .map((name) => {
      const { memories, prompts } = JSON.parse(readFileSync(join(RELEVANCE, `${name}.json`), 'utf8')) as {
        readonly memories: readonly Omit<WrittenMemory, 'at'>[];
        readonly prompts: readonly {
          readonly text: string;
          readonly wants: string[];
          readonly maybe?: string[];
        }[];
      };
      return {
        name,
        // The small model writes no search phrases.
        memories: memories.map((memory, i) => ({ ...memory, concepts: [], at: dayOf(i) })),
        prompts: prompts
          .map(({ text, wants, maybe = [] }, i) => ({
            key: `${name}#${i}`,
            prompt: text,
            first: false,
            wants,
            maybe,
          }))
          .filter(({ wants, maybe }) => wants.length > 0 || maybe.length === 0),
      };
    });
}

/** The projects whose memories fill up others: all of the small model's data that is not blind. */
export function fillers(): readonly WrittenProject[] {
  return relevance((name) => !isBlind(name));
}

function dayOf(i: number): string {
  return new Date(Date.UTC(2026, 0, 1 + i)).toISOString();
}

function readReal(file: string): readonly GateLabel[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly GateLabel[];
}

function readProject(file: string): Omit<WrittenProject, 'name'> {
  return JSON.parse(readFileSync(file, 'utf8')) as Omit<WrittenProject, 'name'>;
}

/** An invented project: its memories, and prompts, some of which have nothing to do with the memories. */
export interface WrittenProject {
  readonly name: string;
  readonly memories: readonly WrittenMemory[];
  readonly prompts: readonly (GateLabel & { readonly prompt: string; readonly first: boolean })[];
}

function writtenPrompts(
  { name, memories, prompts }: WrittenProject,
  others: readonly WrittenMemory[] = [],
): WrittenPrompts {
  const index = MemoryIndex.open(':memory:');
  const made = memories.map(memoryOf);
  index.upsertMemories([...made, ...others.map(memoryOf)].map((memory) => ({ memory })));
  const now = laterThan(made);
  const idOf = new Map(memories.map(({ id }, i) => [id, made[i]?.id ?? '']));
  const named = (ids: readonly string[]): readonly string[] => ids.map((id) => idOf.get(id) ?? id);
  return {
    name,
    index,
    prompts: prompts.map(({ key, prompt, first, wants, maybe = [] }) => ({
      key,
      prompt,
      first,
      session: 'now',
      project: PROJECT,
      now,
      wants: named(wants),
      maybe: named(maybe),
    })),
  };
}

/** Tells whether a label's list names this memory. */
export function isNamed(memory: Memory, names: readonly string[]): boolean {
  if (names.length === 0) return false;
  return names.includes(memory.id) || names.some((name) => runsOf(memory).has(name));
}

/** Tells whether a label wants text that no memory contains any more. It counts as missed until it is labelled again. */
export function isDead(index: MemoryIndex, wants: readonly string[]): boolean {
  if (wants.length === 0) return false;
  return !index.memoriesBy({ limit: EVERY }).some((memory) => isNamed(memory, wants));
}

/** Marks per memory: a later distiller may cut a memory differently, and one mark that remains is enough. */
const MARKS = 3;

/**
 * Returns a function that finds the marks of a memory: long runs of words that no other text has, from its beginning,
 * middle and end. A memory without such a run is named by its id.
 */
export function marksIn(index: MemoryIndex): (id: string) => readonly string[] {
  const texts = new Map(index.memoriesBy({ limit: EVERY }).map((memory) => [textOf(memory), memory]));
  const uses = new Map<string, number>();
  for (const memory of texts.values())
    for (const run of runsOf(memory)) uses.set(run, (uses.get(run) ?? 0) + 1);
  return (id) => {
    const memory = index.memory(id);
    const own = memory ? longRuns(memory).filter((run) => uses.get(run) === 1) : [];
    const steps = Array.from({ length: MARKS }, (_, i) => Math.round((i * (own.length - 1)) / (MARKS - 1)));
    return own.length === 0 ? [id] : [...new Set(steps.map((at) => own[at] ?? id))];
  };
}

const runs = new Map<string, ReadonlySet<string>>();

/** Returns the hashes of all runs of words of a memory, which labels refer to. Cached per memory. */
function runsOf(memory: Memory): ReadonlySet<string> {
  const key = `${memory.id}\n${textOf(memory)}`;
  const known = runs.get(key);
  if (known) return known;
  const said = wordsOf(memory);
  const made = new Set(
    said.flatMap((_, at) =>
      Array.from({ length: LONGEST_WANT }, (_, more) => wantHash(said.slice(at, at + more + 1).join(' '))),
    ),
  );
  runs.set(key, made);
  return made;
}

function longRuns(memory: Memory): readonly string[] {
  const said = wordsOf(memory);
  const count = Math.max(0, said.length - LONGEST_WANT + 1);
  return Array.from({ length: count }, (_, at) => wantHash(said.slice(at, at + LONGEST_WANT).join(' ')));
}

function wordsOf(memory: Memory): readonly string[] {
  return (
    textOf(memory)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function textOf({ title, body, reason = '', facts }: Memory): string {
  return [title, body, reason, ...facts].join('\n');
}

/** Hashes words in lower case, separated by single spaces, in the form used in labels. */
function wantHash(words: string): string {
  return createHash('sha256').update(`want\n${words}`).digest('hex').slice(0, 12);
}

export function gateScore(cases: readonly GateCase[]): GateScore {
  const [wanted, unwanted] = [cases.filter((one) => one.wanted), cases.filter((one) => !one.wanted)];
  const falseInjections = unwanted.filter(({ given }) => given.length > 0).length;
  const met = wanted.filter(({ given }) => given.some(({ relevant }) => relevant)).length;
  const given = cases.flatMap((one) => one.given);
  return {
    prompts: cases.length,
    withoutRelevant: unwanted.length,
    falseInjections,
    falseShare: share(falseInjections, unwanted.length),
    recall: share(met, wanted.length),
    injected: given.length,
    precision: share(given.filter(({ relevant }) => relevant).length, given.length),
  };
}

export interface WrittenMemory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly title: string;
  readonly body?: string;
  readonly reason?: string;
  readonly files?: readonly string[];
  readonly concepts?: readonly string[];
  readonly at: string;
  readonly state?: MemoryState;
}

export function memoryOf({
  id,
  body = '',
  files = [],
  concepts = [],
  state = 'current',
  ...rest
}: WrittenMemory): Memory {
  return {
    ...rest,
    id: memoryId(rest.at, id, rest.kind, 0),
    body,
    files,
    state,
    facts: [],
    concepts,
    project: PROJECT,
    provenance: { agent: 'bench', session: `session-${id}`, turn: id, messages: [], by: 'bench' },
  };
}

function laterThan(memories: readonly Memory[]): Date {
  return new Date(Math.max(...memories.map(({ at }) => Date.parse(at))) + DAYS_LATER * 86_400_000);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
