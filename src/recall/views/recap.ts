/**
 * A recap for a stand-up or a handover: what was decided, done, fixed, learned and left open in each project since a time.
 * Nothing is said twice: the first section that has it keeps it. Only reads.
 */
import { given, PERSONAL_PROJECT, type Evidence, type MemoryKind } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import type { WorkLog } from '../../storage/journal/index.ts';
import { dayWords, lastWorkday } from '../since.ts';
import type { ZoneDays } from '../zone-days.ts';
import { projectLines } from './_recap-lines.ts';

/** In the order in which they are read aloud. */
export const RECAP_SECTIONS = ['decided', 'done', 'fixed', 'learned', 'open'] as const;
export type RecapSection = (typeof RECAP_SECTIONS)[number];

export const SECTION_TITLES: Readonly<Record<RecapSection, string>> = {
  decided: 'Decided',
  done: 'Done',
  fixed: 'Fixed',
  learned: 'Learned',
  open: 'Left open',
};

export interface RecapLine {
  /** A whole line: `Changed: 30 days → 90 days`, `Interrupted: Move the queue to pg-boss`. */
  readonly text: string;
  readonly at: string;
  /** The memory it is about, for `tidemark show`. */
  readonly memory?: string;
  readonly kind?: MemoryKind;
  /** Without a memory: the start of the turn's id, for `tidemark transcript`. */
  readonly turn?: string;
  readonly session?: string;
  readonly evidence: Evidence;
  /** The team member it came from; omitted for the user's own. */
  readonly author?: string;
  /** Short hashes. */
  readonly commits?: readonly string[];
  readonly files?: readonly string[];
}

export type RecapLines = Readonly<Record<RecapSection, readonly RecapLine[]>>;

export interface ProjectRecap extends RecapLines {
  readonly id: string;
  readonly name: string;
  /** How many lines were left out, because of the limit. */
  readonly more: number;
  /** Issues that were open before and still are. */
  readonly olderIssues: number;
}

export interface Recap {
  readonly since: string;
  /** `yesterday, Monday 16 November`, for people. */
  readonly day: string;
  /** Whether the day was not given, but is the last working day. */
  readonly isLastWorkday: boolean;
  /** The only project that was asked for. */
  readonly project?: { readonly id: string; readonly name: string };
  /** Those with at least one line, the latest first. */
  readonly projects: readonly ProjectRecap[];
}

export interface RecapOptions {
  readonly now: Date;
  readonly days: ZoneDays;
  /** ISO 8601 UTC. Default: the start of the last working day. */
  readonly since?: string;
  readonly project?: string;
  /** Most lines of a project. */
  readonly limit?: number;
  /** Called between two projects, so that other calls are answered meanwhile. */
  readonly pause?: () => Promise<void>;
  /** The work log of a project, which the user may have changed. */
  readonly log?: (project: string, since: string) => WorkLog;
}

/** Most lines of a project. With its headings, it is about forty lines long. */
export const RECAP_LINES = 35;

export async function recap(index: MemoryIndex, options: RecapOptions): Promise<Recap> {
  const { now, days, project } = options;
  const since = options.since ?? days.startOf(lastWorkday(now, days));
  const projects: ProjectRecap[] = [];
  for (const id of project === undefined ? allProjects(index) : [project]) {
    projects.push(...projectRecap(index, id, since, options));
    await options.pause?.();
  }
  return {
    since,
    day: dayWords(since, now, days),
    isLastWorkday: options.since === undefined,
    ...(project === undefined ? {} : { project: { id: project, name: nameOf(index, project) } }),
    projects: projects.toSorted((a, b) => latest(b).localeCompare(latest(a))),
  };
}

/** Empty if nothing happened. */
function projectRecap(
  index: MemoryIndex,
  id: string,
  since: string,
  { limit = RECAP_LINES, log }: RecapOptions,
): readonly ProjectRecap[] {
  const lines = projectLines(index, { project: id, since, ...given({ log: log?.(id, since) }) });
  const count = RECAP_SECTIONS.reduce((sum, section) => sum + lines[section].length, 0);
  if (count === 0) return [];
  const shown = within(lines, limit);
  const left = RECAP_SECTIONS.reduce((sum, section) => sum + shown[section].length, 0);
  const olderIssues = index.memoryCount({ project: id, kind: 'issue', state: 'open', until: since });
  return [{ id, name: nameOf(index, id), ...shown, more: count - left, olderIssues }];
}

function allProjects(index: MemoryIndex): readonly string[] {
  return [...new Set([...index.projects().map(({ id }) => id), PERSONAL_PROJECT])];
}

function nameOf(index: MemoryIndex, id: string): string {
  if (id === PERSONAL_PROJECT) return 'Personal';
  return index.project(id)?.name ?? id;
}

function latest(lines: RecapLines): string {
  const times = RECAP_SECTIONS.flatMap((section) => lines[section].map(({ at }) => at));
  return times.toSorted().at(-1) ?? '';
}

/** Gives every section the same room, and what one does not need to the others. Of a longer section the newest stay. */
function within(lines: RecapLines, limit: number): RecapLines {
  const bySize = RECAP_SECTIONS.toSorted((a, b) => lines[a].length - lines[b].length);
  const shown: Partial<Record<RecapSection, readonly RecapLine[]>> = {};
  let room = limit;
  for (const [i, section] of bySize.entries()) {
    const share = Math.floor(room / (bySize.length - i));
    shown[section] = newest(lines[section], share);
    room -= shown[section].length;
  }
  // Every section was set above.
  return shown as RecapLines;
}

/** The newest lines, in their order; claims of the agent go first. */
function newest(lines: readonly RecapLine[], most: number): readonly RecapLine[] {
  if (lines.length <= most) return lines;
  const rank = ({ evidence }: RecapLine): number => (evidence === 'said' || evidence === 'shown' ? 0 : 1);
  const kept = new Set(
    lines.toSorted((a, b) => rank(a) - rank(b) || b.at.localeCompare(a.at)).slice(0, most),
  );
  return lines.filter((line) => kept.has(line));
}
