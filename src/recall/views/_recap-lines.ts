/** The lines of one project's recap, from its memories, turns and sessions. Only reads. */
import {
  evidenceOf,
  given,
  isLive,
  PERSONAL_PROJECT,
  RULE_KINDS,
  WORK_KINDS,
  type Evidence,
  type Memory,
  type MemoryKind,
  type TurnOutcome,
} from '../../core/index.ts';
import type { IndexedTurn, MemoryIndex } from '../../database/index.ts';
import { doneIn, ORDER } from '../../distill/index.ts';
import { shortStart } from '../../memory/index.ts';
import { common, compared, isAlike } from '../alike.ts';
import { nextSteps } from '../context/previous.ts';
import { isMachineMade, saysSomething } from '../context/prompt-context.ts';
import { isConfirmed, isQuotedRule } from '../context/trust.ts';
import { Collected } from './_recap-collected.ts';
import { isClear, readable, requestLine, titleLine, withReason } from './_recap-wording.ts';
import { logged, stepsOf, workItems, type Step } from './_recap-work.ts';
import type { WorkLog } from '../../storage/journal/index.ts';
import type { RecapLine, RecapLines, RecapSection } from './recap.ts';

/** The newest ones: every line is compared with all others, and no one reads more. */
const MOST_MEMORIES = 300;
const MOST_TURNS = 400;
/** How many ended memories are looked through for those that ended in this time. */
const MOST_ENDED = 500;

interface Asked {
  readonly project: string;
  readonly since: string;
  readonly log?: WorkLog;
}

/** The sources of the lines. */
interface Source extends Asked {
  readonly index: MemoryIndex;
  /** Memories of this time, oldest first. */
  readonly memories: readonly Memory[];
  /** Memories that ended in this time, and what took their place. */
  readonly ended: readonly Ending[];
  readonly turns: readonly IndexedTurn[];
}

interface Ending {
  readonly memory: Memory;
  readonly by: Memory | undefined;
}

export function projectLines(index: MemoryIndex, asked: Asked): RecapLines {
  const source: Source = {
    ...asked,
    index,
    memories: memoriesOf(index, asked),
    ended: endingsOf(index, asked),
    turns: index.turnsOf(asked.project, asked.since, MOST_TURNS),
  };
  const lines = new Collected();
  addDecided(source, lines);
  addFixed(source, lines);
  addDone(source, lines);
  addLearned(source, lines);
  addOpen(source, lines);
  return lines.sections();
}

/** Confirmed rules first, then what only the agent stated. */
function addDecided(source: Source, lines: Collected): void {
  const rules = source.memories.filter((one) => isRule(one) && isLive(one) && isDecision(source, one));
  for (const memory of [...rules.filter(isConfirmed), ...rules.filter((one) => !isConfirmed(one))]) {
    const old = replacedBy(source, memory);
    const done = isClear(memory)
      ? undefined
      : doneIn(source.index.turn(memory.provenance.turn)?.answer ?? '')?.title;
    const text = old ? changed(old, memory) : withReason(memory, 'Why', done);
    addMemory(lines, 'decided', memory, { text, isWork: done !== undefined });
  }
  for (const { memory: old, by } of source.ended) {
    if (!isRule(old) || (by && isRule(by))) continue;
    // A fix or a feature took its place.
    if (by && isLive(by) && by.provenance.turn !== old.provenance.turn)
      addMemory(lines, 'decided', by, { text: changed(old, by) });
    else if (!by && old.at < source.since)
      addMemory(lines, 'decided', old, { text: `No longer: ${titleLine(old)}` });
  }
}

