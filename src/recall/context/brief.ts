/**
 * The brief injected at the start of a session: the previous session, open issues, decisions and preferences, dead ends,
 * earlier sessions, and a list of other memories.
 */
import {
  isStanding,
  PERSONAL_PROJECT,
  type Memory,
  type MemoryKind,
  type MemoryState,
  type Session,
} from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence, plainLine } from '../../privacy/index.ts';
import { ageInDays } from '../ages.ts';
import { samePath } from '../ranking/score.ts';
import { branchNow, byNameOnly, type Signals } from '../ranking/signals.ts';
import { BRIEF, LOOKED_AT } from '../ranking/weights.ts';
import { about, pastSessions, previousLine, sessionMemories, topic, when } from './previous.ts';
import { bullet, cutToTokens, repeats, row, sentence, tokenCost } from './render.ts';

interface BriefOptions {
  readonly project: string;
  readonly now: Date;
  readonly budgetTokens?: number;
  readonly branch?: string;
  readonly signals?: Signals;
  /** The session that is starting, left out of the previous ones. */
  readonly session?: string;
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
  const { now, project } = options;
  const [previous, ...earlier] = pastSessions(index, project, options.session);
  const pack = new Pack((options.budgetTokens ?? BRIEF.budgetTokens) - tokenCost(fence(INTRO)));
  const source = sourceOf(index, options, previous);

  if (previous)
    pack.section(heading(previous, options), BRIEF.share.previous, previousLines(index, previous));
  pack.section('Open issues and next steps', BRIEF.share.open, openIssues(source, previous));
  pack.section('Decisions and preferences that hold', BRIEF.share.standing, rules(source));
  pack.section('Dead ends: tried, did not work', BRIEF.share.deadEnds, deadEnds(source));
  pack.section('Earlier sessions', BRIEF.share.earlier, earlierLines(index, earlier, now));
  pack.section('Other memories, the newest first', 1, recent(source, pack.injected), 'listed');
  if (pack.empty) return undefined;

  return {
    text: `${INTRO}\n\n${fence(pack.text)}`,
    memories: [...pack.injected],
    listed: [...pack.listed],
    line: previous
      ? previousLine(index, previous, now)
      : rememberedLine(index, [...pack.injected, ...pack.listed]),
  };
}

/** Not fenced, because it contains nothing from outside. */
const INTRO =
  'Tidemark remembers earlier sessions of this project. `tidemark show <id>` gives an entry whole, `tidemark search "<words>"` finds more; check what matters against the code, it may have changed since.';

interface Line {
  readonly text: string;
  readonly memory?: string;
  /** The full text, to leave out duplicates: two members of a team may have stored the same. */
  readonly says?: string;
}

/** Fills sections up to their share of the tokens. Tokens left by a section are available to the next. */
class Pack {
  readonly injected = new Set<string>();
  readonly listed = new Set<string>();
  readonly #budget: number;
  readonly #maxUnits: number;
  readonly #parts: string[] = [];
  readonly #texts = new Set<string>();
  #tokens = 0;
  #units = 0;
  #end = 0;

  constructor(budget: number) {
    this.#budget = budget;
    this.#maxUnits = BRIEF.maxUnits - fence(INTRO).length - 2;
  }

  get empty(): boolean {
    return this.#parts.length === 0;
  }

  get text(): string {
    return this.#parts.join('\n\n');
  }

