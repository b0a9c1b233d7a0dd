/**
 * Writes the memory of a group of sentences. The model cannot write, so title, body and reason are the sentences themselves,
 * cleaned of chat, with their subject from the prompt or from the turn before. Returns nothing rather than a title that only
 * the session explains. Pure.
 */
import {
  commitsIn,
  editedFiles,
  MAX_FILES,
  type MemoryDraft,
  type MemoryKind,
  RULE_KINDS,
  withoutNotes,
  WORK_KINDS,
} from '../../core/index.ts';
import { heardIn, isSaid, standsAlone } from '../attribution.ts';
import type { ProposedAdd } from '../admitted-operations.ts';
import { quoteOf } from '../rules/draft.ts';
import { CAUSE } from '../rules/reported.ts';
import { saidBy } from '../rules/said.ts';
import { isPersonal } from '../rules/scope.ts';
import { HEDGE, ORDER, TROUBLE } from '../rules/talk.ts';
import { conceptsOf, isAlike, topicsOf } from '../rules/title.ts';
import type { Scored } from './_choose.ts';
import type { Group } from './_group.ts';
import { chosenOption } from './_options.ts';
import { agentStatement, ORDERS, userStatement } from './_statement.ts';
import type { Scene } from './_subject.ts';
import { plainTitle, withSubject, worth, type Point } from './_title.ts';

const MAX_BODY = 2;
/** Topic words that a sentence must have beyond a title made from it. */
const CUT_TOPICS = 2;
/** With this many topic words, what the user said needs no option to be understood. */
const ENOUGH_TOPICS = 4;
/** How much better a title is that names what the user chose, that the rules made, or that states the user's rule. */
const BONUS = { option: 0.35, rules: 0.3, ofUser: 0.15, order: 0.2, work: 0.2 } as const;

interface Title extends Point {
  readonly source: Scored;
  readonly value: number;
}

export function compose(group: Group, scene: Scene): ProposedAdd | undefined {
  const { members, kind } = group;
  const { turn, root } = scene;
  const title = bestTitle(group, scene);
  if (title === undefined) return undefined;
  const others = members.filter(({ unit }) => unit !== title.source.unit);
  const cause = others.find(({ unit }) => CAUSE.test(unit.text) && !HEDGE.test(unit.text));
  const reason = title.reason ?? (cause && statement(cause));
  const body = [
    ...(title.isWhole ? [] : [title.source]),
    ...others
      .filter((other) => other !== cause || title.reason !== undefined)
      .toSorted((a, b) => b.keep - a.keep)
      .slice(0, MAX_BODY),
  ]
    .toSorted((a, b) => a.at - b.at)
    .map((member) => asSentence(statement(member)))
    .filter((text) => text !== reason && saysMore(text, title.text))
    .join(' ');
  const quote = quoteFrom(group, title, scene);
  const [commit] = commitsIn(turn);
  const isRule = kind === 'preference';
  const draftFiles = isRule ? [] : editedFiles(turn, root).slice(0, MAX_FILES);
  const isFixed = kind === 'bugfix' && title.source.unit.who === 'assistant' && isFault(title.text);
  const draft: MemoryDraft = {
    kind,
    title: isFixed && draftFiles.length > 0 ? `Fixed: ${title.text}` : title.text,
    body,
    facts: commit?.hash === undefined || isRule ? [] : [`Commit ${commit.hash}: ${commit.subject}`],
    concepts: conceptsOf(title.text, body),
    files: draftFiles,
    ...(reason !== undefined && !isAlike(reason, title.text) && { reason }),
    ...(quote !== '' && { quote }),
    ...(kind === 'issue' && { state: 'open' as const }),
    ...(isRule && members.every(isAboutUser) && { personal: true }),
  };
  return { op: 'add', ends: [], quote, draft };
}

/** States a fault as if it were still there: "the reader never closes the file". */
function isFault(title: string): boolean {
  return (TROUBLE.test(title) || NEGATIVE.test(title)) && !CHANGED.test(title);
}

