/**
 * Reads the notes that an agent wrote at the end of its answer, cut to the size of a memory. Pure: whether they are stored
 * is decided by the same checks as for the small model. `src/core/note-lines.ts` finds the lines.
 */
import {
  bareWords,
  type MemoryKind,
  type NoteLine,
  plainLine,
  plainText,
  RULE_KINDS,
  shortened,
  splitNotes,
} from '../../core/index.ts';
import type { ProposedOperation } from '../admitted-operations.ts';

const MAX_TITLE = 140;
const MAX_BODY = 2000;
const MAX_QUOTE = 400;
const MAX_ENDS = 10;

export interface ParsedNotes {
  readonly operations: readonly ProposedOperation[];
  /** The answer without the note lines. */
  readonly answer: string;
}

export function parseNotes(answer: string): ParsedNotes {
  const split = splitNotes(answer);
  return { operations: split.notes.flatMap(operationsOfNote), answer: split.answer };
}

function operationsOfNote(note: NoteLine): readonly ProposedOperation[] {
  const found = quoteOf(withoutTail(note.text));
  const quote = cut(plainLine(found.quote), MAX_QUOTE);
  const ends = note.ends.slice(0, MAX_ENDS);
  if (note.kind === undefined) return ends.map((id) => ({ op: 'end', id, quote }));
  const parts = partsOf(found.sentence, note.kind);
  const title = shortened(plainLine(parts.title), MAX_TITLE);
  if (title === '') return [];
  const body = cut(plainText(parts.body).trim(), MAX_BODY);
  const reason = cut(plainLine(parts.reason), MAX_BODY);
  const draft = {
    kind: note.kind,
    title,
    body: bareWords(title).startsWith(bareWords(body)) ? '' : body,
    facts: [],
    concepts: [],
    files: [],
    ...(reason !== '' && { reason }),
    ...(quote !== '' && { quote }),
  };
  return [{ op: 'add', ends, quote, draft }];
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const OPEN = '["“”„«»「『]';
const CLOSE = '["“”«»」』]';
/** `("…")`, also with a word before it: `(user: "…")`. */
const IN_BRACKETS = new RegExp(
  String.raw`^(.*?)\s*[(（]\s*(?:[\p{L} ]{1,20}[:：]\s*)?${OPEN}(.+)${CLOSE}[.,]?\s*[)）]\s*[.。]?$`,
  'u',
);
/** `— "…"`, `| "…"` */
const AFTER_DASH = new RegExp(String.raw`^(.*?)\s*(?:[—–|]|--| -)\s*${OPEN}(.+)${CLOSE}\s*[.。]?$`, 'u');
/** `Sentence. "…"` */
const AFTER_SENTENCE = new RegExp(String.raw`^(.*?[.!?。！？])\s*${OPEN}(.+)${CLOSE}\s*$`, 'u');

function quoteOf(text: string): { readonly sentence: string; readonly quote: string } {
  for (const form of [IN_BRACKETS, AFTER_DASH, AFTER_SENTENCE]) {
    const [, sentence = '', quote = ''] = form.exec(text) ?? [];
    if (sentence.trim() !== '') return { sentence: sentence.trim(), quote: quote.trim() };
  }
  return { sentence: text.trim(), quote: '' };
}

/** Removes emphasis and ticks left at the end of a line. */
function withoutTail(text: string): string {
  return text.replace(/^\*\*\s*/, '').replace(/(?<=["”»」』)）.。])[*_`]+$/, '');
}

/** A further sentence is the body; what follows "because" is the reason. */
const SENTENCES = /^(.{20,}?[.!?])\s+(?=["“(]?[\p{Lu}\p{N}`])(.+)$|^(.{8,}?[。！？])(.+)$/u;
const BECAUSE = /^(.{15,}?)[,;–—]?\s+(?:because|weil|parce que|porque|потому что)\s+(.{3,})$/iu;

function partsOf(
  sentence: string,
  kind: MemoryKind,
): { readonly title: string; readonly body: string; readonly reason: string } {
  const split = SENTENCES.exec(sentence);
  const first = withoutStop(split?.[1] ?? split?.[3] ?? sentence);
  // The cause of a bug or a failed attempt is the point of the note; the reason of a rule is not.
  const because = RULE_KINDS.includes(kind) ? BECAUSE.exec(first) : null;
  return { title: because?.[1] ?? first, body: split?.[2] ?? split?.[4] ?? '', reason: because?.[2] ?? '' };
}

function withoutStop(text: string): string {
  return text.trim().replace(/(?<!\.)[.。]$/u, '');
}