  section(
    title: string,
    share: number,
    lines: readonly Line[],
    kind: 'injected' | 'listed' = 'injected',
  ): void {
    this.#end = Math.min(1, this.#end + share);
    const limit = this.#budget * this.#end;
    const packed: string[] = [`## ${title}`];
    let tokens = this.#tokens + tokenCost(packed[0] ?? '');
    let units = this.#units + title.length + 5;
    for (const { text, memory, says } of lines) {
      if (memory !== undefined && (this.injected.has(memory) || this.listed.has(memory))) continue;
      if (says !== undefined && this.#texts.has(says)) continue;
      tokens += tokenCost(text) + 1;
      units += text.length + 1;
      if (tokens > limit || units > this.#maxUnits) break;
      packed.push(text);
      this.#tokens = tokens;
      this.#units = units;
      if (memory !== undefined) this[kind].add(memory);
      if (says !== undefined) this.#texts.add(says);
    }
    if (packed.length > 1) this.#parts.push(packed.join('\n'));
  }
}

/** The index, and what the selection of memories depends on. */
interface Source {
  readonly index: MemoryIndex;
  readonly now: Date;
  readonly project: string;
  readonly signals: Signals;
  /** Files of the previous session; memories about them rank higher. */
  readonly near: readonly string[];
}

function sourceOf(index: MemoryIndex, options: BriefOptions, previous: Session | undefined): Source {
  const { now, project, branch, signals = byNameOnly(branch) } = options;
  const edited = (previous?.summary?.files_edited ?? '').split(/[\s,]+/).filter(Boolean);
  const mentioned = previous ? sessionMemories(index, previous).flatMap(({ files }) => files) : [];
  return { index, now, project, signals, near: [...new Set([...edited, ...mentioned])] };
}

function openIssues(source: Source, previous: Session | undefined): readonly Line[] {
  const issues = memoriesOf(source, ['issue'], 'open', BRIEF.most.open);
  const steps = points(previous?.summary?.next_steps ?? '').slice(0, BRIEF.most.nextSteps);
  return [
    ...steps.map((step) => ({ text: `- Next: ${cutToTokens(step, BRIEF.entryTokens)}` })),
    ...bullets(source, issues, BRIEF.most.open),
  ];
}

/** Current decisions, preferences and patterns, repeated ones first. */
function rules(source: Source): readonly Line[] {
  const found = memoriesOf(source, ['decision', 'preference', 'pattern'], 'current', BRIEF.candidates);
  const sorted = byWorth(source, found);
  const first = sorted.filter(isStanding).slice(0, BRIEF.most.standingFirst);
  return bullets(source, [...new Set([...first, ...sorted])], BRIEF.most.standing);
}

function deadEnds(source: Source): readonly Line[] {
  const found = memoriesOf(source, ['dead_end'], 'current', BRIEF.candidates);
  return bullets(source, byWorth(source, found), BRIEF.most.deadEnds);
}

function recent({ index, project, now }: Source, injected: ReadonlySet<string>): readonly Line[] {
  const found = index.memoriesBy({
    project,
    state: ['current', 'open', 'resolved'],
    limit: BRIEF.most.recent + injected.size,
  });
  const rest = found.filter(({ id }) => !injected.has(id)).slice(0, BRIEF.most.recent);
  return rest.map((memory) => ({ text: row(memory, now), memory: memory.id, says: fullText(memory) }));
}

function memoriesOf(
  { index, project }: Source,
  kind: readonly MemoryKind[],
  state: MemoryState,
  limit: number,
): readonly Memory[] {
  return index.memoriesBy({ project: [project, PERSONAL_PROJECT], kind, state, limit });
}

function bullets({ now, signals }: Source, memories: readonly Memory[], most: number): readonly Line[] {
  return memories.slice(0, most).map((memory) => ({
    text: bullet(memory, now, BRIEF.entryTokens, signals.files(memory).changes),
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

function heading(session: Session, { now, branch: here }: BriefOptions): string {
  const branch = session.branch && session.branch !== here ? `, on branch ${plainLine(session.branch)}` : '';
  const ended = session.status === 'interrupted' || session.status === 'failed' ? `, ${session.status}` : '';
  return `Previous session (${when(session, now)}${branch}${ended})`;
}

function previousLines(index: MemoryIndex, session: Session): readonly Line[] {
  const { summary } = session;
  const asked = plainLine(summary?.request ?? '') || about(index, session);
  const parts = [
    ['Asked', asked],
    ['Learned', summary?.learned ?? ''],
    ['Done', summary?.completed ?? ''],
  ] as const;
  const isNew = (text: string, i: number): boolean =>
    !parts.slice(0, i).some(([, before]) => repeats(text, before));
  return parts
    .filter(([, text], i) => plainLine(text) !== '' && isNew(text, i))
    .map(([label, text]) => ({ text: `- ${label}: ${cutToTokens(sentence(text), BRIEF.summaryTokens)}` }));
}

function earlierLines(index: MemoryIndex, sessions: readonly Session[], now: Date): readonly Line[] {
  const lines = sessions.slice(0, BRIEF.most.earlier).map((session) => {
    const subject = about(index, session);
    const done = cutToTokens(plainLine(session.summary?.completed ?? ''), BRIEF.earlierTokens);
    const text = [subject, done === subject ? '' : done].filter(Boolean).map(sentence).join(' ');
    return text && { text: `- ${when(session, now)}: ${text}` };
  });
  return lines.filter((line) => line !== '');
}

function fullText({ kind, title, body, reason = '' }: Memory): string {
  return [kind, title, body, reason].join('\n');
}

/** Lines or bullets of a summary's field, without their marks. */
function points(text: string): readonly string[] {
  return text
    .split(/\n|;\s+/)
    .map((line) => plainLine(line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')))
    .filter(Boolean);
}

function rememberedLine(index: MemoryIndex, ids: readonly string[]): string {
  const topics = ids.map((id) => topic(index.memory(id)?.title ?? '')).filter(Boolean);
  return [`Remembered (${ids.length})`, ...topics.slice(0, BRIEF.most.topics)].join(' | ');
}
