/**
 * Writes memories and session heads into the text of one file. Pure and idempotent: repeating it changes nothing, any order
 * gives the same text, and the user's edits stay.
 */
import { PERSONAL_PROJECT, type Memory } from '../../../core/index.ts';
import type { DayContext, SessionHead } from '../types.ts';
import { textOf } from './comment.ts';
import {
  adoptEntries,
  entryAt,
  entryTime,
  insertSorted,
  newPart,
  openDoc,
  renderDoc,
  replaceText,
  type Doc,
  type Group,
} from './document.ts';
import { entryComment, renderEntry, restate, withComment, type ReadEntry } from './entry.ts';
import { dateOf, renderDayHeading } from './heading.ts';
import { filled } from './normalise.ts';
import type { Part } from './scan.ts';
import { headComment, mergeHeads, readHead, renderHead, type OpenHead } from './session.ts';

export interface PutWork {
  readonly memories: readonly { readonly memory: Memory; readonly known: boolean }[];
  readonly heads: readonly SessionHead[];
}

export interface PutOutcome {
  readonly text: string | null;
  readonly made: readonly string[];
  readonly updated: readonly string[];
  readonly edited: readonly string[];
  readonly skipped: readonly string[];
}

/** A `known` memory was in this file a moment ago: if it is missing now, the user deleted it, and it is skipped. */
export function putInto(text: string | null, work: PutWork, context: DayContext): PutOutcome {
  const blank = text === null || text.trim() === '';
  const doc = openDoc(blank ? `${renderDayHeading(context.date, context.project)}\n` : text, context);
  const heads = new Map(work.heads.map((head) => [head.id, head]));
  const out = {
    made: [] as string[],
    updated: [] as string[],
    edited: [] as string[],
    skipped: [] as string[],
  };
  let changed = false;
  for (const head of work.heads) changed = putHead(doc, head) || changed;
  for (const { memory, known } of work.memories) {
    const found = doc.byId.get(memory.id);
    if (!found && known) {
      out.skipped.push(memory.id);
      continue;
    }
    if (!found) {
      insertEntry(doc, memory, heads.get(memory.provenance.session));
      out.made.push(memory.id);
      changed = true;
      continue;
    }
    const entry = entryAt(doc, found);
    const edited = entry.edited();
    if (edited) out.edited.push(memory.id);
    if (doc.conflict !== undefined || !updateEntry(doc, found.part, entry, memory, edited)) continue;
    out.updated.push(memory.id);
    changed = true;
  }
  if (!changed) return { text, ...out };
  adoptEntries(doc);
  return { text: renderDoc(doc), ...out };
}

function updateEntry(doc: Doc, part: Part, entry: ReadEntry, memory: Memory, edited: boolean): boolean {
  const { attributes, memory: before } = entry;
  const unknown = attributes.unknown;
  const heldByVerb = textOf(attributes, 'held') !== '';
  const state = entry.held ? before : memory;
  const { supersedes: _, supersededBy: __, resolvedBy: ___, seen: ____, ...other } = edited ? before : memory;
  const { ended: ______, ...bare } = other;
  const { also: _____, ...provenance } = bare.provenance;
  const target: Memory = {
    ...bare,
    state: state.state,
    ...filled({
      supersedes: [...new Set([...(state.supersedes ?? []), ...(memory.supersedes ?? [])])],
      supersededBy: state.supersededBy,
      resolvedBy: state.resolvedBy,
      ended: state.ended,
      seen: memory.seen,
    }),
    provenance: { ...provenance, ...filled({ also: memory.provenance.also }) },
  };
  if (!edited) {
    const next = renderEntry(target, { held: entry.held, unknown });
    // A state that is set only by the heading is not worth a write.
    const same = renderEntry(
      { ...target, state: heldByVerb ? target.state : memory.state },
      { held: heldByVerb, unknown },
    );
    const now = commentText(part);
    if (commentIn(next) === now || commentIn(same) === now) return false;
    replaceText(doc, part, next);
    return true;
  }
  const sum = textOf(attributes, 'sum');
  const marks = { held: heldByVerb, unknown };
  if (!part.comment || entryComment(target, sum, marks) === entryComment(before, sum, marks)) return false;
  replaceText(doc, part, restate(part, entry, target, entry.held));
  return true;
}

function insertEntry(doc: Doc, memory: Memory, head: SessionHead | undefined): void {
  const part = newPart(doc, renderEntry(memory));
  const { session } = memory.provenance;
  const isLoose = session === '' || doc.context.project === PERSONAL_PROJECT; // personal entries have no session heading
  const group = isLoose ? looseGroup(doc) : sessionGroup(doc, head ?? { id: session, agent: '', title: '' });
  const at = insertSorted(group, part, Date.parse(memory.at), memory.id);
  doc.byId.set(memory.id, { group, part });
  if (at === 0) sortGroup(doc, group);
}

