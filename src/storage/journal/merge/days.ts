/**
 * Merges two versions of a journal file entry by entry, with their common version: additions, changes and deletions of one
 * side apply; an entry that both changed is merged by itself, and no text of the user is lost. Pure.
 */
import { adoptIn } from '../format/change.ts';
import {
  entryTime,
  insertSorted,
  newPart,
  openDoc,
  removeParts,
  renderDoc,
  replaceText,
  type Doc,
  type EntryPlace,
  type Group,
} from '../format/document.ts';
import { humanLines, sameText } from '../format/entry.ts';
import { groupKey, startsAfter } from '../format/insert.ts';
import { scanText, type Part } from '../format/scan.ts';
import type { DayContext } from '../types.ts';
import { isSamePart, mergeEntry } from './entry.ts';
import { mergeHead } from './head.ts';

/** Returns undefined when text would be lost, for example when one side has an unresolved conflict. */
export function mergeDays(
  base: string | null,
  ours: string,
  theirs: string,
  context: DayContext,
): string | undefined {
  if (ours === theirs) return ours;
  if (base !== null && theirs === base) return ours;
  if (base !== null && ours === base) return theirs;
  const [old, doc, other] = [base ?? '', ours, theirs].map((text) => openDoc(text, context)) as [
    Doc,
    Doc,
    Doc,
  ]; // three in, three out
  if ([old, doc, other].some(({ conflict }) => conflict !== undefined)) return undefined;

  const remaining: Part[] = [];
  const groups = new Groups(doc);
  const before = new Groups(old);
  const theirGroups = new Groups(other);
  for (const [key, group] of theirGroups.all()) if (!before.get(key)) groups.at(key, group);
  takeEntries(doc, old, other, remaining, (group) => groups.at(theirGroups.keyOf(group), group));
  dropEntries(doc, old, other, remaining);
  mergeHeads(doc, groups, before, theirGroups);

  const text = adoptIn(renderDoc(doc), context);
  return containsAll(text, remaining) ? text : undefined;
}

/** Takes new and changed entries of the other side. */
function takeEntries(
  doc: Doc,
  old: Doc,
  other: Doc,
  remaining: Part[],
  groupFor: (group: Group) => Group,
): void {
  for (const [id, { group, part }] of other.byId) {
    const base = old.byId.get(id)?.part;
    const mine = doc.byId.get(id);
    if (mine) {
      const context = { project: doc.context.project, date: group.date };
      const { text, other: second } = mergeEntry(base, mine.part, part, context);
      if (text.trimEnd() !== mine.part.text.trimEnd()) replaceText(doc, mine.part, text);
      if (second === undefined) continue;
      const stays = newPart(doc, second);
      if ([...doc.byId.values()].some((place) => sameText(place.part, stays))) continue; // from an earlier merge
      insertAfter(doc, mine, stays);
      remaining.push(stays);
      continue;
    }
    // Deleted here: it stays deleted unless the other side changed it.
    if (base && sameText(base, part)) continue;
    const target = groupFor(group);
    const added = newPart(doc, part.text);
    insertSorted(target, added, entryTime(part, group), id);
    remaining.push(part);
  }
}

/** Removes entries that the other side deleted, unless they were changed here. */
function dropEntries(doc: Doc, old: Doc, other: Doc, remaining: Part[]): void {
  const gone = new Set<Part>();
  for (const [id, { part }] of doc.byId) {
    const base = old.byId.get(id)?.part;
    if (!other.byId.has(id) && base && sameText(base, part)) gone.add(part);
    else remaining.push(part);
  }
  removeParts(doc, gone);
}

function mergeHeads(doc: Doc, groups: Groups, before: Groups, theirs: Groups): void {
  for (const [key, group] of theirs.all()) {
    const mine = groups.get(key);
    const base = before.get(key)?.head;
    if (mine) {
      const text = mergeHead(base, mine.head, group.head, group.date);
      if (text.trimEnd() === mine.head.text.trimEnd()) continue;
      if (mine.head.kind === 'start') {
        mine.head.text = text;
        doc.respaced.add(mine.head);
      } else replaceText(doc, mine.head, text);
    } else if (!base || !isSamePart(base, group.head)) groups.at(key, group);
  }
  for (const [key, group] of groups.all()) {
    const base = before.get(key)?.head;
    if (theirs.get(key) || !base || group.entries.length > 0 || !isSamePart(base, group.head)) continue;
    doc.groups.splice(doc.groups.indexOf(group), 1);
  }
}

/** The groups of a file by key: a session of a day, a section by its heading. */
class Groups {
  readonly #doc: Doc;
  readonly #byKey = new Map<string, Group>();
  readonly #keys = new Map<Group, string>();

  constructor(doc: Doc) {
    this.#doc = doc;
    for (const group of doc.groups) {
      const name = nameOf(group);
      let key = name;
      for (let copy = 2; this.#byKey.has(key); copy++) key = `${name} ${copy}`;
      this.#set(key, group);
    }
  }

  all(): readonly (readonly [string, Group])[] {
    return [...this.#byKey];
  }

  get(key: string): Group | undefined {
    return this.#byKey.get(key);
  }

  keyOf(group: Group): string {
    return this.#keys.get(group) ?? '';
  }

  /** Returns the group of that key; adds a copy of the other side's when it is missing. */
  at(key: string, like: Group): Group {
    const known = this.#byKey.get(key);
    if (known) return known;
    const group: Group = { head: newPart(this.#doc, like.head.text), entries: [], date: like.date };
    this.#doc.groups.splice(placeOf(this.#doc, group, like), 0, group);
    this.#set(key, group);
    return group;
  }

  #set(key: string, group: Group): void {
    this.#byKey.set(key, group);
    this.#keys.set(group, key);
  }
}

function nameOf({ head, date }: Group): string {
  switch (head.kind) {
    case 'start':
      return 'start';
    case 'day':
      return `day ${date}`;
    case 'session':
      return `session ${date} ${head.comment?.id ?? ''}`;
    default:
      return `section ${date} ${humanLines(head)[0]?.trim() ?? ''}`;
  }
}

/** Returns the position for a group: days in order, sessions by time within the day, other groups at the end of the day. */
function placeOf(doc: Doc, group: Group, like: Group): number {
  const later = doc.groups.findIndex(({ head, date }) => head.kind !== 'start' && date > group.date);
  const end = later < 0 ? doc.groups.length : later;
  if (group.head.kind !== 'session') return end;
  const key = groupKey(like);
  const at = doc.groups.findIndex((other) => other.date === group.date && startsAfter(other, key));
  return at >= 0 ? at : end;
}

function insertAfter(doc: Doc, { group, part }: EntryPlace, next: Part): void {
  group.entries.splice(group.entries.indexOf(part) + 1, 0, next);
  doc.respaced.add(part);
}

/** Reports whether the text contains every entry that has to stay. */
function containsAll(text: string, remaining: readonly Part[]): boolean {
  const found = new Set(
    scanText(text)
      .parts.filter(({ kind }) => kind === 'entry')
      .map(wordsOf),
  );
  return remaining.every((part) => found.has(wordsOf(part)));
}

/** Returns the visible text of an entry without white space differences and state, which may have changed. */
function wordsOf(part: Part): string {
  return humanLines(part)
    .join(' ')
    .replace(/ \((?:open|current|resolved|superseded)\)(?= ?[·:–—-])/i, '')
    .replace(/\s+/g, ' ')
    .trim();
}
