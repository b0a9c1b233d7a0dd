/**
 * Writes the page of each project whose memories changed (MEMORY.md): current decisions, patterns, preferences, open
 * issues, and the files that matter. Writes in the background, a moment after the last change.
 */
import { isStanding, shortHash, type Memory, type MemoryKind, plainLine } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { Mutex } from '../files/index.ts';
import type { ProjectPageWriter, Stores } from '../memory/index.ts';
import { renderProjectPage, type ProjectPageSection } from '../storage/journal/index.ts';
import { cutToTokens, sentence } from './context/render.ts';

/** The turns of a session come in bursts; one page after each burst is enough. */
const SETTLE_MS = 1500;

export class ProjectPages implements ProjectPageWriter {
  readonly #stores: () => Pick<Stores, 'index' | 'journal'>;
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #writes = new Mutex();

  constructor(stores: () => Pick<Stores, 'index' | 'journal'>) {
    this.#stores = stores;
  }

  touch(project: string): void {
    this.#changed.add(project);
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), SETTLE_MS).unref(); // the next flush reports the error
  }

  /** Writes all pending pages. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#writes.run(async () => {
      for (const project of this.#changed) {
        this.#changed.delete(project); // before writing, so that a change during the write is not lost
        await this.#write(project);
      }
    });
  }

  async #write(project: string): Promise<void> {
    const { index, journal } = this.#stores();
    const sections = projectPageOf(index, project);
    const isEmpty = sections.every(({ lines }) => lines.length === 0);
    const name = index.project(project)?.name ?? project;
    const options = {
      title: `${name}: what to know now`,
      erased: (key: string): boolean => index.isForgotten(key),
    };
    await journal.changeProjectPage(project, (text) =>
      text === null && isEmpty ? null : renderProjectPage(text, sections, options),
    );
  }
}

/** Most lines per section; with their headings fewer than the limit of a page. */
const MOST = { decisions: 60, patterns: 25, preferences: 25, issues: 35, files: 30 } as const;
/** Enough for what and why. */
const LINE_TOKENS = 60;
/** A file gets one line: its path and the title of the latest memory about it. */
const FILE_TOKENS = 30;
const FILE_KEY = 8;
/** Memories searched for the files that matter. */
const RECENT = 2000;

function projectPageOf(index: MemoryIndex, project: string): readonly ProjectPageSection[] {
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
