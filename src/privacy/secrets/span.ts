/** A range of text to replace, and merging the ranges of several detectors. */

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly type: string;
}

export type Counts = Readonly<Record<string, number>>;

export function placeholder(type: string): string {
  return `[redacted:${type}]`;
}

export const PLACEHOLDER_START = '[redacted:';

/**
 * Merges overlapping spans. The type of the first one in `spans` wins, so the most specific detectors (private spans,
 * known formats) come first.
 */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const ranked = spans.map((span, rank) => ({ ...span, rank })).sort((a, b) => a.start - b.start);
  const merged: { start: number; end: number; type: string; rank: number }[] = [];
  for (const span of ranked) {
    const last = merged[merged.length - 1];
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      continue;
    }
    last.end = Math.max(last.end, span.end);
    if (span.rank < last.rank) {
      last.rank = span.rank;
      last.type = span.type;
    }
  }
  return merged;
}

export function replaceSpans(text: string, spans: readonly Span[]): string {
  let out = '';
  let from = 0;
  for (const span of spans) {
    out += text.slice(from, span.start) + placeholder(span.type);
    from = span.end;
  }
  return out + text.slice(from);
}

export function addCounts(into: Record<string, number>, more: Counts): void {
  for (const [type, count] of Object.entries(more)) into[type] = (into[type] ?? 0) + count;
}
