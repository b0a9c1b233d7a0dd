/**
 * Splits the text of a journal file into parts (days, sessions, plain sections, entries); joined, the parts are the file
 * byte for byte. Reads fences, our comments and git's conflict marks, but not the fields of entries.
 */
import { given, ID_PATTERN } from '../../../core/index.ts';
import { commentContent, decode } from './comment.ts';
import { closesFence, opensFence, type Fence } from './fence.ts';
import { parseDayHeading } from './heading.ts';
import { splitLines, type Line } from './text-lines.ts';

export type PartKind = 'start' | 'day' | 'section' | 'session' | 'entry';

export interface Comment {
  /** The memory's id, or the session's. */
  readonly id: string;
  /** The words after the subject, verbatim. */
  readonly words: string;
}

export interface Part {
  kind: PartKind;
  text: string;
  readonly line: number;
  /** A tidemark comment without a heading above it. */
  readonly headless: boolean;
  comment?: Comment;
  /** Range of the comment in `text`. */
  commentAt?: readonly [start: number, end: number];
  /** Ranges of `text` that are not for the reader: comment and conflict marks, in order. */
  skips: (readonly [start: number, end: number])[];
  /** Its comment cannot be read: it is reported and never changed. */
  malformed?: boolean;
}

export interface Scanned {
  readonly parts: readonly Part[];
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
  /** Line of the last conflict mark, if there is a conflict. */
  readonly conflict?: number;
}

/** An editor may wrap a long comment over a few lines. */
const COMMENT_MAX_LINES = 12;
/** Git's conflict marks. */
const CONFLICT = { open: /^<{7}(?: |$)/, base: /^\|{7}(?: |$)/, middle: /^={7}$/, close: /^>{7}(?: |$)/ };

type Side = 'none' | 'ours' | 'base' | 'theirs';

export function scanText(text: string): Scanned {
  const lines = splitLines(text);
  const parts: Part[] = [];
  const problems: { line: number; reason: string }[] = [];
  const marks = new Map<number, Side>(); // the side that begins after each conflict mark
  let side: Side = 'none';
  let conflict: number | undefined;
  let start = 0; // offset of the current part
  let part = newPart('start', 1);
  parts.push(part);

  const begin = (kind: PartKind, at: number, headless = false): void => {
    const line = lines[at];
    if (!line) return;
    part.text = text.slice(start, line.start);
    part = newPart(kind, at + 1, headless);
    parts.push(part);
    start = line.start;
  };
  const skip = (from: number, to = from): readonly [number, number] => {
    const range = [(lines[from]?.start ?? 0) - start, (lines[to]?.end ?? text.length) - start] as const;
    part.skips.push(range);
    return range;
  };
  const report = (at: number, reason: string): void => void problems.push({ line: at + 1, reason });

  const takeComment = (at: number): number => {
    const { inside, last } = readComment(lines, at);
    const [, subject = '', session = ''] = /^(\S+)(?:\s+(\S+))?/.exec(inside) ?? [];
    if (subject === 'end') return last; // the mark between body and fields belongs to the fields
    if (subject === 'session' && decode(session)) {
      const range = skip(at, last);
      if (part.kind !== 'section' || part.comment) {
        report(at, 'a session’s comment without a heading');
        return last;
      }
      part.kind = 'session';
      part.comment = { id: decode(session) ?? '', words: inside.replace(/^\S+\s+\S+/, '') };
      part.commentAt = range;
      return last;
    }
    if (!ID_PATTERN.test(subject)) {
      report(at, 'a tidemark comment that cannot be read');
      part.malformed = true;
      skip(at, last);
      return last;
    }
    if (part.kind !== 'entry' || part.comment) {
      report(at, `entry ${subject} has lost its heading`);
      begin('entry', at, true);
    }
    part.comment = { id: subject, words: inside.slice(subject.length) };
    part.commentAt = skip(at, last);
    return last;
  };

  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]?.text ?? '';
    const first = line.charCodeAt(0);
    if (first === 60 /* < */ && !marks.has(at) && at >= (conflict ?? 0) && CONFLICT.open.test(line)) {
      const found = findConflict(lines, at);
      for (const [mark, next] of found) marks.set(mark, next);
      if (found.length > 0) {
        report(at, 'a merge conflict: both sides are kept; resolve it and remove the marks');
        conflict = (found.at(-1)?.[0] ?? at) + 1;
      }
    }
    side = marks.get(at) ?? side;
    if (marks.has(at) || side === 'base') {
      skip(at);
      continue;
    }
    if (first === 35 /* # */) {
      const kind = headingKind(line);
      if (kind) {
        begin(kind, at);
        continue;
      }
    }
    if (first === 60 && line.startsWith('<!-- tidemark')) {
      at = takeComment(at);
      continue;
    }
    const fence = opensFence(line);
    if (!fence) continue;
    const isEnd = (end: number): boolean => startsPart(lines, end) || marks.has(end);
    const { last, closed } = fenceEnd(lines, at, fence, isEnd);
    if (!closed && !marks.has(last + 1)) report(at, 'a code fence that is not closed');
    at = last;
  }
  part.text = text.slice(start);
  return { parts, problems, ...given({ conflict }) };
}