/** Fixes with the problem they solved, then other issues that were resolved. */
function addFixed(source: Source, lines: Collected): void {
  const problems = source.ended.filter(({ memory }) => memory.kind === 'issue');
  const listed = new Set<string>();
  for (const memory of source.memories.filter(isLiveOf('bugfix'))) {
    const solved = problems.filter(({ by }) => by?.id === memory.id).map((one) => one.memory);
    const problem = solved.find(({ title }) => common(compared(title), compared(memory.title)).words > 0);
    const text = problem ? arrow(titleLine(problem), titleLine(memory)) : withReason(memory, 'Cause');
    if (addMemory(lines, 'fixed', memory, { text }) && problem) listed.add(problem.id);
  }
  for (const { memory } of problems) {
    if (!listed.has(memory.id)) addMemory(lines, 'fixed', memory, { text: `Resolved: ${titleLine(memory)}` });
  }
}

/** Features and refactorings, then the work of turns that no memory describes. */
function addDone(source: Source, lines: Collected): void {
  for (const memory of source.memories.filter(isLiveOf('feature', 'refactor')))
    addMemory(lines, 'done', memory, { text: titleLine(memory) });
  for (const turns of Map.groupBy(source.turns, ({ session }) => session).values()) {
    const isListed = ({ turn, commits, files }: Step): boolean =>
      lines.attach(turn.id, { commits: commits.flatMap(({ hash }) => hash ?? []), files });
    for (const item of workItems(logged(stepsOf(turns), source.log), isListed)) {
      const { text, isFix, evidence, turn, commits, files } = item;
      const line = { ...fromTurn(source.index, turn, text), evidence, commits, files };
      lines.add({ section: isFix ? 'fixed' : 'done', line, turn: turn.id });
    }
  }
}

function addLearned(source: Source, lines: Collected): void {
  for (const memory of source.memories.filter(isLiveOf('discovery', 'dead_end'))) {
    if (isQuotedRule(memory)) continue;
    const text = withReason(memory, 'Why');
    addMemory(lines, 'learned', memory, { text: memory.kind === 'dead_end' ? `Dead end: ${text}` : text });
  }
}

/** New issues, steps that were named for later, and requests that the agent did not finish. */
function addOpen(source: Source, lines: Collected): void {
  const { index, project, turns } = source;
  for (const memory of source.memories.filter(isLiveOf('issue')))
    addMemory(lines, 'open', memory, { text: titleLine(memory) });
  const known = index
    .memoriesBy({ project, limit: MOST_ENDED })
    .map((memory) => ({ memory, title: compared(memory.title) }));
  for (const [id, own] of Map.groupBy(turns, ({ session }) => session)) {
    const session = index.session(id);
    const last = own.findLast(({ origin }) => origin === 'person');
    if (!session || !last) continue;
    const add = (text: string, evidence: Evidence, about: string): boolean =>
      lines.add({
        section: 'open',
        line: { ...fromTurn(index, last, text), evidence },
        about,
        turn: last.id,
      });
    for (const step of nextSteps(index, session, known))
      add(`Next: ${readable(step)}`, 'claimed', readable(step));
    const request = unfinished(last, turns, session.status === 'active');
    if (request) add(`${request.how}: ${request.text}`, 'said', request.text);
  }
}

const UNFINISHED: Readonly<Partial<Record<TurnOutcome, string>>> = {
  open: 'Not answered',
  interrupted: 'Interrupted',
  denied: 'Stopped, a permission was denied',
  failed: 'Failed',
};

/** The last request of a session, unless it was answered, or asked again in another session. */
function unfinished(last: IndexedTurn, turns: readonly IndexedTurn[], isActive: boolean) {
  const how = last.outcome === 'open' && isActive ? 'In progress' : UNFINISHED[last.outcome];
  if (how === undefined || isMachineMade(last.prompt) || !saysSomething(last.prompt)) return undefined;
  const request = requestLine(last.prompt);
  const words = compared(request);
  const isAskedAgain = turns.some(
    (turn) =>
      turn.at > last.at && turn.origin === 'person' && isAlike(compared(requestLine(turn.prompt)), words),
  );
  return isAskedAgain ? undefined : { how, text: request };
}

