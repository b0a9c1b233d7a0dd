/** Collects the lines of a recap so that nothing is said twice. Pure. */
import { common, compared, isAlike, type Compared } from '../alike.ts';
import type { RecapLine, RecapLines, RecapSection } from './recap.ts';

export interface NewLine {
  readonly section: RecapSection;
  readonly line: RecapLine;
  /** The subject of the line, if the text contains more than that. */
  readonly about?: string;
  /** The turn it comes from. */
  readonly turn: string;
  /** Whether the line describes all the work of its turn. */
  readonly isWork?: boolean;
}

interface Kept {
  readonly section: RecapSection;
  readonly words: Compared;
  readonly turn: string;
  readonly isWork: boolean;
  line: RecapLine;
}

type Work = Pick<RecapLine, 'commits' | 'files'>;

/** Two lines of one turn with this many words in common are about one thing: decided, then done. */
const SAME_TURN_WORDS = 2;
/** The share of words in common that makes two lines of one session the same: a change, then its commit. */
const SAME_SESSION_SHARE = 0.5;

export class Collected {
  readonly #lines: Kept[] = [];

  /** Returns whether the line is new. If an earlier one says the same, that one gets its commits and files. */
  add({ section, line, about = line.text, turn, isWork = false }: NewLine): boolean {
    if (about === '') return false;
    const added: Kept = { section, words: compared(about), line, turn, isWork };
    const same = this.#lines.find((other) => isSame(other, added));
    if (same) same.line = withWork(same.line, line);
    else this.#lines.push(added);
    return same === undefined;
  }

  /** Adds commits and files to the line that describes the work of a turn. Returns whether there is one. */
  attach(turn: string, work: Work): boolean {
    const found = this.#lines.find((kept) => kept.isWork && kept.turn === turn);
    if (found) found.line = withWork(found.line, work);
    return found !== undefined;
  }

  /** The lines of each section by time; in the first one, in the order in which they were added. */
  sections(): RecapLines {
    const of = (section: RecapSection): readonly RecapLine[] =>
      this.#lines.filter((one) => one.section === section).map(({ line }) => line);
    const sorted = (section: RecapSection) => of(section).toSorted((a, b) => a.at.localeCompare(b.at));
    return {
      decided: of('decided'),
      done: sorted('done'),
      fixed: sorted('fixed'),
      learned: sorted('learned'),
      open: sorted('open'),
    };
  }
}

function isSame(a: Kept, b: Kept): boolean {
  // Memories of one kind that say the same are merged when they are stored.
  const areApart = a.section === b.section && a.line.memory !== undefined && b.line.memory !== undefined;
  if (areApart) return a.words.text === b.words.text;
  if (isAlike(a.words, b.words)) return true;
  // What is open or learned has words in common with what was done, and is not the same.
  if (a.section === b.section || !isDoing(a) || !isDoing(b)) return false;
  const { words, share } = common(a.words, b.words);
  if (words < SAME_TURN_WORDS) return false;
  return a.turn === b.turn || (a.line.session === b.line.session && share >= SAME_SESSION_SHARE);
}

function isDoing({ section }: Kept): boolean {
  return section === 'decided' || section === 'done' || section === 'fixed';
}

function withWork(line: RecapLine, { commits = [], files = [] }: Work): RecapLine {
  const all = {
    commits: [...new Set([...(line.commits ?? []), ...commits])],
    files: [...new Set([...(line.files ?? []), ...files])],
  };
  return {
    ...line,
    ...(all.commits.length > 0 ? { commits: all.commits } : {}),
    ...(all.files.length > 0 ? { files: all.files } : {}),
  };
}
