/** Asks the small model what the statements of a turn do to the memories before it, and adds the ends to the operations. */
import { type Memory, RULE_KINDS, type StoredTurn, WORK_KINDS } from '../../core/index.ts';
import { titleWords } from '../../database/index.ts';
import { memoryText, type Pair, type RelateScore, type SmallModel } from '../../models/index.ts';
import type { DistillInput } from '../distiller.ts';
import type { ProposedAdd, ProposedEnd, ProposedOperation } from '../admitted-operations.ts';
import { HEDGE } from '../rules/talk.ts';
import { foundBefore, issuesBefore, saysItWorks } from './_before.ts';
import type { Scored } from './_choose.ts';
import { amongMany } from './_crowd.ts';
import type { Group } from './_group.ts';
import { THRESHOLDS } from './thresholds.ts';

interface Made {
  readonly operation: ProposedAdd;
  readonly group: Group;
}

/** One question to the model: what does a statement do to a memory? */
interface Question {
  readonly memory: Memory;
  readonly pair: Pair;
  /** The new memory that states it; without one it is only a sentence of the turn. */
  readonly made?: Made;
  readonly sentence?: Scored;
}

interface Answer extends Question {
  readonly score: RelateScore;
}

/** A sentence is about a memory from this share of the words of its title on. */
const ABOUT = 0.1;

/** Returns the operations of the turn: what it adds, without repetitions and with what each ends, and what it only ends. */
export async function withEnds(
  model: SmallModel,
  made: readonly Made[],
  scored: readonly Scored[],
  input: DistillInput,
  signal: AbortSignal,
): Promise<readonly ProposedOperation[]> {
  const among = amongMany(input);
  const questions = input.related.flatMap((memory) => questionsOf(memory, made, scored, input.turn));
  const pairs = questions.map(({ pair }) => pair);
  const scores = pairs.length === 0 ? [] : await model.relate(pairs, signal);
  const answers = questions.flatMap((question, i): readonly Answer[] => {
    const score = scores[i];
    return score ? [{ ...question, score }] : [];
  });
  const repeated = new Set(answers.filter(isRepeated).map((answer) => answer.made));
  const added = made.filter((one) => !repeated.has(one));
  const endsOf = new Map(added.map((one) => [one, new Set<string>()]));
  const ended = new Map<string, ProposedEnd>();
  const work = added.find((one) => isWork(one, input.turn));
  const report = reportIn(scored);
  const confirmed = scored.find(saysItWorks);
  if (confirmed) for (const memory of issuesBefore(input)) ended.set(memory.id, endOf(memory, confirmed));
  for (const memory of foundBefore(input))
    if (work) endsOf.get(work)?.add(memory.id);
    else if (report) ended.set(memory.id, endOf(memory, report));
  for (const answer of answers) {
    const { memory, made: one, sentence } = answer;
    if (one && endsOf.has(one)) {
      const { add, issue } = THRESHOLDS.end;
      // What is open is rarely the end of something.
      const from = one.operation.draft.kind === 'issue' ? issue : add;
      const isOfUser = sentence?.unit.who === 'user';
      if (isEnded(answer, among(from, { memory, said: answer.pair.a, by: isOfUser ? 'user' : 'agent' })))
        endsOf.get(one)?.add(memory.id);
    } else if (
      sentence &&
      isEnded(answer, among(THRESHOLDS.end.only, { memory, said: answer.pair.a, by: 'sentence' }))
    )
      ended.set(memory.id, endOf(memory, sentence));
  }
  const byAdded = new Set([...endsOf.values()].flatMap((ids) => [...ids]));
  return [
    ...added.map((one) => ({ ...one.operation, ends: [...(endsOf.get(one) ?? [])] })),
    ...[...ended.values()].filter(({ id }) => !byAdded.has(id)),
  ];
}

function endOf({ id }: Memory, { unit }: Scored): ProposedEnd {
  return { op: 'end', id, quote: unit.text };
}

function questionsOf(
  memory: Memory,
  made: readonly Made[],
  scored: readonly Scored[],
  turn: StoredTurn,
): readonly Question[] {
  const b = memoryText({ ...memory, body: '', files: [] });
  const words = new Set(titleWords(memory.title));
  const share = (text: string): number => {
    const others = new Set(titleWords(text));
    return words.size === 0 ? 0 : [...words].filter((word) => others.has(word)).length / words.size;
  };
  // A fix often names none of the words of its symptom.
  const isNear = memory.kind === 'issue' && memory.provenance.session === turn.session;
  const byMade = made.flatMap((one): readonly Question[] => {
    const { draft } = one.operation;
    const isFix = WORK_KINDS.includes(draft.kind);
    if (share([draft.title, draft.body, draft.reason ?? ''].join(' ')) === 0 && !(isNear && isFix)) return [];
    return one.group.members.map((sentence) => ({
      memory,
      made: one,
      sentence,
      pair: { a: asSaid(sentence), b },
    }));
  });
  const inGroup = new Set(made.flatMap(({ group }) => group.members));
  const [about] = scored
    .filter((one) => !inGroup.has(one) && !HEDGE.test(one.unit.text))
    .map((one) => ({ one, share: share(one.unit.text) }))
    .filter((one) => one.share >= ABOUT)
    .toSorted((x, y) => y.share - x.share);
  return about ? [...byMade, { memory, sentence: about.one, pair: { a: asSaid(about.one), b } }] : byMade;
}

/** As the model was trained: without the heading above the sentence. */
function asSaid({ unit }: Scored): string {
  return `${unit.who}: ${unit.text}`;
}

function isEnded({ score, pair, memory, made }: Answer, from: number): boolean {
  if (score.supersedes + score.resolves >= from) return true;
  if (score.same < THRESHOLDS.same) return false;
  // About the same, but with another value, or fixed.
  if (changesValue(memory, pair.a)) return true;
  const kind = made?.operation.draft.kind;
  return memory.kind === 'issue' && kind !== undefined && WORK_KINDS.includes(kind);
}

/** An existing memory of the same kind already says it. */
function isRepeated({ made, memory, score, pair }: Answer): boolean {
  const kind = made?.operation.draft.kind;
  if (kind === undefined || score.same < THRESHOLDS.same) return false;
  if (changesValue(memory, pair.a)) return false;
  return kind === memory.kind || (RULE_KINDS.includes(kind) && RULE_KINDS.includes(memory.kind));
}

/** "15 minutes" and "12 minutes": both name numbers, and none in common. */
function changesValue({ title }: Memory, statement: string): boolean {
  const [before, after] = [title, statement].map((text) => new Set(text.match(/\d+(?:[.,]\d+)?/g)));
  if (!before?.size || !after?.size) return false;
  return [...after].every((number) => !before.has(number));
}

function isWork({ operation: { draft } }: Made, { tools }: StoredTurn): boolean {
  if (draft?.kind === undefined) return false;
  return WORK_KINDS.includes(draft.kind) || (draft.kind === 'decision' && tools.length > 0);
}

/** The best report of work that became no memory. */
function reportIn(scored: readonly Scored[]): Scored | undefined {
  return scored
    .filter(
      ({ unit, kind, keep }) =>
        unit.who === 'assistant' && WORK_KINDS.includes(kind) && keep >= THRESHOLDS.fix,
    )
    .toSorted((a, b) => b.keep - a.keep)[0];
}
