/**
 * Finds the notes of the agent in an answer: lines such as `Noted (decision, ends 7k2m9qx): One sentence. ("quote")`.
 * Pure and never throws. A line counts at the end of the answer or as a paragraph of its own; code, quotes, examples and
 * prose about notes do not.
 */
import { MEMORY_KINDS, type MemoryKind } from './memory.ts';

export interface NoteLine {
  /** Missing if the note only ends memories. */
  readonly kind?: MemoryKind;
  /** Memories that are over: ids, beginnings of ids, or the first words of a note of the same session. */
  readonly ends: readonly string[];
  /** The sentence and the quote. */
  readonly text: string;
}

export interface SplitAnswer {
  readonly notes: readonly NoteLine[];
  /** The answer without the note lines. */
  readonly answer: string;
}

/** More notes in one answer are a list of something else. */
const MAX_NOTES = 8;
/** A longer line is a paragraph. */
const MAX_LINE = 1200;
/** Of a fourteen-character id; shorter beginnings could be words. */
const MIN_ID = 6;

/** The word is fixed, but a model that answers in another language may translate it. */
const WORD = 'noted|notiert|noté|anotado|annotato|записано|已记录|已記錄|記録';
const FAST = new RegExp(WORD, 'i');
/** Bullet, emphasis or code ticks, the word, the head in brackets, a colon or a dash, the text. */
const LINE = new RegExp(
  String.raw`^ {0,3}(?:(?:[-*+•·]|\d{1,2}[.)])\s+)?([*_\x60]*)(?:${WORD})[*_\x60]*\s*[(（[]\s*([^()（）[\]\n]{3,160}?)\s*[)）\]][*_\x60]*\s*[:：–—-][*_\x60]*\s*(\S.*)$`,
  'iu',
);
const KIND_WORDS: Readonly<Record<string, MemoryKind>> = {
  ...Object.fromEntries(MEMORY_KINDS.map((kind) => [kind, kind])),
  rule: 'preference',
  convention: 'pattern',
  cause: 'discovery',
  finding: 'discovery',
  fact: 'discovery',
  bug: 'issue',
  todo: 'issue',
  open: 'issue',
  'open issue': 'issue',
  fix: 'bugfix',
  'bug fix': 'bugfix',
};
const ENDS =
  /\b(?:ends?|ended|done|over|obsolete|resolves?|resolved|closes?|closed|fixes|fixed|replaces?|replaced|supersedes?|superseded)\b[\s:]*/i;
