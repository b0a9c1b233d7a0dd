/**
 * Renders and reads one entry. The visible text (heading, fields) wins over the comment; the comment holds the other
 * fields and a checksum of the generated text, which reveals an edit.
 */
import {
  firstState,
  contentHash,
  EVIDENCE,
  given,
  memoryId,
  shortHash,
  type Ended,
  type Memory,
  type MemoryKind,
  type MemoryState,
} from '../../../core/index.ts';
import { listOf, parseAttributes, renderComment, textOf, type Attributes } from './comment.ts';
import { parseFields, renderFields } from './fields.ts';
import {
  clock,
  parseEntryHeading,
  renderEntryHeading,
  shownState,
  withState,
  type EntryHeading,
} from './heading.ts';
import { filled } from './normalise.ts';
import type { Part } from './scan.ts';

const SUM_LENGTH = 10; // 50 bits
const DEFAULT_KIND: MemoryKind = 'discovery';
const STATES: readonly string[] = ['current', 'open', 'resolved', 'superseded'];

export interface EntryContext {
  readonly project: string;
  readonly date: string;
}

export interface ReadEntry {
  readonly memory: Memory;
  readonly attributes: Attributes;
  /** Reports whether the user wrote or changed the text. Computes a hash, so only on demand. */
  readonly edited: () => boolean;
  /** The user set the state, in the heading or by a verb. */
  readonly held: boolean;
}

export interface EntryMarks {
  readonly held?: boolean;
  readonly unknown?: readonly string[];
  /** Without a checksum the text counts as edited by the user. */
  readonly unsummed?: boolean;
}

/** Returns heading, comment and text, ending in a line break. */
export function renderEntry(memory: Memory, marks: EntryMarks = {}): string {
  const heading = renderEntryHeading(memory.at, memory.kind, memory.state, memory.title);
  const fields = renderFields(memory);
  const sum = marks.unsummed ? '' : sumOf([heading, ...fields.split('\n')]);
  return `${heading}\n${entryComment(memory, sum, marks)}\n${fields === '' ? '' : `${fields}\n`}`;
}

export function entryComment(memory: Memory, sum: string, marks: EntryMarks = {}): string {
  const { provenance } = memory;
  const values = {
    at: memory.at,
    agent: provenance.agent,
    session: provenance.session,
    turn: provenance.turn,
    messages: provenance.messages,
    by: provenance.by,
    state: memory.state,
    supersedes: memory.supersedes ?? [],
    'superseded-by': memory.supersededBy ?? '',
    'resolved-by': memory.resolvedBy ?? '',
    ended: endedWords(memory.ended),
    evidence: memory.evidence ?? '',
    seen: memory.seen ? String(memory.seen) : '',
    also: provenance.also ?? [],
    branch: memory.branch ?? '',
    author: memory.author ?? '',
    held: marks.held ? 'state' : '',
    sum,
  };
  return renderComment([memory.id], values, marks.unknown ?? []);
}

export function readEntry(part: Part, context: EntryContext): ReadEntry {
  const attributes = parseAttributes(part.comment?.words ?? '');
  const lines = humanLines(part);
  const heading: EntryHeading = part.headless ? { title: '' } : parseEntryHeading(lines[0] ?? '');
  const fields = parseFields(part.headless ? lines : lines.slice(1));
  const kind = heading.kind ?? DEFAULT_KIND;
  const at = timeOf(heading.time, textOf(attributes, 'at'), context.date);
  const { state, byHeading } = stateOf(part, heading, kind, textOf(attributes, 'state'));
  const memory: Memory = {
    id: part.comment?.id ?? derivedId(part, at, kind),
    project: context.project,
    at,
    kind,
    title: heading.title,
    ...fields,
    state,
    provenance: {
      agent: part.comment ? textOf(attributes, 'agent') : 'person',
      session: textOf(attributes, 'session'),
      turn: textOf(attributes, 'turn'),
      messages: listOf(attributes, 'messages'),
      by: part.comment ? textOf(attributes, 'by') : 'person',
      ...filled({ also: listOf(attributes, 'also') }),
    },
    ...filled({
      branch: textOf(attributes, 'branch'),
      supersedes: listOf(attributes, 'supersedes'),
      supersededBy: textOf(attributes, 'superseded-by'),
      resolvedBy: textOf(attributes, 'resolved-by'),
      ended: endedOf(listOf(attributes, 'ended')),
      evidence: EVIDENCE.find((one) => one === textOf(attributes, 'evidence')),
      seen: seenOf(textOf(attributes, 'seen')),
      author: textOf(attributes, 'author'),
    }),
  };
  const edited = (): boolean => textOf(attributes, 'sum') !== sumOf(lines, part.headless);
  return { memory, attributes, edited, held: byHeading || listOf(attributes, 'held').includes('state') };
}

