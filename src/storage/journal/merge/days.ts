/**
 * Two versions of one journal file brought together entry by entry, with the version both came from: what one side added,
 * changed or took away counts; what both changed is decided by entry, and no text of a person is lost. Pure.
 */
import { adoptIn } from '../format/change.ts';
import {
  entryTime,
  newPart,
  openDoc,
  renderDoc,
  replaceText,
  type Doc,
  type Group,
} from '../format/document.ts';
import { humanLines, sameText } from '../format/entry.ts';
import { groupKey } from '../format/insert.ts';
import { scanText, type Part } from '../format/scan.ts';
import type { DayContext } from '../types.ts';
import { isSamePart, mergeEntry } from './entry.ts';
import { mergeHead } from './head.ts';

/** Nothing where it cannot be done without losing something, as when one side holds a conflict that is not resolved. */
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

  const kept: Part[] = [];
  const groups = new Groups(doc);
  const before = new Groups(old);
  const theirGroups = new Groups(other);
  for (const [key, group] of theirGroups.all()) if (!before.get(key)) groups.at(key, group);
  takeEntries(doc, old, other, kept, (group) => groups.at(theirGroups.keyOf(group), group));
  dropEntries(doc, old, other, kept);
  mergeHeads(doc, groups, before, theirGroups);

  const text = adoptIn(renderDoc(doc), context);
  return holdsAll(text, kept) ? text : undefined;
}

/** What the other side has: new, changed, or gone here. */
function takeEntries(doc: Doc, old: Doc, other: Doc, kept: Part[], groupFor: (group: Group) => Group): void {
  for (const [id, { group, part }] of other.byId) {
    const base = old.byId.get(id)?.part;
    const mine = doc.byId.get(id);
    if (mine) {
      const context = { project: doc.context.project, date: group.date };
      const { text, other: second } = mergeEntry(base, mine.part, part, context);
      if (text.trimEnd() !== mine.part.text.trimEnd()) replaceText(doc, mine.part, text);
      if (second === undefined) continue;
      const stays = newPart(doc, second);
      if ([...doc.byId.values()].some((there) => sameText(there.part, stays))) continue; // from a merge before
      insertAfter(doc, mine, stays);
      kept.push(stays);
      continue;
    }
    // Taken away here: so it stays, unless the other side has written something new in it.
    if (base && sameText(base, part)) continue;
    const target = groupFor(group);
    const added = newPart(doc, part.text);
    insertInto(target, added, entryTime(part, group), id);
    kept.push(part);
  }
}

/** What the other side took away goes here too, unless something new was written in it here. */
function dropEntries(doc: Doc, old: Doc, other: Doc, kept: Part[]): void {
  const gone = new Set<Part>();
  for (const [id, { part }] of doc.byId) {
    const base = old.byId.get(id)?.part;
    if (!other.byId.has(id) && base && sameText(base, part)) gone.add(part);
    else kept.push(part);
  }
  if (gone.size === 0) return;
  for (const group of doc.groups) {
    const left = group.entries.filter((part) => !gone.has(part));
    if (left.length === group.entries.length) continue;
    group.entries.splice(0, group.entries.length, ...left);
    doc.respaced.add(group.entries.at(-1) ?? group.head);
  }
}

function mergeHeads(doc: Doc, groups: Groups, before: Groups, theirs: Groups): void {
  for (const [key, group] of theirs.all()) {
    const mine = groups.get(key);
    const base = before.get(key)?.head;
    if (mine) {
      const text = mergeHead(base, mine.head, group.head, group.date);
      if (text.trimEnd() === mine.head.text.trimEnd()) continue;
      if (mine.head.kind === 'start') mine.head.text = text;
      else replaceText(doc, mine.head, text);
    } else if (!base || !isSamePart(base, group.head)) groups.at(key, group);
  }
  for (const [key, group] of groups.all()) {
    const base = before.get(key)?.head;
    if (theirs.get(key) || !base || group.entries.length > 0 || !isSamePart(base, group.head)) continue;
    doc.groups.splice(doc.groups.indexOf(group), 1);
  }
}

/** The groups of a file by what they are: a session of a day, a section by its heading. */
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

  /** The group of that key, made after the other side's where there is none. */
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

/** Days in order, and within its day a session by its time; anything else at the end of its day. */
function placeOf(doc: Doc, group: Group, like: Group): number {
  const later = doc.groups.findIndex(({ head, date }) => head.kind !== 'start' && date > group.date);
  const end = later < 0 ? doc.groups.length : later;
  if (group.head.kind !== 'session') return end;
  const [time, id] = groupKey(like);
  const at = doc.groups.findIndex((other) => {
    if (other.head.kind !== 'session' || other.date !== group.date) return false;
    const [otherTime, otherId] = groupKey(other);
    return otherTime > time || (otherTime === time && otherId > id);
  });
  return at < 0 ? end : at;
}

function insertInto(group: Group, part: Part, time: number, id: string): void {
  const key = (other: Part): number => entryTime(other, group);
  const before = group.entries.findIndex(
    (other) => key(other) > time || (key(other) === time && (other.comment?.id ?? '') > id),
  );
  group.entries.splice(before < 0 ? group.entries.length : before, 0, part);
}

function insertAfter(doc: Doc, { group, part }: { group: Group; part: Part }, next: Part): void {
  group.entries.splice(group.entries.indexOf(part) + 1, 0, next);
  doc.respaced.add(part);
}

/** Every text that was to stay is to be read in it. */
function holdsAll(text: string, kept: readonly Part[]): boolean {
  const there = new Set(
    scanText(text)
      .parts.filter(({ kind }) => kind === 'entry')
      .map(wordsOf),
  );
  return kept.every((part) => there.has(wordsOf(part)));
}

/** What a person reads of an entry, without white space and without its state, which may have changed. */
function wordsOf(part: Part): string {
  return humanLines(part)
    .join(' ')
    .replace(/ \((?:open|current|resolved|superseded)\)(?= ?[·:–—-])/i, '')
    .replace(/\s+/g, ' ')
    .trim();
}
