/**
 * Turns the labelled data into training examples, with the same sentences and inputs as the product. One JSON object per
 * line, to standard output:
 *
 *   node train/examples.ts [--sessions DIR,DIR] [--relevance DIR,DIR] [--relate DIR,DIR] [--pairs FILE]
 *
 * keep:   about, sentences, project, turn; units: for each sentence its kind (a kind, `none`, or `part` for another sentence of a
 *         kept matter) and the ids of its labels, or null for one that is only context; short: the sentence with its neighbours
 *         only, as the product's second look has it
 * relate: a, b, project, label (same, supersedes, resolves, nothing, or stays: same or nothing); made: the product made the memory
 * read:   a, list of memories with labels (1, 0, -1 = unclear), project; for a long prompt what is read of it with each memory
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { labelWords } from '../bench/label-words.ts';
import type { Keep, LabelledFile, LabelledTurn } from '../bench/labelled-sessions.ts';
import type { MemoryKind, ToolCall } from '../src/core/index.ts';
import { PASSAGE, passagesOf, asRead, unitsOf, type Unit, type UnitPassage } from '../src/distill/index.ts';
import { queryWords, tokensOf } from '../src/database/index.ts';
import { memoryText } from '../src/models/index.ts';
import { focusOf, rarityIn } from '../src/recall/index.ts';
import { endingOf, shareOf } from './_labels.ts';

interface RelevanceFile {
  readonly memories: readonly {
    readonly id: string;
    readonly kind: MemoryKind;
    readonly title: string;
    readonly body?: string;
    readonly reason?: string;
    readonly files?: readonly string[];
  }[];
  readonly prompts: readonly {
    readonly text: string;
    readonly wants: readonly string[];
    readonly maybe?: readonly string[];
    /** The memories that the labeller read, if not all. */
    readonly among?: readonly string[];
  }[];
}

interface RelatePair {
  readonly old: { readonly kind: MemoryKind; readonly title: string; readonly body?: string };
  readonly new: string;
  readonly label: 'same' | 'supersedes' | 'resolves' | 'nothing';
}

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: 'train/data/sessions' },
    relevance: { type: 'string', default: 'train/data/relevance,train/data/made/relevance' },
    relate: { type: 'string', default: 'train/data/relate' },
    pairs: { type: 'string', default: 'train/data/made/pairs.jsonl.gz' },
  },
});

/** A sentence is the labelled one if this share of its words, or of the quote's, is in the other. */
const QUOTED_FROM = 0.6;
/** Another sentence of the turn tells a part of the matter from this share of the title's words on. */
const PART_FROM = 0.3;
const PART_WORDS = 2;
/** A sentence of the turn that ended something tells of the end from this share of its title's words on. */
const ENDS_FROM = 0.2;
/** The same, if the label names its replacement already. */
const MENTIONS_FROM = 0.35;
/** An ordinary sentence, which ends nothing, mentions less of the title. */
const ORDINARY_BELOW = 0.5;

const counts = new Map<string, number>();
for (const [name, text] of files(options.sessions)) sessions(name, JSON.parse(text) as LabelledFile);
for (const [name, text] of files(options.relevance)) relevance(name, JSON.parse(text) as RelevanceFile);
for (const [name, text] of files(options.relate)) relate(name, JSON.parse(text) as readonly RelatePair[]);
for (const line of gunzipSync(readFileSync(options.pairs)).toString('utf8').trim().split('\n'))
  emit({ task: 'relate', ...(JSON.parse(line) as { label: string }), made: true });
console.error([...counts].map(([what, count]) => `${what} ${count}`).join('\n'));

