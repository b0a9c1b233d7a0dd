/**
 * A journal file opened for a change: groups (a day, a session, a plain section) of entries, each part verbatim until
 * something about it changes. Written back, every part nobody touched is the same bytes in the same order.
 */
import type { DayContext } from '../types.ts';
import { parseAttributes, textOf } from './comment.ts';
import { derivedId, humanLines, readEntry, sameText, withComment, entryComment } from './entry.ts';
import { parseDayHeading } from './heading.ts';
import { scanText, type Part } from './scan.ts';

export interface Group {
  head: Part;
  readonly entries: Part[];
  /** The day its entries belong to. */
  readonly date: string;
}

export interface Doc {
  readonly context: DayContext;
  readonly eol: string;
  readonly groups: Group[];
  /** Parts after which the white space is ours to set. */
  readonly respaced: Set<Part>;
  /** The last part as the file was read: only its end is the file's end. */
  readonly last: Part | undefined;
  /** By the id it goes by, written or derived. */
  readonly byId: Map<string, { readonly group: Group; readonly part: Part }>;
  /** Under merge conflict nothing is changed up to this line. */
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

/** A part of our making: its text starts with its heading. */
export function newPart(doc: Doc, text: string): Part {
  const part: Part = { kind: 'entry', text: '', line: Infinity, headless: false, skips: [] };
  setText(part, withEol(text.trimEnd(), doc.eol) + doc.eol);
  doc.respaced.add(part);
  return part;
}

/** The whole part anew; the white space after it stays as it was. */
export function replaceText(doc: Doc, part: Part, text: string): void {
  const tail = part.text.slice(part.text.trimEnd().length) || doc.eol;
  setText(part, withEol(text.trimEnd(), doc.eol) + tail);
}

function setText(part: Part, text: string): void {
  const fresh = scanText(text).parts[1]; // the first is what stands before any heading: nothing
  if (!fresh) throw new RangeError('a part starts with its heading');
  part.kind = fresh.kind;
  part.text = text;
  part.skips = fresh.skips;
  if (fresh.comment) part.comment = fresh.comment;
  if (fresh.commentAt) part.commentAt = fresh.commentAt;
}

/** Entries without an id of their own in the file get one written: by hand, or a changed copy. */
export function adoptEntries(doc: Doc): boolean {
  if (doc.conflict !== undefined) return false;
  let adopted = false;
  for (const [id, { group, part }] of doc.byId) {
    if (part.comment?.id === id || part.malformed) continue;
    const { memory, attributes } = readEntry(part, { project: doc.context.project, date: group.date });
    const comment = entryComment({ ...memory, id }, '', { unknown: attributes.unknown });
    setText(part, withComment(part, comment));
    adopted = true;
  }
  return adopted;
}

/** Sorted by this, then by id. */
export function entryTime(part: Part, group: Group): number {
  const at = part.comment && textOf(parseAttributes(part.comment.words), 'at');
  const time = at ? Date.parse(at) : NaN;
  return Number.isNaN(time) ? Date.parse(readEntry(part, { project: '', date: group.date }).memory.at) : time;
}

function indexIds(doc: Doc): void {
  const copies: { group: Group; part: Part }[] = [];
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
    const { memory } = readEntry(part, { project: doc.context.project, date: group.date });
    const id = derivedId(part, memory.at, memory.kind);
    if (!doc.byId.has(id)) doc.byId.set(id, { group, part });
  }
}

function withEol(text: string, eol: string): string {
  return text.replace(/\r?\n/g, eol);
}