/** Memories of this time, oldest first. A personal memory belongs to the project in which the user said it. */
function memoriesOf(index: MemoryIndex, { project, since }: Asked): readonly Memory[] {
  const listing = { since, limit: MOST_MEMORIES };
  const personal = index.memoriesBy({ ...listing, project: PERSONAL_PROJECT });
  const homeOf = ({ provenance }: Memory): string =>
    index.session(provenance.session)?.project ?? PERSONAL_PROJECT;
  const own = project === PERSONAL_PROJECT ? [] : index.memoriesBy({ ...listing, project });
  return [...own, ...personal.filter((memory) => homeOf(memory) === project)].toSorted(
    (a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id),
  );
}

function endingsOf(index: MemoryIndex, { project, since }: Asked): readonly Ending[] {
  const ended = [
    ...index.memoriesBy({ project, kind: 'issue', state: 'resolved', limit: MOST_ENDED }),
    ...index.memoriesBy({ project, kind: RULE_KINDS, state: 'superseded', limit: MOST_ENDED }),
  ];
  return ended
    .map((memory) => ({ memory, by: successorOf(index, memory) }))
    .filter(({ memory, by }) => (memory.ended?.at ?? by?.at ?? memory.at) >= since)
    .toSorted((a, b) => a.memory.at.localeCompare(b.memory.at));
}

/** The memory that is in its place now. */
function successorOf(index: MemoryIndex, memory: Memory, seen: readonly string[] = []): Memory | undefined {
  const id = memory.supersededBy ?? memory.resolvedBy ?? memory.ended?.by;
  const next = id === undefined || seen.includes(id) ? undefined : index.memory(id);
  if (!next) return undefined;
  return isLive(next) ? next : (successorOf(index, next, [...seen, memory.id]) ?? next);
}

/** The rule that a rule replaced in this time: the oldest one, if there were several. Another wording is no change. */
function replacedBy({ ended }: Source, memory: Memory): Memory | undefined {
  const words = compared(memory.title);
  return ended.find(
    ({ memory: old, by }) =>
      by?.id === memory.id &&
      RULE_KINDS.includes(old.kind) &&
      old.provenance.turn !== memory.provenance.turn &&
      !isAlike(compared(old.title), words),
  )?.memory;
}

function isRule(memory: Memory): boolean {
  return RULE_KINDS.includes(memory.kind) && !isQuotedRule(memory);
}

/** Not an order that its own turn carried out ("Move it into its own file"), and not the rest of a sentence. */
function isDecision({ memories }: Source, { kind, title, provenance }: Memory): boolean {
  if (FRAGMENT.test(title)) return false;
  if (kind !== 'decision' || !ORDER.test(title)) return true;
  return !memories.some((one) => WORK_KINDS.includes(one.kind) && one.provenance.turn === provenance.turn);
}

const FRAGMENT = /^(?:otherwise|because|which|so that)\b/i;

function changed(old: Memory, memory: Memory): string {
  return `Changed: ${arrow(titleLine(old), titleLine(memory))}`;
}

function arrow(before: string, after: string): string {
  return `${before} → ${after}`;
}

/** Returns whether the line is new. */
function addMemory(
  lines: Collected,
  section: RecapSection,
  memory: Memory,
  { text, isWork = WORK_KINDS.includes(memory.kind) }: { readonly text: string; readonly isWork?: boolean },
): boolean {
  const { id, kind, at, title, author, provenance, files } = memory;
  const line: RecapLine = {
    text,
    at,
    memory: id,
    kind,
    evidence: evidenceOf(memory),
    ...given({ author, session: provenance.session || undefined }),
    ...(WORK_KINDS.includes(kind) && files.length > 0 ? { files } : {}),
  };
  return lines.add({
    section,
    line,
    about: title,
    turn: provenance.turn,
    isWork,
    hasReason: memory.reason !== undefined,
  });
}

function fromTurn(index: MemoryIndex, turn: IndexedTurn, text: string): Omit<RecapLine, 'evidence'> {
  return { text, at: turn.at, turn: shortStart(index, 'turn', turn.id), session: turn.session };
}

function isLiveOf(...kinds: readonly MemoryKind[]): (memory: Memory) => boolean {
  return (memory) => kinds.includes(memory.kind) && isLive(memory);
}
