/**
 * The work log of a day: a section with one line per turn, below the sessions. The lines are not memories: nothing is read
 * from them but the turn they belong to. A line that the user changed or deleted stays as it is. Pure.
 */
import type { DayContext, WorkLine } from '../types.ts';
import { decode, encode } from './comment.ts';
import { newPart, openDoc, renderDoc, replaceText, type Doc, type Group } from './document.ts';
import { humanLines, sumOf } from './entry.ts';
import { clock, renderDayHeading } from './heading.ts';

const HEADING = '## Work log';
/** The end of a generated line: turn, time, checksum of the visible text. */
const MARK = /[ \t]*<!-- turn (\S+) (\S+) (\S+) -->[ \t]*$/;

interface ReadLine {
  readonly turn: string;
  readonly at: string;
  /** Whether the user changed the text. Computes a hash, so only on demand. */
  readonly edited: () => boolean;
}

/** `known`: the line was written before, so the user deleted it if it is missing now. */
export interface LoggedLine extends WorkLine {
  readonly known: boolean;
}

/** Writes the lines of these turns: new ones in the order of their times, changed ones in place. */
export function logInto(
  text: string | null,
  lines: readonly LoggedLine[],
  context: DayContext,
): string | null {
  const blank = text === null || text.trim() === '';
  const doc = openDoc(blank ? `${renderDayHeading(context.date, context.project)}\n` : text, context);
  let changed = false;
  for (const line of lines) changed = putLine(doc, line) || changed;
  return changed ? renderDoc(doc) : text;
}

/** Returns the text without the lines of these turns; null when nothing is left. */
export function unlogFrom(text: string, turns: ReadonlySet<string>, context: DayContext): string | null {
  const doc = openDoc(text, context);
  let changed = false;
  for (const group of doc.groups.filter(isWorkLog)) {
    const lines = linesOf(group);
    const left = lines.filter((line) => !turns.has(readLine(line)?.turn ?? ''));
    if (left.length === lines.length) continue;
    changed = true;
    const isEmpty = left.slice(1).join('').trim() === '' && group.entries.length === 0;
    if (!isEmpty) replaceText(doc, group.head, left.join('\n'));
    else removeGroup(doc, group);
  }
  if (!changed) return text;
  const rest = renderDoc(doc);
  return isHeadingOnly(rest, context) ? null : rest;
}

/** Returns the turns with a line in this file. */
export function loggedIn(doc: Doc): ReadonlySet<string> {
  const lines = doc.groups.filter(isWorkLog).flatMap((group) => humanLines(group.head));
  return new Set(lines.flatMap((line) => readLine(line)?.turn ?? []));
}

/**
 * Tidies a merged log: of several lines of one turn the user's stays, else the longest; the lines are sorted by time where
 * they are. Text of the user between them stays in its place.
 */
export function tidyMerged(text: string): string {
  const lines = text.split('\n');
  const read = lines.map(readLine);
  const worth = (at: number): number => (read[at]?.edited() ? Infinity : (lines[at]?.length ?? 0));
  const best = new Map<string, number>();
  for (const [at, line] of read.entries()) {
    const before = line && best.get(line.turn);
    if (line && (before === undefined || worth(at) > worth(before))) best.set(line.turn, at);
  }
  const sorted = [...best.values()].toSorted((a, b) => {
    const [one, other] = [read[a], read[b]];
    return one && other && isLater(one, other) ? 1 : -1;
  });
  const places = [...best.values()].toSorted((a, b) => a - b);
  const at = new Map(places.map((place, i) => [place, lines[sorted[i] ?? place] ?? '']));
  return lines.flatMap((line, i) => (read[i] ? (at.get(i) ?? []) : [line])).join('\n');
}

export function isWorkLogHeading(line: string): boolean {
  return line.trim() === HEADING;
}

function putLine(doc: Doc, line: LoggedLine): boolean {
  for (const group of doc.groups.filter(isWorkLog)) {
    const lines = linesOf(group);
    const at = lines.findIndex((one) => readLine(one)?.turn === line.turn);
    if (at < 0) continue;
    const next = render(line);
    if (lines[at] === next || readLine(lines[at] ?? '')?.edited() || isInConflict(doc, group)) return false;
    replaceText(doc, group.head, lines.with(at, next).join('\n'));
    return true;
  }
  if (line.known) return false;
  const group = logOf(doc);
  const lines = linesOf(group);
  const later = lines.findIndex((one) => isLater(readLine(one), line));
  const last = lines.findLastIndex((one) => one.trim() !== '');
  const at = later < 0 ? last + 1 : later;
  // An empty line between the heading and the list, as formatters write it.
  const added = at === 1 ? ['', render(line)] : [render(line)];
  replaceText(doc, group.head, lines.toSpliced(at, 0, ...added).join('\n'));
  return true;
}

/** Returns the section of the file's day; adds it at the end of the day. */
function logOf(doc: Doc): Group {
  const { date } = doc.context;
  const known = doc.groups.find(
    (group) => isWorkLog(group) && group.date === date && !isInConflict(doc, group),
  );
  if (known) return known;
  const group: Group = { head: newPart(doc, `${HEADING}\n`), entries: [], date };
  const last = doc.groups.at(-1);
  if (last) doc.respaced.add(last.entries.at(-1) ?? last.head);
  const end = doc.groups.findLastIndex((other) => other.date === date);
  doc.groups.splice(doc.conflict === undefined && end >= 0 ? end + 1 : doc.groups.length, 0, group);
  return group;
}

function removeGroup(doc: Doc, group: Group): void {
  const at = doc.groups.indexOf(group);
  const before = doc.groups[at - 1];
  if (before) doc.respaced.add(before.entries.at(-1) ?? before.head);
  doc.groups.splice(at, 1);
}

export function isWorkLog({ head }: Group): boolean {
  return head.kind === 'section' && isWorkLogHeading(humanLines(head)[0] ?? '');
}

function isInConflict(doc: Doc, { head }: Group): boolean {
  return head.line < (doc.conflict ?? 0);
}

function isHeadingOnly(text: string, { date, project }: DayContext): boolean {
  return text.trim() === renderDayHeading(date, project);
}

/** Without the white space at the end, which `replaceText` keeps. */
function linesOf({ head }: Group): readonly string[] {
  return head.text.replaceAll('\r\n', '\n').trimEnd().split('\n');
}

function render({ turn, at, text }: WorkLine): string {
  const visible = `- ${clock(at)} ${text.replace(/\s+/g, ' ').replaceAll('<!--', '<! --').trim()}`;
  return `${visible} <!-- turn ${encode(turn)} ${at} ${sumOf([visible], true)} -->`;
}

function readLine(line: string): ReadLine | undefined {
  const [mark, turn = '', at = '', sum] = (line.includes('<!-- turn ') && MARK.exec(line)) || [];
  const id = decode(turn);
  if (mark === undefined || !id) return undefined;
  return { turn: id, at, edited: () => sumOf([line.slice(0, -mark.length)], true) !== sum };
}

function isLater(other: ReadLine | undefined, { at, turn }: Pick<WorkLine, 'at' | 'turn'>): boolean {
  return other !== undefined && (other.at > at || (other.at === at && other.turn > turn));
}
