/** What a session starts with: the previous session, what is open, what holds, what failed, and a list to ask from. */
import { isStanding, PERSONAL_PROJECT, type Memory, type Session } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence, plainLine } from '../../privacy/index.ts';
import { ageInDays } from '../ages.ts';
import { samePath } from '../ranking/score.ts';
import { branchNow, byNameOnly, type Signals } from '../ranking/signals.ts';
import { BRIEF, LOOKED_AT } from '../ranking/weights.ts';
import { about, pastSessions, previousLine, sessionMemories, topic, when } from './previous.ts';
import { bullet, repeats, row, sentence } from './render.ts';
import { cutToTokens, tokenCost } from './token-cost.ts';

export interface BriefOptions {
  readonly project: string;
  readonly now: Date;
  readonly budgetTokens?: number;
  readonly branch?: string;
  readonly signals?: Signals;
  /** The session that is starting: it is not its own previous one. */
  readonly session?: string;
}

export interface Brief {
  /** For the model; under 9,500 UTF-16 units. */
  readonly text: string;
  /** Memories it says something about. */
  readonly memories: readonly string[];
  /** Memories of which it gives only the title. */
  readonly listed: readonly string[];
  /** For the user. */
  readonly line: string;
}

/** Undefined when nothing is remembered that would be worth a word. */
export function brief(index: MemoryIndex, options: BriefOptions): Brief | undefined {
  const { now, project } = options;
  const [previous, ...earlier] = pastSessions(index, project, options.session);
  const pack = new Pack((options.budgetTokens ?? BRIEF.budgetTokens) - tokenCost(fence(INTRO)));
  const source = new Source(index, options, previous);

  if (previous)
    pack.section(heading(previous, options), BRIEF.share.previous, previousLines(index, previous));
  pack.section('Open issues and next steps', BRIEF.share.open, source.open(previous));
  pack.section('Decisions and preferences that hold', BRIEF.share.standing, source.standing());
  pack.section('Dead ends: tried, did not work', BRIEF.share.deadEnds, source.deadEnds());
  pack.section('Earlier sessions', BRIEF.share.earlier, earlierLines(index, earlier, now));
  pack.section('Other memories, the newest first', 1, source.recent(pack.said), 'listed');
  if (pack.empty) return undefined;

  return {
    text: `${INTRO}\n\n${fence(pack.text)}`,
    memories: [...pack.said],
    listed: [...pack.listed],
    line: previous
      ? previousLine(index, previous, now)
      : rememberedLine(index, [...pack.said, ...pack.listed]),
  };
}

/** Nothing from outside stands in it: it is the one part that is not fenced. */
const INTRO =
  'Tidemark remembers earlier sessions of this project. `tidemark show <id>` gives an entry whole, `tidemark search "<words>"` finds more; check what matters against the code, it may have changed since.';

interface Line {
  readonly text: string;
  readonly memory?: string;
  /** What it says, whoever said it: two members of a team may have told the same. */
  readonly says?: string;
}

/** Fills sections, each up to where its share of the tokens ends; what one leaves, those after it may use. */
class Pack {
  readonly said = new Set<string>();
  readonly listed = new Set<string>();
  readonly #budget: number;
  readonly #maxUnits: number;
  readonly #parts: string[] = [];
  readonly #told = new Set<string>();
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

