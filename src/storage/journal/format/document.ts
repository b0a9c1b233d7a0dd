/**
 * A journal file opened for a change: groups (a day, a session, a plain section) of entries. Unchanged parts are written
 * back byte for byte.
 */
import type { DayContext } from '../types.ts';
import { parseAttributes, textOf } from './comment.ts';
import {
  derivedId,
  entryComment,
  humanLines,
  readEntry,
  sameText,
  withComment,
  type ReadEntry,
} from './entry.ts';
import { parseDayHeading } from './heading.ts';
import { scanText, type Part } from './scan.ts';

export interface Group {
  head: Part;
  readonly entries: Part[];
  /** The day of its entries. */
  readonly date: string;
}

export interface EntryPlace {
  readonly group: Group;
  readonly part: Part;
}

export interface Doc {
  readonly context: DayContext;
  readonly eol: string;
  readonly groups: Group[];
  /** Parts whose surrounding white space is set when rendering. */
  readonly respaced: Set<Part>;
  /** The last part of the file as it was read. */
  readonly last: Part | undefined;
  /** By written or derived id. */
  readonly byId: Map<string, EntryPlace>;
  /** With a merge conflict, nothing up to this line is changed. */
  readonly conflict: number | undefined;
}

export function openDoc(text: string, context: DayContext): Doc {
  const { parts, conflict } = scanText(text);
  const groups: Group[] = [];
  let date = context.date;
  for (const part of parts) {
    const group = groups.at(-1);
    if (part.kind === 'entry' && group) {
      group.entries.push(part);
      continue;
    }
    if (part.kind === 'day') date = parseDayHeading(humanLines(part)[0] ?? '') ?? date;
    groups.push({ head: part, entries: [], date });
  }
  const doc: Doc = {
    context,
    eol: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n',
    groups,
    respaced: new Set(),
    last: parts.at(-1),
    byId: new Map(),
    conflict,
  };
  indexIds(doc);
  return doc;
}

export function renderDoc(doc: Doc): string {
  const parts = doc.groups
    .flatMap((group) => [group.head, ...group.entries])
    .filter((part) => part.text !== '');
  return parts
    .map((part, at) => {
      const next = parts[at + 1];
      if (!next)
        return part === doc.last && !doc.respaced.has(part) ? part.text : part.text.trimEnd() + doc.eol;
      const ours = doc.respaced.has(part) || doc.respaced.has(next);
      return ours ? part.text.trimEnd() + doc.eol + doc.eol : part.text;
    })
    .join('');
}

/** Creates a part whose text starts with its heading. */
export function newPart(doc: Doc, text: string): Part {
  const part: Part = { kind: 'entry', text: '', line: Infinity, headless: false, skips: [] };
  setText(part, withEol(text.trimEnd(), doc.eol) + doc.eol);
  doc.respaced.add(part);
  return part;
}

/** Replaces the text of a part; the white space after it stays. */
export function replaceText(doc: Doc, part: Part, text: string): void {
  const tail = part.text.slice(part.text.trimEnd().length) || doc.eol;
  setText(part, withEol(text.trimEnd(), doc.eol) + tail);
}

function setText(part: Part, text: string): void {
  const fresh = scanText(text).parts[1]; // the first part is the empty text before the heading
  if (!fresh) throw new RangeError('a part starts with its heading');
  part.kind = fresh.kind;
  part.text = text;
  part.skips = fresh.skips;
  if (fresh.comment) part.comment = fresh.comment;
  if (fresh.commentAt) part.commentAt = fresh.commentAt;
}

/** Writes ids for entries without one: entries that the user added and changed copies. */
export function adoptEntries(doc: Doc): boolean {
  if (doc.conflict !== undefined) return false;
  let adopted = false;
  for (const [id, { group, part }] of doc.byId) {
    if (part.comment?.id === id || part.malformed) continue;
    const { memory, attributes } = entryAt(doc, { group, part });
    const comment = entryComment({ ...memory, id }, '', { unknown: attributes.unknown });
    setText(part, withComment(part, comment));
    adopted = true;
  }
  return adopted;
}

/** Returns the sort key of an entry; equal times are sorted by id. */
export function entryTime(part: Part, group: Group): number {
  const at = part.comment && textOf(parseAttributes(part.comment.words), 'at');
  const time = at ? Date.parse(at) : NaN;
  return Number.isNaN(time) ? Date.parse(readEntry(part, { project: '', date: group.date }).memory.at) : time;
}

export function entryAt(doc: Doc, { group, part }: EntryPlace): ReadEntry {
  return readEntry(part, { project: doc.context.project, date: group.date });
}

/** Inserts an entry into its group by time, then id. Returns its position. */
export function insertSorted(group: Group, part: Part, time: number, id: string): number {
  const before = group.entries.findIndex((other) => {
    const otherTime = entryTime(other, group);
    return otherTime > time || (otherTime === time && (other.comment?.id ?? '') > id);
  });
  const at = before < 0 ? group.entries.length : before;
  group.entries.splice(at, 0, part);
  return at;
}

export function removeParts(doc: Doc, gone: ReadonlySet<Part>): void {
  for (const group of doc.groups) {
    const left = group.entries.filter((part) => !gone.has(part));
    if (left.length === group.entries.length) continue;
    group.entries.splice(0, group.entries.length, ...left);
    doc.respaced.add(group.entries.at(-1) ?? group.head);
  }
}

function indexIds(doc: Doc): void {
  const copies: EntryPlace[] = [];
  for (const group of doc.groups) {
    for (const part of group.entries) {
      const id = part.comment?.id;
      if (id === undefined || doc.byId.has(id)) copies.push({ group, part });
      else doc.byId.set(id, { group, part });
    }
  }
  for (const { group, part } of copies) {
    const first = part.comment && doc.byId.get(part.comment.id)?.part;
    if (first && sameText(first, part)) continue;
    const { memory } = entryAt(doc, { group, part });
    const id = derivedId(part, memory.at, memory.kind);
    if (!doc.byId.has(id)) doc.byId.set(id, { group, part });
  }
}

function withEol(text: string, eol: string): string {
  return text.replace(/\r?\n/g, eol);
}
