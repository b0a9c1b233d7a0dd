/**
 * Reads the notes that an agent wrote at the end of its answer. Pure: whether they are stored is decided by the same checks
 * as for a model's reply. `src/core/note-lines.ts` finds the lines.
 */
import { type MemoryKind, type NoteLine, RULE_KINDS, splitNotes } from '../../core/index.ts';
import { toReplyOperation, type ReplyOperation } from '../reply/parse-reply.ts';

export interface ParsedNotes {
  readonly operations: readonly ReplyOperation[];
  /** The answer without the note lines. */
  readonly answer: string;
}

export function parseNotes(answer: string): ParsedNotes {
  const split = splitNotes(answer);
  return { operations: split.notes.flatMap(operationsOfNote), answer: split.answer };
}

function operationsOfNote(note: NoteLine): readonly ReplyOperation[] {
  const { sentence, quote } = quoteOf(withoutTail(note.text));
  if (note.kind === undefined)
    return note.ends.map((id) => toReplyOperation({ ...EMPTY, op: 'supersede', id, quote }));
  const { title, body, reason } = partsOf(sentence, note.kind);
  if (title === '') return [];
  return [
    toReplyOperation({ ...EMPTY, op: 'add', ends: note.ends, kind: note.kind, title, body, reason, quote }),
  ];
}

const EMPTY = {
  id: '',
  ends: [],
  kind: '',
  title: '',
  body: '',
  reason: '',
  facts: [],
  concepts: [],
  files: [],
  quote: '',
} as const;

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