/** Returns the group of a session; adds it when it is missing. */
function sessionGroup(doc: Doc, head: OpenHead): Group {
  const known = doc.groups.find((group) => isSession(doc, group, head.id));
  if (known) return known;
  const { summary, ...rest } = head;
  const isFirstDay = head.startedAt && dateOf(head.startedAt) === doc.context.date;
  const part = newPart(
    doc,
    renderHead(isFirstDay && summary ? { ...rest, summary } : rest, doc.context.date),
  );
  const group: Group = { head: part, entries: [], date: doc.context.date };
  doc.groups.push(group);
  sortGroup(doc, group);
  return group;
}

/** Returns the group under the day's heading, for entries without a session. */
function looseGroup(doc: Doc): Group {
  const clean = doc.groups.filter((group) => group.head.line >= (doc.conflict ?? 0));
  const day =
    clean.find((group) => group.head.kind === 'day') ?? clean.find((group) => group.head.kind === 'start');
  if (day) return day;
  const head = newPart(doc, `${renderDayHeading(doc.context.date, doc.context.project)}\n`);
  const group: Group = { head, entries: [], date: doc.context.date };
  doc.groups.push(group);
  return group;
}

/** Moves a session to its place by start time, else by its first entry. Other groups stay where the user put them. */
function sortGroup(doc: Doc, group: Group): void {
  if (group.head.kind !== 'session' || doc.conflict !== undefined) return;
  const at = doc.groups.indexOf(group);
  const [previous] = doc.groups.slice(Math.max(0, at - 1), at);
  doc.groups.splice(at, 1);
  const key = groupKey(group);
  const before = doc.groups.findIndex((other) => startsAfter(other, key));
  const to = before < 0 ? doc.groups.length : before;
  doc.groups.splice(to, 0, group);
  if (to === at) return;
  doc.respaced.add(group.entries.at(-1) ?? group.head).add(group.head);
  if (previous) doc.respaced.add(previous.entries.at(-1) ?? previous.head);
}

/** Reports whether a group is a session that is sorted after this key. */
export function startsAfter(group: Group, [time, id]: readonly [number, string]): boolean {
  if (group.head.kind !== 'session') return false;
  const [otherTime, otherId] = groupKey(group);
  return otherTime > time || (otherTime === time && otherId > id);
}

/** Returns the sort key of a session: its start time, else the time of its first entry, then its id. */
export function groupKey(group: Group): readonly [number, string] {
  const id = group.head.comment?.id ?? '';
  const started = readHead(group.head).head.startedAt;
  if (started) return [Date.parse(started), id];
  return [Math.min(...group.entries.map((part) => entryTime(part, group))), id];
}

/** The summary is written on the day the session began; other days have only the heading. */
function putHead(doc: Doc, head: SessionHead): boolean {
  const groups = doc.groups.filter((group) => isSession(doc, group, head.id));
  const home = dateOf(head.startedAt);
  if (groups.length === 0 && head.summary && home === doc.context.date) {
    sessionGroup(doc, head);
    return true;
  }
  return groups.map((group) => updateHead(doc, group, head, home)).includes(true);
}

function updateHead(doc: Doc, group: Group, head: SessionHead, home: string): boolean {
  if (doc.conflict !== undefined) return false;
  const { head: before, attributes, edited, notes } = readHead(group.head);
  const { summary, ...merged } = mergeHeads(before, head);
  const shown = home === group.date ? summary : head.summary ? undefined : before.summary;
  const next: OpenHead = shown ? { ...merged, summary: shown } : merged;
  if (edited) {
    const sum = textOf(attributes, 'sum');
    const comment = headComment(next, sum, attributes.unknown);
    if (comment === commentText(group.head)) return false;
    replaceText(doc, group.head, withComment(group.head, comment));
  } else {
    const text = renderHead(next, group.date, attributes.unknown, notes);
    if (commentIn(text) === commentText(group.head)) return false;
    replaceText(doc, group.head, text);
  }
  if (before.startedAt !== next.startedAt) sortGroup(doc, group);
  return true;
}

function isSession(doc: Doc, group: Group, id: string): boolean {
  if (group.head.kind !== 'session' || group.head.comment?.id !== id) return false;
  return group.head.line >= (doc.conflict ?? 0);
}

/** Returns the comment. It contains the checksum of the text, so equal comments mean equal texts. */
function commentIn(text: string): string {
  return text.split('\n')[1]?.trim() ?? '';
}

function commentText(part: Part): string {
  return part.commentAt
    ? part.text
        .slice(...part.commentAt)
        .replace(/\s+/g, ' ')
        .trim()
    : '';
}
