/**
 * The brief injected at the start of a session: the previous session, open issues, decisions and preferences in force,
 * dead ends, facts, rules of unmerged branches, what the agent noted without confirmation, work that was done, and earlier
 * sessions; then the parts of the project about which more is remembered. Never contains a memory that is resolved or superseded.
 */
import {
  isLive,
  isStanding,
  type Memory,
  MEMORY_KINDS,
  type MemoryKind,
  PERSONAL_PROJECT,
  RULE_KINDS,
  type Session,
  WORK_KINDS,
} from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence } from '../../privacy/index.ts';
import { ageInDays } from '../ages.ts';
import { samePath } from '../ranking/score.ts';
import { branchNote, branchNow, byNameOnly, type Signals } from '../ranking/signals.ts';
import { BRIEF, LOOKED_AT, MOMENTS } from '../ranking/weights.ts';
import { compared } from '../alike.ts';
import { normalLine } from '../own-files/own-files.ts';
import { momentLines } from './moments.ts';
import { type Line, Pack } from './_pack.ts';
import { isConfirmed, isQuotedRule } from './trust.ts';
import {
  earlierLines,
  type Known,
  nextSteps,
  pastSessions,
  previousHeading,
  previousLine,
  previousLines,
  topic,
} from './previous.ts';
import { bullet, cutToTokens, row, tokenCost } from './render.ts';

interface BriefOptions {
  readonly project: string;
  readonly now: Date;
  readonly budgetTokens?: number;
  readonly branch?: string;
  readonly signals?: Signals;
  /** The session that is starting, left out of the previous ones. */
  readonly session?: string;
  /** Lines that the client loads itself, normalised (`normalLine`): a memory that says no more is left out. */
  readonly loaded?: ReadonlySet<string>;
  /** UTF-16 units that the caller adds to the text. */
  readonly reservedUnits?: number;
}

interface Brief {
  /** For the agent; under 9,500 UTF-16 units. */
  readonly text: string;
  /** Memories injected with their content. */
  readonly memories: readonly string[];
  /** Memories listed by title only. */
  readonly listed: readonly string[];
  /** For the user. */
  readonly line: string;
}

/** Undefined if there is nothing to inject. */
export function brief(index: MemoryIndex, options: BriefOptions): Brief | undefined {
  const { project, now } = options;
  const [previous, ...earlier] = pastSessions(index, project, options.session);
  const budget = options.budgetTokens ?? BRIEF.budgetTokens;
  const namesMoments = budget >= MOMENTS.leastBudget;
  const isShort = budget < BRIEF.shortBelow;
  const intro = isShort ? SHORT_INTRO : INTRO;
  const longest = fence(namesMoments ? `${intro} ${SEARCH_FIRST}` : intro);
  const room = budget - tokenCost(longest);
  const pack = new Pack({
    tokens: room,
    units: BRIEF.maxUnits - longest.length - 2 - (options.reservedUnits ?? 0),
  });
  const source = sourceFor(index, options, previous, isShort ? Math.floor(room / 2) : BRIEF.entryTokens);
  // An entry that a short brief cuts may still be injected in full with a prompt.
  const as = isShort ? 'listed' : 'injected';
  const rules = liveMemories(source, RULE_KINDS, BRIEF.candidates);
  const { share } = BRIEF;

  if (previous)
    pack.add(
      { title: previousHeading(previous, options), share: share.previous },
      previousLines(index, previous, source.known, now),
    );
  pack.add(
    { title: 'Open issues and next steps', share: share.open, atLeastOne: true, as },
    openLines(source, previous),
  );
  pack.add(
    { title: 'Decisions and preferences in force', share: share.rules, atLeastOne: true, as },
    ruleLines(source, rules),
  );
  pack.add(
    { title: 'Dead ends: tried, did not work', share: share.deadEnds, atLeastOne: true, as },
    deadEnds(source),
  );
  pack.add({ title: 'Facts', share: share.facts, as: 'listed' }, facts(source));
  pack.add(
    { title: 'On other branches, not merged here', share: share.branches, as },
    unmergedRules(source, rules),
  );
  pack.add(
    { title: 'Noted by the agent, not confirmed by the user', share: share.claims, as: 'listed' },
    claims(source, rules),
  );
  pack.add({ title: 'Work done, newest first', share: share.work, as: 'listed' }, workDone(source));
  const isTold = ({ id }: Memory): boolean => pack.has(id);
  pack.add(
    { title: 'Earlier sessions', share: namesMoments ? share.earlier : 1 },
    earlierLines(index, earlier, { known: source.known, isTold, now }),
  );
  if (pack.isEmpty && previous)
    pack.add(
      { title: previousHeading(previous, options), share: 1 },
      previousLines(index, previous, source.known, now),
    );
  if (pack.isEmpty) return undefined;
  const unlisted = liveMemories(source, MEMORY_KINDS, BRIEF.candidates).filter(({ id }) => !pack.has(id));
  const hasMoments =
    namesMoments && pack.add({ title: 'Search first', share: 1 }, momentLines(index, unlisted));
  return {
    text: `${hasMoments ? `${intro} ${SEARCH_FIRST}` : intro}\n\n${fence(pack.text)}`,
    memories: [...pack.injected],
    listed: [...pack.listed],
    line: userLine(index, pack, previous, now),
  };
}

