/**
 * Cuts the text of a journal file into its parts (days, sessions, plain sections, entries) without changing a byte:
 * the texts of all parts, joined, are the file. Knows fences, our comments and git's conflict marks; knows no fields.
 */
import { given, ID_PATTERN } from '../../../core/index.ts';
import { decode, insideComment } from './comment.ts';
import { opensConflict, wholeConflict, type Side } from './conflict.ts';
import { closesFence, opensFence, type Fence } from './fence.ts';
import { parseDayHeading } from './heading.ts';
import { splitLines, type Line } from './text-lines.ts';

export type PartKind = 'start' | 'day' | 'section' | 'session' | 'entry';

export interface Comment {
  /** The memory's id, or the session's. */
  readonly id: string;
  /** The words after the subject, as they stand. */
  readonly words: string;
}

export interface Part {
  kind: PartKind;
  text: string;
  readonly line: number;
  /** A tidemark comment stands without a heading over it. */
  readonly headless: boolean;
  comment?: Comment;
  /** Where the comment stands in `text`. */
  commentAt?: readonly [start: number, end: number];
  /** Stretches of `text` that are no text of a person: comment, conflict marks. In order. */
  skips: (readonly [start: number, end: number])[];
  /** Its comment cannot be read: it is shown as a problem and left alone. */
  malformed?: boolean;
}

export interface Scanned {
  readonly parts: readonly Part[];
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
  /** Line of the last conflict mark; nothing where there is no conflict. */
  readonly conflict?: number;
}

/** An editor may break a long comment over a few lines, hardly over more. */
const COMMENT_MAX_LINES = 12;

export function scanText(text: string): Scanned {
  const lines = splitLines(text);
  const parts: Part[] = [];
  const problems: { line: number; reason: string }[] = [];
  const marks = new Map<number, Side>(); // what begins after each conflict mark
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
    if (subject === 'end') return last; // the mark between body and fields is read with the fields
    if (subject === 'session' && decode(session)) {
      const range = skip(at, last);
      if (part.kind !== 'section' || part.comment) {
        report(at, 'a session’s comment without its heading');
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
    if (first === 60 /* < */ && !marks.has(at) && at >= (conflict ?? 0) && opensConflict(line)) {
      const found = wholeConflict(lines, at);
      for (const [mark, next] of found) marks.set(mark, next);
      if (found.length > 0) {
        report(at, 'a merge conflict: both sides are kept, resolve it and remove the marks');
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
    if (line.includes('-->')) return { inside: insideComment(text) ?? '', last };
  }
  return { inside: '', last: at };
}

/** The last line of a fence: the one that closes it, or the one before something that cannot be in a fence. */
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

/** Whether an entry or session certainly starts here, so that a fence left open before it ends. */
function startsPart(lines: readonly Line[], at: number): boolean {
  const line = lines[at]?.text ?? '';
  if (isSubject(line)) return true;
  return line.startsWith('##') && headingKind(line) !== undefined && isSubject(lines[at + 1]?.text ?? '');
}

function isSubject(line: string): boolean {
  return line.startsWith('<!-- tidemark ') && !line.startsWith('<!-- tidemark end ');
}