function sessions(project: string, { sessions: all, keep }: LabelledFile): void {
  const order = new Map<string, number>();
  const unitsIn = new Map<string, readonly Unit[]>();
  for (const session of all)
    for (const [n, turn] of session.turns.entries()) {
      const key = `${session.id}.${n + 1}`;
      order.set(key, order.size);
      const before = session.turns[n - 1];
      const units = unitsOf(turnOf(turn));
      unitsIn.set(key, units);
      const passages = (chars: number): readonly UnitPassage[] =>
        passagesOf(units, turnOf(turn), before && turnOf(before), chars);
      const own = keep.filter((one) => one.turn === key);
      keepExamples(project, key, passages(PASSAGE.long), own);
      keepExamples(project, key, passages(PASSAGE.short), own, true);
    }
  relateExamples(project, keep, order, unitsIn);
}

function keepExamples(
  project: string,
  turn: string,
  passages: readonly UnitPassage[],
  keeps: readonly Keep[],
  isShort = false,
): void {
  const found = new Set<string>();
  const labelled = (unit: Unit): object => {
    const owners = keeps.filter((keep) => isQuoted(unit, keep));
    for (const { id } of owners) found.add(id);
    const kind = owners[0]?.kind ?? (keeps.some((keep) => isPart(unit, keep)) ? 'part' : 'none');
    count(`sentence ${kind}`);
    return { who: unit.who, kind, keeps: owners.map(({ id }) => id) };
  };
  for (const { about, sentences, units } of passages)
    emit({
      task: 'keep',
      project,
      turn,
      ...(isShort ? { short: true } : {}),
      about,
      sentences,
      units: units.map((unit) => (unit ? labelled(unit) : null)),
    });
  for (const keep of keeps) {
    count('keeps');
    if (!found.has(keep.id)) {
      count('keeps without a sentence');
      if (process.env['SHOW']) console.error(project, turn, keep.who, JSON.stringify(keep.quote));
    }
  }
}

function isQuoted(unit: Unit, { who, quote }: Keep): boolean {
  if (who !== 'both' && who !== unit.who) return false;
  const [a, b] = [labelWords(unit.text), labelWords(quote)];
  if (a.length === 0 || b.length === 0) return ` ${norm(quote)} `.includes(` ${norm(unit.text)} `);
  return shareOf(a, b) >= QUOTED_FROM || shareOf(b, a) >= QUOTED_FROM;
}

function isPart(unit: Unit, { title, why = '' }: Keep): boolean {
  const words = labelWords(`${title} ${why}`);
  const share = shareOf(words, labelWords(unit.text));
  return share >= PART_FROM && share * words.length >= PART_WORDS;
}

/**
 * The product compares sentences with memories whose title is a good one or a sentence that was said, so both forms are
 * used; positives in both, the many negatives in one of them.
 */
function relateExamples(
  project: string,
  keep: readonly Keep[],
  order: ReadonlyMap<string, number>,
  unitsIn: ReadonlyMap<string, readonly Unit[]>,
): void {
  const at = (turn: string): number => order.get(turn) ?? 0;
  for (const [n, old] of keep.entries()) {
    const forms = [textOf(old), textOf({ ...old, title: old.quote })];
    const form = (k: number): string => forms[(n + k) % forms.length] ?? '';
    const pair = (a: string, b: string, label: Relation): void =>
      emit({ task: 'relate', project, a, b, label });
    pair(saidIn(old), textOf(old), 'same');
    for (const a of endingsOf(old, keep, unitsIn)) for (const b of forms) pair(a, b, endingOf(old, keep));
    const isBefore = (turn: string): boolean =>
      at(turn) >= at(old.turn) && (old.until === undefined || at(turn) < at(old.until));
    for (const [k, other] of keep.entries())
      if (other !== old && other.id !== old.by && isBefore(other.turn))
        pair(saidIn(other), form(k), 'nothing');
    const ordinary = [...unitsIn]
      .filter(([turn]) => turn !== old.turn && isBefore(turn))
      .flatMap(([, units]) => units)
      .filter(({ text }) => shareOf(labelWords(old.title), labelWords(text)) < ORDINARY_BELOW);
    for (const k of [1, 2, 3]) {
      const unit = ordinary[(n * 7 + k * 13) % Math.max(1, ordinary.length)];
      if (unit) pair(asRead(unit), form(k), 'nothing');
    }
  }
}