function newPart(kind: PartKind, line: number, headless = false): Part {
  return { kind, text: '', line, headless, skips: [] };
}

function headingKind(line: string): PartKind | undefined {
  const level = /^(#{1,3})(?:[ \t]|$)/.exec(line)?.[1]?.length;
  if (level === 3) return 'entry';
  if (level === 2) return 'section';
  return level === 1 ? (parseDayHeading(line) ? 'day' : 'section') : undefined;
}

function readComment(lines: readonly Line[], at: number): { inside: string; last: number } {
  let text = '';
  for (let last = at; last < Math.min(lines.length, at + COMMENT_MAX_LINES); last++) {
    const line = lines[last]?.text ?? '';
    if (last > at && (line.trim() === '' || headingKind(line))) break;
    text += `${line}\n`;
    if (line.includes('-->')) return { inside: commentContent(text) ?? '', last };
  }
  return { inside: '', last: at };
}

/** Returns the last line of a fence: the one that closes it, or the one before the next entry or conflict mark. */
function fenceEnd(
  lines: readonly Line[],
  at: number,
  fence: Fence,
  isEnd: (line: number) => boolean,
): { last: number; closed: boolean } {
  for (let end = at + 1; end < lines.length; end++) {
    if (closesFence(lines[end]?.text ?? '', fence)) return { last: end, closed: true };
    if (isEnd(end)) return { last: end - 1, closed: false };
  }
  return { last: lines.length - 1, closed: false };
}

/** Reports whether an entry or session starts here, which ends an unclosed fence. */
function startsPart(lines: readonly Line[], at: number): boolean {
  const line = lines[at]?.text ?? '';
  if (isSubject(line)) return true;
  return line.startsWith('##') && headingKind(line) !== undefined && isSubject(lines[at + 1]?.text ?? '');
}

function isSubject(line: string): boolean {
  return line.startsWith('<!-- tidemark ') && !line.startsWith('<!-- tidemark end ');
}

/** Returns the marks of a complete conflict and the side that begins after each; none for incomplete marks, which are text. */
function findConflict(lines: readonly Line[], open: number): readonly (readonly [number, Side])[] {
  const after = (from: number, mark: RegExp): number => {
    for (let at = from + 1; at < lines.length; at++) if (mark.test(lines[at]?.text ?? '')) return at;
    return -1;
  };
  const middle = after(open, CONFLICT.middle);
  const close = middle < 0 ? -1 : after(middle, CONFLICT.close);
  if (close < 0) return [];
  const base = after(open, CONFLICT.base);
  return [
    [open, 'ours'],
    ...(base > 0 && base < middle ? [[base, 'base'] as const] : []),
    [middle, 'theirs'],
    [close, 'none'],
  ];
}