const NEGATIVE = /\b(?:never|not|cannot|too (?:early|late|often|long|many|much))\b|n't\b/i;
/** Says what is so now, or what was so before. */
const CHANGED =
  /\b(?:now|no longer|any ?more|instead|fix\w*|was|were|had|did|used to|caused|because|so that|\w{2,}ed)\b|→|^[A-Z]?\w+ed\b|[^\x00-\x7F]{3}/i;

/** A title that was cut is alike its own sentence, which still says more. */
function saysMore(text: string, title: string): boolean {
  return !isAlike(text, title) || topicsOf(text).size > topicsOf(title).size + CUT_TOPICS;
}

function asSentence(text: string): string {
  const ended = /[.!?:;…。！？]["'`)]*$/.test(text) ? text : `${text}.`;
  return /^\p{Ll}+\s/u.test(ended) ? ended.charAt(0).toUpperCase() + ended.slice(1) : ended;
}

function isAboutUser({ unit }: Scored): boolean {
  return unit.who === 'user' && isPersonal(unit.text);
}

/** The title of a rule that the user stated says no more than the user did, if the user's words make one. */
function bestTitle({ members, kind }: Group, scene: Scene): Title | undefined {
  const titles = members
    .flatMap((member) => titlesOf(member, kind, scene))
    .toSorted((a, b) => b.value - a.value);
  const [best] = titles;
  if (best?.source.unit.who !== 'assistant' || saidOf({ members, kind }) === undefined) return best;
  if (isSaid(best.text, heardIn(scene.turn, scene.previous))) return best;
  return titles.find(({ source, text }) => source.unit.who === 'user' && standsAlone(text)) ?? best;
}

/** The user's sentence of a rule. */
function saidOf({ members, kind }: Group): Scored | undefined {
  return RULE_KINDS.includes(kind) ? members.find((member) => member.unit.who === 'user') : undefined;
}

/** A rule is the user's if the user said it, also if the agent says the same better. */
function quoteFrom(group: Group, { source, text }: Title, { turn, previous }: Scene): string {
  const said =
    source.unit.who === 'user' || isSaid(text, heardIn(turn, previous)) ? saidOf(group) : undefined;
  const { unit } = said ?? source;
  return quoteOf(unit.raw, unit.who === 'user' ? turn.prompt : withoutNotes(turn.answer)) ?? unit.text;
}

function statement({ unit }: Scored): string {
  return unit.who === 'user' ? userStatement(unit.text) : agentStatement(unit.text);
}

/** The titles that a sentence allows, with how good they are. */
function titlesOf(source: Scored, kind: MemoryKind, scene: Scene): readonly Title[] {
  const { unit, keep } = source;
  const found: Title[] = [];
  // The change says more about a fix than its cause.
  const ofWork = WORK_KINDS.includes(kind) && source.kind === kind ? BONUS.work : 0;
  const add = (point: Point | undefined, bonus: number): void => {
    if (point) found.push({ ...point, source, value: keep + bonus + ofWork + worth(point.text) });
  };
  const said = statement(source);
  // What was asked for says nothing about what was done.
  if (unit.who === 'user' && WORK_KINDS.includes(kind) && ORDER.test(said)) return [];
  const isOrder = kind === 'preference' && ORDERS.test(said);
  const ofUser = unit.who === 'user' && (kind === 'decision' || kind === 'preference') ? BONUS.ofUser : 0;
  const plain = plainTitle(said, kind);
  add(withSubject(plain, said, unit, kind, scene), ofUser + (isOrder ? BONUS.order : 0));
  if (unit.who === 'user') {
    const quote = quoteOf(unit.raw, scene.turn.prompt);
    const byRules = saidBy(scene.turn, scene.previous).find((draft) => draft.quote === quote);
    if (byRules && topicsOf(byRules.title).size >= 2)
      add(
        {
          text: byRules.title,
          isWhole: false,
          ...(byRules.reason !== undefined && { reason: byRules.reason }),
        },
        BONUS.rules,
      );
    if (kind === 'decision' && topicsOf(said).size < ENOUGH_TOPICS)
      add(chosenOption(unit.text, said, scene), BONUS.option);
  }
  return found;
}
