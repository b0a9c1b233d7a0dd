/** Changes by a person's verb to the text of one file: take away, set a state, rewrite, give ids. Pure. */
import { given, type Memory } from '../../../core/index.ts';
import type { DayContext, Hand, MemoryPatch, StateChange } from '../types.ts';
import { listOf } from './comment.ts';
import { adoptEntries, openDoc, renderDoc, replaceText, type Doc, type Group } from './document.ts';
import { humanLines, readEntry, renderEntry, restate } from './entry.ts';
import { tidyMemory } from './normalise.ts';
import { readHead, renderHead } from './session.ts';

/** The text without these entries and all copies of them; nothing where nothing is left to read. */
export function removeFrom(text: string, ids: ReadonlySet<string>, context: DayContext): string | null {
  const doc = openDoc(text, context);
  const gone = new Set([...doc.byId].filter(([id]) => ids.has(id)).map(([, { part }]) => part));
  for (const group of doc.groups) {
    for (const part of group.entries) if (part.comment && ids.has(part.comment.id)) gone.add(part);
  }
  if (gone.size === 0) return text;
  for (const group of doc.groups) {
    const left = group.entries.filter((part) => !gone.has(part));
    if (left.length === group.entries.length) continue;
    group.entries.splice(0, group.entries.length, ...left);
    doc.respaced.add(group.entries.at(-1) ?? group.head);
  }
  dropEmptySessions(doc);
  adoptEntries(doc);
  return saysNothing(doc) ? null : renderDoc(doc);
}

export function restateIn(text: string, id: string, change: StateChange, context: DayContext): string {
  const doc = openDoc(text, context);
  const there = doc.byId.get(id);
  if (!there || doc.conflict !== undefined) return text;
  if (there.part.comment?.id !== id) adoptEntries(doc); // by hand so far: the state needs a comment to stand in
  const entry = readEntry(there.part, { project: context.project, date: there.group.date });
  const { supersedes, supersededBy, resolvedBy: _, ...bare } = entry.memory;
  const replaces = change.supersedes ?? supersedes ?? [];
  const replacedBy = change.supersededBy ?? supersededBy ?? '';
  const memory: Memory = {
    ...bare,
    state: change.state,
    ...(replaces.length > 0 ? { supersedes: replaces } : {}),
    ...(replacedBy ? { supersededBy: replacedBy } : {}),
  };
  replaceText(doc, there.part, restate(there.part, entry, memory, true));
  return renderDoc(doc);
}

/** From then on the text is a person's: distilling the turn again does not change it. */
export function patchIn(text: string, id: string, patch: MemoryPatch, context: DayContext): string {
  const doc = openDoc(text, context);
  const there = doc.byId.get(id);
  if (!there || doc.conflict !== undefined) return text;
  const { memory, attributes, held } = readEntry(there.part, {
    project: context.project,
    date: there.group.date,
  });
  const marks = { held, unknown: attributes.unknown, unsummed: true };
  replaceText(doc, there.part, renderEntry(tidyMemory({ ...memory, id, ...patch }), marks));
  adoptEntries(doc);
  return renderDoc(doc);
}

/**
 * Another machine's version of an entry in place of this one. The text and the state are a person's from then on. Nothing
 * where another text stands there than the one seen.
 */
export function replaceIn(
  text: string,
  memory: Memory,
  seen: Memory | undefined,
  context: DayContext,
): string | undefined {
  const doc = openDoc(text, context);
  const there = doc.byId.get(memory.id);
  if (!there || doc.conflict !== undefined) return undefined;
  const { memory: before, attributes } = readEntry(there.part, {
    project: context.project,
    date: there.group.date,
  });
  if (seen && JSON.stringify(seen) !== JSON.stringify(before)) return undefined;
  const { also } = before.provenance;
  const { author: _, ...bare } = memory;
  const next: Memory = {
    ...bare,
    ...given({ author: before.author }),
    provenance: { ...memory.provenance, ...(also ? { also } : {}) },
  };
  const held = next.state !== before.state || listOf(attributes, 'held').includes('state');
  replaceText(doc, there.part, renderEntry(next, { held, unknown: attributes.unknown, unsummed: true }));
  adoptEntries(doc);
  return renderDoc(doc);
}

/** What a person did to those of these entries that stand in this text. */
export function handsIn(
  text: string,
  ids: readonly string[],
  context: DayContext,
): readonly (readonly [string, Hand])[] {
  const doc = openDoc(text, context);
  return ids.flatMap((id) => {
    const there = doc.byId.get(id);
    if (!there) return [];
    const entry = readEntry(there.part, { project: context.project, date: there.group.date });
    return [[id, { edited: entry.edited(), held: entry.held }] as const];
  });
}

export function adoptIn(text: string, context: DayContext): string {
  const doc = openDoc(text, context);
  return adoptEntries(doc) ? renderDoc(doc) : text;
}

/** A session without what was said about it: its heading goes, or stays bare over entries that are left. */
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
  return saysNothing(doc) ? null : renderDoc(doc);
}

/** A session with neither entries nor summary nor notes is only a title, and that may be what is to be forgotten. */
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

function saysNothing(doc: Doc): boolean {
  return doc.groups.every(({ head, entries }) => {
    if (entries.length > 0) return false;
    const lines = humanLines(head);
    if (head.kind === 'day') return lines.slice(1).join('').trim() === '';
    return head.kind === 'start' && lines.join('').trim() === '';
  });
}
