/** The distiller of the small model: chooses sentences, groups and composes them, and compares them with existing memories. */
import {
  commitsIn,
  editedFiles,
  RULE_KINDS,
  SMALL_MAKER,
  type StoredTurn,
  type ToolCall,
  withoutNotes,
  WORK_KINDS,
} from '../../core/index.ts';
import type { SmallModel } from '../../models/index.ts';
import { SHARE } from '../attribution.ts';
import type { Distiller } from '../distiller.ts';
import { admissionOf } from '../admission.ts';
import { admittedOperations } from '../admitted-operations.ts';
import { endingsOf } from '../rules/ended.ts';
import { FINE, FOR_NOW, isChat, ORDER } from '../rules/talk.ts';
import { isSurelyOpen, scoreUnits, type Scored } from './_choose.ts';
import { compose } from './_compose.ts';
import { best, type Group, groupsOf, isLeft } from './_group.ts';
import { withEnds } from './_relations.ts';
import { userStatement } from './_statement.ts';
import { THRESHOLDS } from './thresholds.ts';

/** More memories from one turn would not be read. */
const MAX_MEMORIES = 4;

export function smallDistiller(model: SmallModel): Distiller {
  return {
    name: SMALL_MAKER,
    async distill(input, signal) {
      const { previous, root } = input;
      const turn = withoutItsNotes(input.turn);
      const admission = admissionOf(turn, previous);
      if (!admission.admitted) return { operations: [] };
      const edited = editedFiles(turn, root).length > 0 || commitsIn(turn).length > 0;
      const scored = await scoreUnits(model, { turn, previous, answer: admission.answer, edited }, signal);
      const chosen = chosenOf(scored).filter((one) => edited || !isPlanned(one));
      const acted = edited || turn.tools.some(isAction);
      const groups = groupsOf(chosen, { edited, acted }).map((group) =>
        edited ? withFix(group, scored) : group,
      );
      const made = groups
        .filter((group) => isWorthMemory(group, edited))
        .toSorted((a, b) => best(b.members) - best(a.members))
        .slice(0, MAX_MEMORIES)
        .flatMap((group) => {
          const operation = compose(group, { turn, previous, root });
          return operation ? [{ operation, group }] : [];
        });
      const proposed = await withEnds(model, made, scored, input, signal);
      const find = (id: string) => input.related.find((memory) => memory.id === id);
      const over = endingsOf(turn, previous);
      const ended = over === undefined ? [] : input.related.filter(over);
      return {
        operations: [
          ...admittedOperations(proposed, { turn, previous, share: SHARE.said }, admission, find),
          ...ended.map(({ id }) => ({ op: 'end' as const, id })),
        ],
      };
    },
  };
}

/** A command, or a tool of another program; not a read or a search. */
function isAction({ command, target, read }: ToolCall): boolean {
  return command !== undefined || (target === undefined && read.length === 0);
}

/** The agent writes its notes at the end, so the report becomes shorter by them. */
function withoutItsNotes(turn: StoredTurn): StoredTurn {
  const answer = withoutNotes(turn.answer);
  const { report } = turn;
  if (report === undefined) return { ...turn, answer };
  return { ...turn, answer, report: Math.max(0, report - (turn.answer.length - answer.length)) };
}

/** A report of the user that the agent did not fix at once must be surer than others: it stays open. */
function chosenOf(scored: readonly Scored[]): readonly Scored[] {
  const { issue, keep } = THRESHOLDS;
  const isFixed = scored.some((one) => isReport(one) && one.keep >= keep);
  return scored.filter((one) => {
    if (isRemark(one) || isFine(one)) return false;
    const isOpen = !isFixed && one.kind === 'issue' && one.unit.who === 'user';
    const from = isOpen ? issue.said : isTask(one) ? THRESHOLDS.task : keep;
    return one.keep >= (NAMES_LINE.test(one.unit.text) ? THRESHOLDS.line : from);
  });
}

/** "Line 98 still says", "`provider.go:482`": a remark of a review; the next edit moves the line. */
const NAMES_LINE =
  /\blines? \d+|\.(?:[cm]?[jt]sx?|c|h|cc|cpp|cs|css|exs?|go|html?|java|json|kt|lua|md|php|py|rb|rs|scala|sh|sql|swift|toml|vue|ya?ml):\d+/i;

/** "Set up the schema", "move it before we stop for today": what to do next is rarely worth a memory. */
function isTask({ unit, kind }: Scored): boolean {
  if (unit.who !== 'user' || kind === 'issue') return false;
  return [unit.text, userStatement(unit.text)].some((text) => ORDER.test(text)) || FOR_NOW.test(unit.text);
}

/** "Move the check to the handler": in a turn without a change it is a proposal of the agent. */
function isPlanned({ unit, kind, isLeft }: Scored): boolean {
  return unit.who === 'assistant' && isLeft !== true && kind !== 'issue' && ORDER.test(unit.text);
}

/** "I just checked", "that is fine": no rule and no decision, unless the rules find one in it. */
function isRemark({ unit, kind, isStated }: Scored): boolean {
  return unit.who === 'user' && RULE_KINDS.includes(kind) && isStated !== true && isChat(unit.text);
}

/** "It still prompts twice, which is fine": no open issue. */
function isFine({ unit, kind, isStated }: Scored): boolean {
  return unit.who === 'assistant' && kind === 'issue' && isStated !== true && FINE.test(unit.text);
}

function isReport({ unit, kind }: Scored): boolean {
  return unit.who === 'assistant' && WORK_KINDS.includes(kind);
}

/** An issue of a turn that also reports the work on it is fixed, unless it says that it is not. */
function withFix(group: Group, scored: readonly Scored[]): Group {
  const { kind, members } = group;
  if (kind !== 'issue' || isLeft(members) || members.some(isSurelyOpen)) return group;
  const [fix] = scored
    .filter((one) => isReport(one) && one.keep >= THRESHOLDS.fix)
    .toSorted((a, b) => b.keep - a.keep);
  if (!fix) return group;
  const all = members.includes(fix) ? members : [...members, fix].toSorted((a, b) => a.at - b.at);
  return { members: all, kind: 'bugfix' };
}

/** A sentence alone must be better than one of several. */
function isWorthMemory({ members, kind }: Group, edited: boolean): boolean {
  const isReported = members.every(({ unit }) => unit.who === 'assistant');
  if (kind === 'issue') {
    const { found, analysed } = THRESHOLDS.issue;
    const isSure =
      edited || isLeft(members) || members.some(({ issue, isStated }) => isStated || issue >= analysed);
    return !isReported || (isSure && best(members) >= found);
  }
  // A user reports faults and states rules, but no work.
  if (WORK_KINDS.includes(kind) && members.every(({ unit }) => unit.who === 'user')) return false;
  const { alone, reported } = THRESHOLDS;
  if (isReported) return best(members) >= (members.length > 1 ? reported.several : reported.alone);
  return members.length > 1 || best(members) >= alone;
}