  section(title: string, share: number, lines: readonly Line[], kind: 'said' | 'listed' = 'said'): void {
    this.#end = Math.min(1, this.#end + share);
    const limit = this.#budget * this.#end;
    const kept: string[] = [`## ${title}`];
    let tokens = this.#tokens + tokenCost(kept[0] ?? '');
    let units = this.#units + title.length + 5;
    for (const { text, memory, says } of lines) {
      if (memory !== undefined && (this.said.has(memory) || this.listed.has(memory))) continue;
      if (says !== undefined && this.#told.has(says)) continue;
      tokens += tokenCost(text) + 1;
      units += text.length + 1;
      if (tokens > limit || units > this.#maxUnits) break;
      kept.push(text);
      this.#tokens = tokens;
      this.#units = units;
      if (memory !== undefined) this[kind].add(memory);
      if (says !== undefined) this.#told.add(says);
    }
    if (kept.length > 1) this.#parts.push(kept.join('\n'));
  }
}

/** The memories a brief is made of. */
class Source {
  readonly #index: MemoryIndex;
  readonly #now: Date;
  readonly #projects: readonly string[];
  readonly #project: string;
  readonly #signals: Signals;
  /** Files the last session worked on: what is known about them is near the work. */
  readonly #near: readonly string[];

  constructor(index: MemoryIndex, options: BriefOptions, previous: Session | undefined) {
    this.#index = index;
    this.#now = options.now;
    this.#project = options.project;
    this.#projects = [options.project, PERSONAL_PROJECT];
    this.#signals = options.signals ?? byNameOnly(options.branch);
    const edited = (previous?.summary?.files_edited ?? '').split(/[\s,]+/).filter(Boolean);
    const spoken = previous ? sessionMemories(index, previous).flatMap(({ files }) => files) : [];
    this.#near = [...new Set([...edited, ...spoken])];
  }

  open(previous: Session | undefined): readonly Line[] {
    const issues = this.#index.memoriesBy({
      project: this.#projects,
      kind: 'issue',
      state: 'open',
      limit: BRIEF.most.open,
    });
    const steps = points(previous?.summary?.next_steps ?? '').slice(0, BRIEF.most.nextSteps);
    return [
      ...steps.map((step) => ({ text: `- Next: ${cutToTokens(step, BRIEF.entryTokens)}` })),
      ...this.#bullets(issues, BRIEF.most.open),
    ];
  }

  standing(): readonly Line[] {
    const found = this.#index.memoriesBy({
      project: this.#projects,
      kind: ['decision', 'preference', 'pattern'],
      state: 'current',
      limit: BRIEF.candidates,
    });
    const sorted = this.#nearest(found);
    const first = sorted.filter(isStanding).slice(0, BRIEF.most.standingFirst);
    return this.#bullets([...new Set([...first, ...sorted])], BRIEF.most.standing);
  }

  deadEnds(): readonly Line[] {
    const found = this.#index.memoriesBy({
      project: this.#projects,
      kind: 'dead_end',
      state: 'current',
      limit: BRIEF.candidates,
    });
    return this.#bullets(this.#nearest(found), BRIEF.most.deadEnds);
  }

  recent(said: ReadonlySet<string>): readonly Line[] {
    const found = this.#index.memoriesBy({
      project: this.#project,
      state: ['current', 'open', 'resolved'],
      limit: BRIEF.most.recent + said.size,
    });
    const rest = found.filter(({ id }) => !said.has(id)).slice(0, BRIEF.most.recent);
    return rest.map((memory) => ({
      text: row(memory, this.#now),
      memory: memory.id,
      says: saidIn(memory),
    }));
  }

  #bullets(memories: readonly Memory[], most: number): readonly Line[] {
    return memories.slice(0, most).map((memory) => {
      const { changes } = this.#signals.files(memory);
      return {
        text: bullet(memory, this.#now, BRIEF.entryTokens, changes),
        memory: memory.id,
        says: saidIn(memory),
      };
    });
  }

  #nearest(memories: readonly Memory[]): readonly Memory[] {
    const worth = (memory: Memory): number => {
      const near = memory.files.some((path) => this.#near.some((file) => samePath(path, file)));
      const fresh = 2 ** (-ageInDays(memory.at, this.#now) / BRIEF.halfLifeDays);
      const bonus = near ? BRIEF.overlapBonus : 0;
      return fresh + bonus - BRIEF.branchMalus[this.#signals.branch(memory)];
    };
    const worths = new Map(memories.map((memory) => [memory.id, worth(memory)]));
    const byWorth = (a: Memory, b: Memory): number => (worths.get(b.id) ?? 0) - (worths.get(a.id) ?? 0);
    const sorted = memories.toSorted(byWorth);
    for (const memory of sorted.slice(0, LOOKED_AT)) {
      const files = this.#signals.files(memory);
      const back =
        BRIEF.branchMalus[this.#signals.branch(memory)] -
        BRIEF.branchMalus[branchNow(this.#signals, memory, files)];
      const stale = files.changes.length > 0 ? BRIEF.staleMalus : 0;
      worths.set(memory.id, (worths.get(memory.id) ?? 0) + back - stale);
    }
    return sorted.toSorted(byWorth);
  }
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
    const said = [subject, done === subject ? '' : done].filter(Boolean).map(sentence).join(' ');
    return said && { text: `- ${when(session, now)}: ${said}` };
  });
  return lines.filter((line) => line !== '');
}

function saidIn({ kind, title, body, reason = '' }: Memory): string {
  return [kind, title, body, reason].join('\n');
}

/** Lines or bullets of a summary's field, each without its mark. */
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
