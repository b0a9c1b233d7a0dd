/** Cuts a model's draft to the size and shape of a memory. Pure. Never makes an invalid draft valid. */
import {
  bareWords,
  type MemoryDraft,
  type MemoryKind,
  plainLine,
  plainText,
  shortened,
} from '../../core/index.ts';
import type { OPERATION_NAMES } from '../prompts.ts';

const MAX_TITLE = 140;
const MAX_BODY = 2000;
const MAX_QUOTE = 400;
const MAX_ITEM = 300;
const MAX_ITEMS = 10;
/** As many as the prompt asks for; more would blur the vector. */
const MAX_CONCEPTS = 8;
/** Five words; a longer text is a sentence and thus a fact. */
const MAX_CONCEPT = 60;

/** One operation of a reply; `id` and `ends` are the names that the request gave to memories. */
export interface ReplyOperation {
  readonly op: (typeof OPERATION_NAMES)[number];
  readonly id: string;
  readonly ends: readonly string[];
  readonly quote: string;
  /** For `add` and `revise`. A revised entry keeps its own kind and texts where these are missing or empty. */
  readonly draft?: Omit<MemoryDraft, 'kind'> & { readonly kind?: MemoryKind };
}

export interface RawOperation extends RawDraft {
  readonly op: ReplyOperation['op'];
  readonly id: string;
  readonly ends: readonly string[];
}

export function toReplyOperation(raw: RawOperation): ReplyOperation {
  const { op, ends } = raw;
  const base = { op, id: raw.id.trim(), ends: items(ends), quote: cut(plainLine(raw.quote), MAX_QUOTE) };
  if (op === 'resolve' || op === 'supersede') return base;
  const { kind, ...draft } = toDraft(raw);
  return { ...base, draft: { ...draft, ...(kind === '' ? {} : { kind }) } };
}

export interface RawDraft {
  readonly kind: MemoryKind | '';
  readonly title: string;
  readonly body: string;
  readonly reason: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly files: readonly string[];
  readonly quote: string;
}

function toDraft(raw: RawDraft): Omit<MemoryDraft, 'kind'> & { readonly kind: MemoryKind | '' } {
  const reason = cut(plainLine(raw.reason), MAX_BODY);
  const quote = cut(plainLine(raw.quote), MAX_QUOTE);
  const title = shortened(plainLine(raw.title), MAX_TITLE);
  const body = tidyText(raw.body);
  return {
    kind: raw.kind,
    title,
    body: isRepeated(title, body) ? '' : body,
    facts: items(raw.facts),
    concepts: phrases(raw.concepts),
    files: items(raw.files).filter((file) => !file.includes('…')),
    ...(reason === '' ? {} : { reason }),
    ...(quote === '' ? {} : { quote }),
  };
}

/** Whether the body only repeats the title. */
function isRepeated(title: string, body: string): boolean {
  return bareWords(title).startsWith(bareWords(body));
}

export function tidyText(text: string): string {
  return cut(plainText(text).trim(), MAX_BODY);
}

/** The title of a draft without one: the first sentence of its text, cut to length. */
export function titleFrom(text: string): string {
  const line = plainLine(text);
  const sentence = /^.{10,}?[.!?。！？](?=\s|$)|^.*$/u.exec(line)?.[0] ?? line;
  return shortened(sentence.replace(/[.。]$/u, ''), MAX_TITLE);
}

/** Removes commas, which separate concepts in lists. */
function phrases(list: readonly string[]): readonly string[] {
  const tidy = list.map((phrase) => cut(plainLine(phrase.replaceAll(/[,，、]/g, ' ')), MAX_CONCEPT));
  return distinct(tidy).slice(0, MAX_CONCEPTS);
}

function items(list: readonly string[]): readonly string[] {
  return distinct(list.map((item) => cut(plainLine(item), MAX_ITEM))).slice(0, MAX_ITEMS);
}

function distinct(list: readonly string[]): readonly string[] {
  return [...new Set(list.filter((item) => item !== ''))];
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
