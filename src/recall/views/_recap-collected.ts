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
  /** Whether the memory of the line has a reason. */
  readonly hasReason?: boolean;
}

interface Kept {
  readonly section: RecapSection;
  readonly words: Compared;
  readonly turn: string;
  readonly isWork: boolean;
  readonly hasReason: boolean;
  line: RecapLine;
}

type Work = Pick<RecapLine, 'commits' | 'files'>;

/** Two lines of one turn with this many words in common are about one thing: decided, then done. */
const SAME_TURN_WORDS = 2;
/** The share of words in common that makes two lines of one session the same: a change, then its commit. */
const HALF = 0.5;

export class Collected {
  readonly #lines: Kept[] = [];
  /** Lines by their words: only lines that share some are compared. */
  readonly #byWord = new Map<string, Kept[]>();

  /** Returns whether the line is new. If an earlier one says the same, that one gets its commits and files. */
  add({ section, line, about = line.text, turn, isWork = false, hasReason = false }: NewLine): boolean {
    if (about === '') return false;
    const added: Kept = { section, words: compared(about), line, turn, isWork, hasReason };
    const same = this.#sharing(added.words).find((other) => isSame(other, added));
    if (same) same.line = joined(same, added);
    else this.#keep(added);
    return same === undefined;
  }

  #keep(added: Kept): void {
    this.#lines.push(added);
    for (const word of added.words.words) {
      const others = this.#byWord.get(word);
      if (others) others.push(added);
      else this.#byWord.set(word, [added]);
    }
  }

  #sharing({ words }: Compared): readonly Kept[] {
    const shared = new Map<Kept, number>();
    for (const word of words)
      for (const kept of this.#byWord.get(word) ?? []) shared.set(kept, (shared.get(kept) ?? 0) + 1);
    const least = Math.min(SAME_TURN_WORDS, words.size);
    return [...shared]
      .filter(([kept, count]) => count >= Math.min(least, kept.words.words.size))
      .map(([kept]) => kept);
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
  const { words, share } = common(a.words, b.words);
  // Memories of one kind that say the same are merged when they are stored, unless they come from one turn.
  if (areOfOneKind(a, b)) return a.words.text === b.words.text || (a.turn === b.turn && share >= HALF);
  if (isAlike(a.words, b.words)) return true;
  // What is open or learned has words in common with what was done, and is not the same.
  if (a.section === b.section || !isDoing(a) || !isDoing(b) || words < SAME_TURN_WORDS) return false;
  return a.turn === b.turn || (a.line.session === b.line.session && share >= HALF);
}

function areOfOneKind(a: Kept, b: Kept): boolean {
  return a.section === b.section && a.line.memory !== undefined && b.line.memory !== undefined;
}

/** Of two memories of one kind, one with a reason stays. */
function joined(kept: Kept, added: Kept): RecapLine {
  const isBetter = areOfOneKind(kept, added) && added.hasReason && !kept.hasReason;
  return isBetter ? withWork(added.line, kept.line) : withWork(kept.line, added.line);
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
