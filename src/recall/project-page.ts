/** What a newcomer to a project must know now: standing decisions, patterns, preferences, open issues, where things are. */
import { isStanding, shortHash, type Memory, type MemoryKind } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { plainLine } from '../privacy/index.ts';
import type { ProjectPageSection } from '../storage/journal/index.ts';
import { sentence } from './context/render.ts';
import { cutToTokens } from './context/token-cost.ts';

/** How many lines a section has at most: together, with their headings, fewer than the page may hold. */
const MOST = { decisions: 60, patterns: 25, preferences: 25, issues: 35, files: 30 } as const;
/** Enough for what and why. */
const LINE_TOKENS = 60;
/** A file is named in one line: which it is, and what was last learned about it. */
const FILE_TOKENS = 30;
const FILE_KEY = 8;
/** Memories looked at to tell which files matter. */
const RECENT = 2000;

export function projectPageOf(index: MemoryIndex, project: string): readonly ProjectPageSection[] {
  const current = (kind: MemoryKind, limit: number): readonly Memory[] =>
    index.memoriesBy({ project, kind, state: 'current', limit });
  const preferences = current('preference', MOST.preferences).toSorted(standingFirst);
  const patterns = current('pattern', MOST.patterns).toSorted(standingFirst);
  const issues = index.memoriesBy({ project, kind: 'issue', state: 'open', limit: MOST.issues });
  return [
    { heading: 'Decisions', lines: current('decision', MOST.decisions).map(lineOf) },
    { heading: 'Patterns', lines: patterns.map(lineOf) },
    { heading: 'Preferences', lines: preferences.map(lineOf) },
    { heading: 'Open issues', lines: issues.map(lineOf) },
    { heading: 'Where things are', lines: filesOf(index, project) },
  ];
}

function lineOf(memory: Memory): { readonly key: string; readonly text: string } {
  const why = memory.reason ? ` Why: ${sentence(memory.reason)}` : '';
  const often = isStanding(memory) && memory.seen ? ` (said ${memory.seen} times)` : '';
  return { key: memory.id, text: `- ${cutToTokens(`${sentence(memory.title)}${why}`, LINE_TOKENS)}${often}` };
}

function standingFirst(a: Memory, b: Memory): number {
  return Number(isStanding(b)) - Number(isStanding(a));
}

function filesOf(index: MemoryIndex, project: string): ProjectPageSection['lines'] {
  const touched = new Map<string, { count: number; title: string }>();
  const states = ['current', 'open', 'resolved'] as const;
  for (const { files, title } of index.memoriesBy({ project, state: states, limit: RECENT })) {
    for (const file of new Set(files)) {
      const known = touched.get(file);
      if (known) known.count++;
      else touched.set(file, { count: 1, title });
    }
  }
  return [...touched]
    .toSorted(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
    .slice(0, MOST.files)
    .map(([file, { title }]) => ({
      key: `file-${shortHash(file, FILE_KEY)}`,
      text: `- \`${plainLine(file)}\`: ${cutToTokens(plainLine(title), FILE_TOKENS)}`,
    }));
}