export const NO_MEMORIES = 'this project has no memories yet';

/** Why there is no brief, for the user and for `tidemark why`. */
export function whyNoBrief(index: MemoryIndex, project: string): string {
  const projects = [project, PERSONAL_PROJECT];
  if (index.memoriesBy({ project: projects, limit: 1 }).length === 0) return NO_MEMORIES;
  const state = ['current', 'open'] as const;
  const live = index.memoriesBy({ project: projects, state, limit: BRIEF.candidates });
  return live.some((memory) => !isQuotedRule(memory))
    ? 'no memory fits into the tokens of recall.briefTokens'
    : 'no memory of this project is in force';
}

/** Not fenced, because it contains nothing from outside. */
const INTRO =
  'Tidemark remembers earlier sessions of this project. In brackets: who said it, how long ago, the id. `tidemark show <id>` shows an entry in full, `tidemark search "<words>"` finds more. Check what matters against the code: it may have changed since.';

/** For a brief of few tokens, which the entries need. */
const SHORT_INTRO = 'Remembered from earlier sessions; `tidemark show <id>` shows an entry in full.';

const SEARCH_FIRST =
  'Before you change a part named under "Search first", run `tidemark search "<what you are about to do>"` once: more is remembered about it than is listed here.';

/** The index, and what the selection of memories depends on. */
interface Source {
  readonly index: MemoryIndex;
  readonly now: Date;
  readonly project: string;
  readonly signals: Signals;
  /** Files of the previous session and of this one, if it was compacted; memories about them rank higher. */
  readonly near: readonly string[];
  /** Memories of the project's last sessions, live or ended: a summary does not repeat them. */
  readonly known: readonly Known[];
  readonly entryTokens: number;
  readonly loaded: ReadonlySet<string>;
}

function sourceFor(
  index: MemoryIndex,
  options: BriefOptions,
  previous: Session | undefined,
  entryTokens: number,
): Source {
  const { now, project, branch, signals = byNameOnly(branch) } = options;
  const edited = (previous?.summary?.files_edited ?? '').split(/[\s,]+/).filter(Boolean);
  const worked = [...(previous ? [previous.id] : []), ...(options.session ? [options.session] : [])];
  const mentioned = worked
    .flatMap((session) => index.memoriesBy({ session, project, limit: BRIEF.candidates }))
    .flatMap(({ files }) => files);
  return {
    index,
    now,
    project,
    signals,
    near: [...new Set([...edited, ...mentioned])],
    known: index
      .memoriesBy({ project, limit: BRIEF.candidates })
      .map((memory) => ({ memory, title: compared(memory.title) })),
    entryTokens,
    loaded: options.loaded ?? new Set(),
  };
}

/** Steps that the user named for later, then open issues. A step that is an issue, open or resolved, is left out. */
function openLines(source: Source, previous: Session | undefined): readonly Line[] {
  const issues = liveMemories(source, ['issue'], BRIEF.candidates);
  const steps = previous ? nextSteps(source.index, previous, source.known) : [];
  return [
    ...bullets(source, confirmedFirst(byWorth(source, issues)), BRIEF.most.open),
    ...steps.slice(0, BRIEF.most.nextSteps).map((step) => ({
      text: () => `- Next: ${cutToTokens(step, BRIEF.entryTokens)}`,
    })),
  ];
}

/** Rules of this tree that the user said or that something showed: those for every project, repeated ones, the rest. */
function ruleLines(source: Source, rules: readonly Memory[]): readonly Line[] {
  const everywhere = rulesEverywhere(source.index)
    .filter((memory) => !isLoaded(memory, source.loaded))
    .slice(0, BRIEF.most.everywhere);
  const confirmed = rules.filter((memory) => isConfirmed(memory) && !isUnmerged(source, memory));
  const sorted = byWorth(source, confirmed);
  const first = sorted.filter(isStanding).slice(0, BRIEF.most.standingFirst);
  const distinct = new Map([...everywhere, ...first, ...sorted].map((memory) => [memory.id, memory]));
  return bullets(source, [...distinct.values()], BRIEF.most.rules);
}

/** Confirmed rules that apply in every project, newest first, however many newer rules a project has. */
export function rulesEverywhere(index: MemoryIndex): readonly Memory[] {
  const listing = { project: PERSONAL_PROJECT, kind: RULE_KINDS, state: ['current'] as const };
  return index.memoriesBy({ ...listing, limit: BRIEF.candidates }).filter(isConfirmed);
}

/** Rules of another branch: its code is not here, so they may not apply. */
function unmergedRules(source: Source, rules: readonly Memory[]): readonly Line[] {
  const found = rules.filter((memory) => isConfirmed(memory) && isUnmerged(source, memory));
  return bullets(source, byWorth(source, found), BRIEF.most.branches);
}

