/** Labelled prompts for the gate, what each was given, and how right that was. Reads labels; ranks nothing itself. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryId, type Memory, type MemoryKind, type MemoryState } from '../src/core/index.ts';
import { MemoryIndex } from '../src/database/index.ts';
import type { Asked } from './_gate-history.ts';

export interface GateLabel {
  readonly key: string;
  /**
   * Of a real prompt, hashes: a memory that holds the words one was made of is relevant, and nobody can read them here.
   * Of a written one, ids of memories. Empty: none is relevant.
   */
  readonly wants: readonly string[];
}

export interface WrittenPrompts {
  readonly index: MemoryIndex;
  readonly prompts: readonly (Asked & GateLabel)[];
}

/** Prompts that were labelled together. */
export interface GatePart {
  readonly name: string;
  readonly real: readonly GateLabel[];
  readonly written: WrittenPrompts;
}

/** What a prompt was given. */
export interface GateCase {
  readonly key: string;
  /** The name of its part. */
  readonly part: string;
  readonly real: boolean;
  readonly prompt: string;
  readonly wanted: boolean;
  readonly given: readonly { readonly title: string; readonly score: number; readonly relevant: boolean }[];
  /** Why nothing was, when nothing was. */
  readonly explanation: string;
}

export interface GateScore {
  readonly prompts: number;
  readonly withoutRelevant: number;
  /** Of those without a relevant memory, how many were given something. */
  readonly falseInjections: number;
  readonly falseShare: number;
  /** Of those with one, the share that was given one. */
  readonly recall: number;
  /** Of all memories given, the share that is relevant. */
  readonly precision: number;
}

const LABELS = join(import.meta.dirname, 'labels');
/** All but the first were held out once. The real prompts of the last three are of sessions that may not be kept here. */
const DEVELOPMENT: readonly { readonly name: string; readonly real?: string; readonly written: string }[] = [
  { name: 'first', real: 'gate-real.json', written: 'gate-written.json' },
  { name: 'fresh', real: 'gate-fresh-real.json', written: 'gate-fresh-written.json' },
  { name: 'third', real: 'gate-blind-real.json', written: 'gate-blind-written.json' },
  { name: 'fourth', written: 'gate-fourth-written.json' },
  { name: 'fifth', written: 'gate-fifth-written.json' },
  { name: 'sixth', written: 'gate-sixth-written.json' },
];
const LONGEST_WANT = 4;
/** More than any part has memories. */
const EVERY = 100_000;
const PROJECT = 'written';
/** Some days after the last memory was made. */
const DAYS_LATER = 30;

/** The parts that weights are chosen on. */
export function developmentParts(): readonly GatePart[] {
  return DEVELOPMENT.map(({ name, real, written }) =>
    partOf(name, real === undefined ? undefined : join(LABELS, real), join(LABELS, written)),
  );
}

/** Labels that no weight was chosen on: a folder with `real.json` and `written.json`, anywhere. */
export function heldOutPart(folder: string): GatePart {
  return partOf('held out', join(folder, 'real.json'), join(folder, 'written.json'));
}

function partOf(name: string, real: string | undefined, written: string): GatePart {
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  return {
    name,
    real: real === undefined ? [] : (read(real) as readonly GateLabel[]),
    written: writtenPrompts(read(written) as WrittenProject),
  };
}

/** A project of our own: what is remembered of it, and prompts of which a part has nothing to do with it. */
interface WrittenProject {
  readonly memories: readonly WrittenMemory[];
  readonly prompts: readonly (GateLabel & { readonly prompt: string; readonly first: boolean })[];
}

function writtenPrompts({ memories, prompts }: WrittenProject): WrittenPrompts {
  const index = MemoryIndex.open(':memory:');
  const made = memories.map(memoryOf);
  index.upsertMemories(made.map((memory) => ({ memory })));
  const now = laterThan(made);
  const idOf = new Map(memories.map(({ id }, i) => [id, made[i]?.id ?? '']));
  return {
    index,
    prompts: prompts.map(({ key, prompt, first, wants }) => ({
      key,
      prompt,
      first,
      session: 'now',
      project: PROJECT,
      now,
      wants: wants.map((id) => idOf.get(id) ?? id),
    })),
  };
}

export function isRelevant(memory: Memory, wants: readonly string[]): boolean {
  if (wants.length === 0) return false;
  return wants.includes(memory.id) || wants.some((want) => runsOf(memory).has(want));
}

/** Something is wanted that no memory says any more: the label needs whoever made it, and counts as missed until then. */
export function isDead(index: MemoryIndex, wants: readonly string[]): boolean {
  if (wants.length === 0) return false;
  return !index.memoriesBy({ limit: EVERY }).some((memory) => isRelevant(memory, wants));
}

const runs = new Map<string, ReadonlySet<string>>();

/** What a label may name it by: all runs of its words, each memory's worked out once. */
function runsOf({ id, title, body, reason = '', facts }: Memory): ReadonlySet<string> {
  const text = [title, body, reason, ...facts].join('\n');
  const known = runs.get(`${id}\n${text}`);
  if (known) return known;
  const said = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const made = new Set(
    said.flatMap((_, at) =>
      Array.from({ length: LONGEST_WANT }, (_, more) => wantHash(said.slice(at, at + more + 1).join(' '))),
    ),
  );
  runs.set(`${id}\n${text}`, made);
  return made;
}

/** Words in lower case with single spaces between → as labels name them. */
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
    precision: share(given.filter(({ relevant }) => relevant).length, given.length),
  };
}

interface WrittenMemory {
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

function memoryOf({
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
