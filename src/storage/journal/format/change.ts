/** The user's changes to the text of one file: remove entries, set a state, edit, write ids. Pure. */
import { given, type Memory } from '../../../core/index.ts';
import type { DayContext, MemoryPatch, StateChange, UserChanges } from '../types.ts';
import { listOf } from './comment.ts';
import {
  adoptEntries,
  entryAt,
  openDoc,
  removeParts,
  renderDoc,
  replaceText,
  type Doc,
  type Group,
} from './document.ts';
import { humanLines, renderEntry, restate } from './entry.ts';
import { filled, tidyMemory } from './normalise.ts';
import { readHead, renderHead } from './session.ts';

/** Returns the text without these entries and their copies; null when nothing is left. */
export function removeFrom(text: string, ids: ReadonlySet<string>, context: DayContext): string | null {
  const doc = openDoc(text, context);
  const gone = new Set([...doc.byId].filter(([id]) => ids.has(id)).map(([, { part }]) => part));
  for (const group of doc.groups) {
    for (const part of group.entries) if (part.comment && ids.has(part.comment.id)) gone.add(part);
  }
  if (gone.size === 0) return text;
  removeParts(doc, gone);
  dropEmptySessions(doc);
  adoptEntries(doc);
  return isEmpty(doc) ? null : renderDoc(doc);
}

export function restateIn(text: string, id: string, change: StateChange, context: DayContext): string {
  const doc = openDoc(text, context);
  const found = doc.byId.get(id);
  if (!found || doc.conflict !== undefined) return text;
  if (found.part.comment?.id !== id) adoptEntries(doc); // the state is stored in the comment
  const entry = entryAt(doc, found);
  const { supersedes, supersededBy, resolvedBy: _, ended: __, ...bare } = entry.memory;
  const memory: Memory = {
    ...bare,
    state: change.state,
    ...filled({
      supersedes: change.supersedes ?? supersedes,
      supersededBy: change.supersededBy ?? supersededBy,
    }),
  };
  replaceText(doc, found.part, restate(found.part, entry, memory, true));
  return renderDoc(doc);
}

/** Edits an entry for the user: distilling the turn again does not change it. */
export function patchIn(text: string, id: string, patch: MemoryPatch, context: DayContext): string {
  const doc = openDoc(text, context);
  const found = doc.byId.get(id);
  if (!found || doc.conflict !== undefined) return text;
  const { memory, attributes, held } = entryAt(doc, found);
  const marks = { held, unknown: attributes.unknown, unsummed: true };
  replaceText(doc, found.part, renderEntry(tidyMemory({ ...memory, id, ...patch }), marks));
  adoptEntries(doc);
  return renderDoc(doc);
}

/**
 * Replaces an entry by another machine's version, which then counts as edited by the user. Returns undefined when the
 * current entry differs from `seen`.
 */
export function replaceIn(
  text: string,
  memory: Memory,
  seen: Memory | undefined,
  context: DayContext,
): string | undefined {
  const doc = openDoc(text, context);
  const found = doc.byId.get(memory.id);
  if (!found || doc.conflict !== undefined) return undefined;
  const { memory: before, attributes } = entryAt(doc, found);
  if (seen && JSON.stringify(seen) !== JSON.stringify(before)) return undefined;
  const { also } = before.provenance;
  const { author: _, ...bare } = memory;
  const next: Memory = {
    ...bare,
    ...given({ author: before.author }),
    provenance: { ...memory.provenance, ...given({ also }) },
  };
  const held = next.state !== before.state || listOf(attributes, 'held').includes('state');
  replaceText(doc, found.part, renderEntry(next, { held, unknown: attributes.unknown, unsummed: true }));
  adoptEntries(doc);
  return renderDoc(doc);
}

/** Returns the user's changes to those of the entries that are in this text. */
export function userChangesIn(
  text: string,
  ids: readonly string[],
  context: DayContext,
): readonly (readonly [string, UserChanges])[] {
  const doc = openDoc(text, context);
  return ids.flatMap((id) => {
    const found = doc.byId.get(id);
    if (!found) return [];
    const entry = entryAt(doc, found);
    return [[id, { edited: entry.edited(), held: entry.held }] as const];
  });
}

export function adoptIn(text: string, context: DayContext): string {
  const doc = openDoc(text, context);
  return adoptEntries(doc) ? renderDoc(doc) : text;
}

/** Removes title and summary of a session; its heading stays only above remaining entries. */
export function dropSessionFrom(text: string, id: string, context: DayContext): string | null {
  const doc = openDoc(text, context);
  const groups = doc.groups.filter(({ head }) => head.kind === 'session' && head.comment?.id === id);
  if (groups.length === 0) return text;
  for (const group of groups) {
    const { head, attributes, edited, notes } = readHead(group.head);
    if (group.entries.length === 0 && !edited && notes === '') {
      doc.groups.splice(doc.groups.indexOf(group), 1);
      continue;
    }
    const { summary: _, ...bare } = { ...head, title: '' };
    replaceText(doc, group.head, renderHead(bare, group.date, attributes.unknown, notes));
  }
  return isEmpty(doc) ? null : renderDoc(doc);
}

/** A session without entries, summary and notes is only a title, which may have to be forgotten too. */
function dropEmptySessions(doc: Doc): void {
  const empty = doc.groups.filter(isEmptySession);
  for (const group of empty) {
    const at = doc.groups.indexOf(group);
    const before = doc.groups[at - 1];
    if (before) doc.respaced.add(before.entries.at(-1) ?? before.head);
    doc.groups.splice(at, 1);
  }
}

function isEmptySession(group: Group): boolean {
  if (group.head.kind !== 'session' || group.entries.length > 0) return false;
  const { head, edited, notes } = readHead(group.head);
  return !edited && notes === '' && head.summary === undefined;
}

function isEmpty(doc: Doc): boolean {
  return doc.groups.every(({ head, entries }) => {
    if (entries.length > 0) return false;
    const lines = humanLines(head);
    if (head.kind === 'day') return lines.slice(1).join('').trim() === '';
    return head.kind === 'start' && lines.join('').trim() === '';
  });
}