/** Returns the entry with another state and links; its text stays. */
export function restate(part: Part, entry: ReadEntry, memory: Memory, held: boolean): string {
  const { attributes } = entry;
  const next = entryComment({ ...memory, id: part.comment?.id ?? memory.id }, textOf(attributes, 'sum'), {
    held,
    unknown: attributes.unknown,
  });
  const text = withComment(part, next);
  if (part.headless || shownState(memory.state) === shownState(entry.memory.state)) return text;
  const end = text.search(/\r?\n|$/);
  return withState(text.slice(0, end), memory.kind, memory.state) + text.slice(end);
}

/** Returns the part's text with this comment in place of its own, or under its heading. */
export function withComment(part: Part, comment: string): string {
  const eol = /\r\n/.test(part.text) ? '\r\n' : '\n';
  if (part.commentAt) {
    const [start, end] = part.commentAt;
    return part.text.slice(0, start) + comment + eol + part.text.slice(end);
  }
  const end = part.text.indexOf('\n') + 1;
  if (end === 0) return part.text + eol + comment + eol;
  return part.text.slice(0, end) + comment + eol + part.text.slice(end);
}

/** Derives an id from the text, so that the same entry gets the same id on every machine. */
export function derivedId(part: Part, at: string, kind: MemoryKind): string {
  return memoryId(at, contentHash(sumText(humanLines(part), part.headless)), kind, 0);
}

/** Returns the visible lines: without comment, conflict marks and carriage returns. */
export function humanLines(part: Part): readonly string[] {
  let text = '';
  let from = 0;
  for (const [start, end] of part.skips) {
    text += part.text.slice(from, start);
    from = end;
  }
  text += part.text.slice(from);
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n/g, '\n')
    .split('\n');
}

export function sumOf(lines: readonly string[], headless = false): string {
  return shortHash(sumText(lines, headless), SUM_LENGTH);
}

/** Returns the text without white space differences, which formatters cause, and without the state, which we change. */
function sumText(lines: readonly string[], headless = false): string {
  const text = lines.join('\n').replace(/\s+/g, ' ').trim();
  if (headless) return text;
  const heading = (lines[0] ?? '').replace(/\s+/g, ' ').trim();
  return (
    heading.replace(/ \((?:open|current|resolved|superseded)\)(?= ?[·:–—-])/i, '') +
    text.slice(heading.length)
  );
}

export function sameText(a: Part, b: Part): boolean {
  return sumText(humanLines(a), a.headless) === sumText(humanLines(b), b.headless);
}

/** The heading's minute wins; if the comment has the same minute, its exact time is used. */
function timeOf(heading: string | undefined, at: string, date: string): string {
  const known = at !== '' && !Number.isNaN(Date.parse(at));
  if (!known) return `${date}T${heading ?? '00:00'}:00.000Z`;
  if (heading === undefined || heading === clock(at)) return at;
  return `${new Date(at).toISOString().slice(0, 10)}T${heading}:00.000Z`;
}

function seenOf(text: string): number | undefined {
  const seen = Number(text);
  return Number.isSafeInteger(seen) && seen > 1 ? seen : undefined;
}

function endedWords(ended: Ended | undefined): readonly string[] {
  return ended ? [ended.at, ended.turn, ended.maker, ...(ended.by ? [ended.by] : [])] : [];
}

function endedOf([at = '', turn = '', maker = '', by]: readonly string[]): Ended | undefined {
  if (Number.isNaN(Date.parse(at)) || turn === '') return undefined;
  return { at, turn, maker, ...given({ by }) };
}

function stateOf(
  part: Part,
  heading: EntryHeading,
  kind: MemoryKind,
  written: string,
): { state: MemoryState; byHeading: boolean } {
  const usual = firstState(kind);
  const base = STATES.includes(written) ? (written as MemoryState) : usual; // one of STATES
  if (part.headless) return { state: base, byHeading: false };
  const seen = heading.state && shownState(heading.state);
  if (seen === shownState(base)) return { state: heading.state ?? base, byHeading: false };
  return { state: heading.state ?? usual, byHeading: part.comment !== undefined };
}
