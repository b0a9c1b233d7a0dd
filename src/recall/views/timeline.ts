/** The memories before and after a memory or a date. Only reads. */
import { isWordOrYear, type Memory } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { spanOf } from '../times.ts';
import { zoneDays } from '../zone-days.ts';

interface TimelineOptions {
  /** An id, the beginning of one, or a time: `2026-02-09`, `3d`. */
  readonly around: string;
  readonly now: Date;
  /** Default: the project of the memory; for a date, all projects. */
  readonly project?: string;
  readonly before?: number;
  readonly after?: number;
}

export interface Timeline {
  /** The memory; undefined for a date. */
  readonly anchor?: Memory;
  readonly at: string;
  /** Oldest first. */
  readonly before: readonly Memory[];
  /** Oldest first. */
  readonly after: readonly Memory[];
}

const DEFAULT_SPAN = 5;

/** Undefined when `around` is neither a memory nor a date. */
export function timeline(index: MemoryIndex, options: TimelineOptions): Timeline | undefined {
  const anchor = isWordOrYear(options.around) ? undefined : index.memory(options.around);
  const at = anchor?.at ?? spanOf(options.around, options.now, zoneDays())?.since;
  if (at === undefined) return undefined;

  const project = options.project ?? anchor?.project;
  const scope = project === undefined ? {} : { project };
  const isOther = ({ id }: Memory): boolean => id !== anchor?.id;
  const before = options.before ?? DEFAULT_SPAN;
  const after = options.after ?? DEFAULT_SPAN;
  const span = before + after;
  const earlier = index.memoriesBy({ ...scope, until: at, limit: span });
  const later = index.memoriesBy({ ...scope, since: at, order: 'oldest', limit: span + 1 }).filter(isOther);
  return {
    ...(anchor ? { anchor } : {}),
    at,
    // If one side has fewer, the other gets more.
    before: earlier.slice(0, Math.max(before, span - later.length)).toReversed(),
    after: later.slice(0, Math.max(after, span - earlier.length)),
  };
}