/** A preference says how the user wants to work, on any branch. */
function isUnmerged({ signals }: Source, memory: Memory): boolean {
  if (memory.kind === 'preference' || signals.branch(memory) !== 'unmerged') return false;
  return branchNow(signals, memory, signals.files(memory)) === 'unmerged';
}

function deadEnds(source: Source): readonly Line[] {
  const found = byWorth(source, liveMemories(source, ['dead_end'], BRIEF.candidates));
  return bullets(source, confirmedFirst(found), BRIEF.most.deadEnds);
}

function facts(source: Source): readonly Line[] {
  const found = confirmedFirst(byWorth(source, liveMemories(source, ['discovery'], BRIEF.candidates)));
  return rows(source, found, BRIEF.most.facts, 'no kind');
}

/** Rules that only the agent stated. */
function claims(source: Source, rules: readonly Memory[]): readonly Line[] {
  const found = rules.filter((one) => !isConfirmed(one));
  return rows(source, byWorth(source, found), BRIEF.most.claims, 'kind');
}

/** History: it constrains nothing, but says what exists. */
function workDone(source: Source): readonly Line[] {
  return rows(source, liveMemories(source, WORK_KINDS, BRIEF.most.work), BRIEF.most.work, 'kind');
}

/** Claims of the agent come after what the user said or something showed. */
function confirmedFirst(memories: readonly Memory[]): readonly Memory[] {
  return [...memories.filter(isConfirmed), ...memories.filter((memory) => !isConfirmed(memory))];
}

/** Newest first. Text that was only quoted is never injected as a rule. */
function liveMemories(
  { index, project, loaded }: Source,
  kind: readonly MemoryKind[],
  limit: number,
): readonly Memory[] {
  const state = ['current', 'open'] as const;
  const found = index.memoriesBy({ project: [project, PERSONAL_PROJECT], kind, state, limit });
  return found.filter((memory) => isLive(memory) && !isQuotedRule(memory) && !isLoaded(memory, loaded));
}

/** Whether the client loads a line that says the same. A memory with a reason or more text says more. */
export function isLoaded({ title, body, reason, facts }: Memory, loaded: ReadonlySet<string>): boolean {
  const isOneLine = body === '' && reason === undefined && facts.length === 0;
  return isOneLine && loaded.has(normalLine(title));
}

function bullets(source: Source, memories: readonly Memory[], most: number): readonly Line[] {
  const { now, signals, entryTokens } = source;
  return memories.slice(0, most).map((memory) => ({
    text: () => {
      const { changes } = signals.files(memory);
      const elsewhere = branchNote(signals, memory);
      return bullet(memory, now, entryTokens, { changes, elsewhere });
    },
    memory: memory.id,
    says: fullText(memory),
  }));
}

function rows(
  { now, signals }: Source,
  memories: readonly Memory[],
  most: number,
  naming: 'kind' | 'no kind',
): readonly Line[] {
  return memories.slice(0, most).map((memory) => ({
    text: () => row(memory, now, naming, branchNote(signals, memory)),
    memory: memory.id,
    says: fullText(memory),
  }));
}

/** Newer memories first, and before them those near the last work; the files of the best are checked. */
function byWorth({ now, signals, near }: Source, memories: readonly Memory[]): readonly Memory[] {
  const worth = (memory: Memory): number => {
    const isNear = memory.files.some((path) => near.some((file) => samePath(path, file)));
    const fresh = 2 ** (-ageInDays(memory.at, now) / BRIEF.halfLifeDays);
    return fresh + (isNear ? BRIEF.overlapBonus : 0) - BRIEF.branchMalus[signals.branch(memory)];
  };
  const worths = new Map(memories.map((memory) => [memory.id, worth(memory)]));
  const descending = (a: Memory, b: Memory): number => (worths.get(b.id) ?? 0) - (worths.get(a.id) ?? 0);
  const sorted = memories.toSorted(descending);
  for (const memory of sorted.slice(0, LOOKED_AT)) {
    const files = signals.files(memory);
    const back =
      BRIEF.branchMalus[signals.branch(memory)] - BRIEF.branchMalus[branchNow(signals, memory, files)];
    const stale = files.changes.length > 0 ? BRIEF.staleMalus : 0;
    worths.set(memory.id, (worths.get(memory.id) ?? 0) + back - stale);
  }
  return sorted.toSorted(descending);
}

function fullText({ kind, title, body, reason = '' }: Memory): string {
  return [kind, title, body, reason].join('\n');
}

function userLine(index: MemoryIndex, pack: Pack, previous: Session | undefined, now: Date): string {
  if (previous) return previousLine(index, previous, now);
  const ids = [...pack.injected, ...pack.listed];
  const topics = ids.map((id) => topic(index.memory(id)?.title ?? '')).filter(Boolean);
  return [`Remembered (${ids.length})`, ...topics.slice(0, BRIEF.most.topics)].join(' | ');
}