/** The first words of a note in quotation marks: the agent does not know the ids of its own notes. */
const WORDS = /["“”„«»「]([^"“”„«»「」]{4,120})["“”«»」]/gu;
const ID = new RegExp(`^[0-9a-hjkmnp-tv-z]{${MIN_ID},14}$`, 'i');

export function splitNotes(answer: string): SplitAnswer {
  if (!FAST.test(answer)) return { notes: [], answer };
  const lines = answer.split('\n');
  const kept = markedLines(lines);
  const found = kept.flatMap((one, i) => (typeof one === 'object' ? [{ i, note: one }] : []));
  const last = lines.findLastIndex((line, i) => typeof kept[i] !== 'object' && !isFiller(line));
  const isNote = ({ i }: { readonly i: number }): boolean =>
    i > last || (isOwnParagraph(kept, lines, i) && !/^\s*[-*+•\d.)\s]*[*_]*`/.test(lines[i] ?? ''));
  const accepted = found.filter(isNote).slice(0, MAX_NOTES);
  if (accepted.length === 0) return { notes: [], answer };
  const removed = new Set(accepted.flatMap(({ i }) => [i, ...(isContinuation(lines[i + 1]) ? [i + 1] : [])]));
  const rest = lines.filter((_, i) => !removed.has(i)).join('\n');
  return {
    notes: accepted.map(({ i, note }) =>
      isContinuation(lines[i + 1]) ? { ...note, text: `${note.text} ${lines[i + 1]?.trim()}` } : note,
    ),
    answer: withoutRuleAtEnd(rest.replace(/\n{3,}/g, '\n\n')),
  };
}

/** Removes white space and horizontal rules at the end. Line by line: one pattern for both takes quadratic time. */
function withoutRuleAtEnd(text: string): string {
  const lines = text.trimEnd().split('\n');
  while (lines.length > 1 && isRule(lines.at(-1) ?? '')) lines.pop();
  return lines.join('\n').trimEnd();
}

/** The answer without the note lines. */
export function withoutNotes(answer: string): string {
  return splitNotes(answer).answer;
}

/** Per line: the note, `code` inside of a fence, or `text`. */
function markedLines(lines: readonly string[]): readonly (NoteLine | 'code' | 'text')[] {
  let fence = '';
  return lines.map((line, i) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== '') {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
      return 'code';
    }
    if (mark) {
      fence = mark;
      return 'code';
    }
    if (isContinuation(line) && i > 0 && noteOf(lines[i - 1] ?? '')) return 'text';
    return noteOf(line) ?? 'text';
  });
}

/** `Noted (bugfix, ends 7k2m9qx): …` */
function noteOf(line: string): NoteLine | undefined {
  if (line.length > MAX_LINE) return undefined;
  const [, marks = '', head = '', rest = ''] = LINE.exec(line) ?? [];
  const parsed = headOf(head);
  if (!parsed) return undefined;
  const text = marks === '' ? rest.trim() : withoutMarks(rest.trim(), marks);
  return /[\p{L}\p{N}]/u.test(text) ? { ...parsed, text } : undefined;
}

function headOf(head: string): Omit<NoteLine, 'text'> | undefined {
  const words = [...head.matchAll(WORDS)].map(([, text = '']) => text.trim());
  const plain = head
    .replace(WORDS, '')
    .replace(/[*`<>"'#]/g, '')
    .replace(/dead[\s-]?end/i, 'dead_end')
    .trim();
  const verb = ENDS.exec(plain);
  const word = (verb ? plain.slice(0, verb.index) : plain)
    .replace(/[\s,;，；、:·–—-]+$/u, '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, ' ');
  const kind = KIND_WORDS[word];
  if (word !== '' && kind === undefined) return undefined;
  const named = verb ? plain.slice(verb.index + verb[0].length).split(/[\s,;，；、&+]+|\band\b/i) : [];
  const ids = named.filter((id) => ID.test(id)).map((id) => id.toLowerCase());
  const ends = [...new Set([...ids, ...(verb ? words : [])])];
  if (kind === undefined && ends.length === 0) return undefined;
  return { ends, ...(kind ? { kind } : {}) };
}

/** Emphasis or ticks around the whole line end at its end. */
function withoutMarks(text: string, marks: string): string {
  const end = [...marks].toReversed().join('');
  return text.endsWith(end) ? text.slice(0, -end.length).trim() : text;
}

/** A quote on a line of its own, under its note. */
function isContinuation(line: string | undefined): boolean {
  return line !== undefined && /^\s*[(（]\s*["“„«「『].*[)）]\s*$/u.test(line);
}

/** Blank lines, rules, and quotes under a note do not make a note one in the middle of the answer. */
function isFiller(line: string): boolean {
  return isRule(line) || line.trim() === '' || isContinuation(line);
}

function isRule(line: string): boolean {
  return /^\s*(?:[-*_]\s*){3,}$/.test(line);
}

/** A paragraph of nothing but notes. One after a colon is an example. */
function isOwnParagraph(
  marks: readonly (NoteLine | 'code' | 'text')[],
  lines: readonly string[],
  at: number,
): boolean {
  const isBlank = (i: number): boolean => (lines[i] ?? '').trim() === '';
  const isPart = (i: number): boolean => typeof marks[i] === 'object' || isContinuation(lines[i]);
  let start = at;
  while (start > 0 && isPart(start - 1)) start--;
  let end = at;
  while (end < lines.length - 1 && isPart(end + 1)) end++;
  if ((start > 0 && !isBlank(start - 1)) || (end < lines.length - 1 && !isBlank(end + 1))) return false;
  const before = lines.slice(0, start).findLast((line) => line.trim() !== '') ?? '';
  return !/[:：][*_\s]*$/.test(before);
}