type Relation = RelatePair['label'];

function saidIn({ who, quote }: Keep): string {
  return `${who === 'assistant' ? 'assistant' : 'user'}: ${quote}`;
}

/** Returns what was said when it ended: the words of its replacement, and the sentence of that turn that mentions most of it. */
function endingsOf(
  old: Keep,
  keep: readonly Keep[],
  unitsIn: ReadonlyMap<string, readonly Unit[]>,
): readonly string[] {
  if (old.until === undefined) return [];
  const by = keep.find(({ id }) => id === old.by);
  const [best] = (unitsIn.get(old.until) ?? [])
    .filter(({ text }) => by === undefined || !norm(by.quote).includes(norm(text)))
    .map((unit) => ({ unit, share: shareOf(labelWords(old.title), labelWords(unit.text)) }))
    .toSorted((x, y) => y.share - x.share);
  const found = best !== undefined && best.share >= (by ? MENTIONS_FROM : ENDS_FROM);
  if (!found && !by) count('ends without a sentence');
  return [...(by ? [saidIn(by)] : []), ...(found ? [asRead(best.unit)] : [])];
}

function textOf({ kind, title, why }: Keep): string {
  return memoryText({ kind, title, body: '', files: [], ...(why === undefined ? {} : { reason: why }) });
}

function relevance(project: string, { memories, prompts }: RelevanceFile): void {
  const texts = memories.map((one) => memoryText({ body: '', files: [], ...one }));
  const rarity = rarityIn(frequenciesIn(texts));
  for (const { text, wants, maybe = [], among } of prompts) {
    const isUnclear = (id: string): boolean => maybe.includes(id) || (among && !among.includes(id)) === true;
    const focus = focusOf(text, () => rarity);
    const parts = texts.map(focus);
    emit({
      task: 'read',
      project,
      ...(among ? { made: true } : {}),
      a: text,
      ...(parts.some((part) => part !== text) ? { parts } : {}),
      memories: texts,
      labels: memories.map(({ id }) => (wants.includes(id) ? 1 : isUnclear(id) ? -1 : 0)),
    });
  }
}

/** In how many of the memories a token is, as the index counts it. */
function frequenciesIn(texts: readonly string[]): Parameters<typeof rarityIn>[0] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const token of new Set(queryWords(text).flatMap(tokensOf)))
      counts.set(token, (counts.get(token) ?? 0) + 1);
  return { rows: texts.length, counts };
}

function relate(project: string, pairs: readonly RelatePair[]): void {
  for (const { old, new: statement, label } of pairs)
    emit({ task: 'relate', project, a: statement, b: memoryText({ body: '', files: [], ...old }), label });
}

function turnOf({ user, assistant, tools = [] }: LabelledTurn): Parameters<typeof unitsOf>[0] {
  return {
    prompt: user,
    answer: assistant,
    tools: tools.map(({ name, input, output }, i): ToolCall => {
      const { command, file_path: file } = input as { command?: string; file_path?: string };
      return {
        id: String(i),
        name,
        ...(command === undefined ? {} : { command }),
        status: /\b(?:error|failed|fatal|not found)\b/i.test(output) ? 'error' : 'ok',
        errors: [],
        read: [],
        edited: /Edit|Write/.test(name) && file !== undefined ? [file] : [],
        output,
      };
    }),
  };
}

function norm(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function* files(folders: string): Generator<readonly [string, string]> {
  for (const folder of folders.split(',').filter(Boolean))
    for (const name of readdirSync(folder).toSorted())
      if (name.endsWith('.json')) yield [name.slice(0, -5), readFileSync(join(folder, name), 'utf8')];
}

function emit(example: {
  readonly task: string;
  readonly kind?: string;
  readonly label?: string;
  readonly [key: string]: unknown;
}): void {
  count(`${example.task} ${example.kind ?? example.label ?? ''}`.trim());
  console.log(JSON.stringify(example));
}

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
