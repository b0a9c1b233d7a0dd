/** Cuts a model's draft to the size and shape of a memory. Pure. Never makes an invalid draft valid. */
import type { MemoryDraft, MemoryKind } from '../../core/index.ts';
import { plainLine, plainText } from '../../privacy/index.ts';

const MAX_TITLE = 140;
const MAX_BODY = 2000;
const MAX_ITEM = 300;
const MAX_ITEMS = 10;
/** As many as the prompt asks for; more would blur the vector. */
const MAX_CONCEPTS = 8;
/** Five words; a longer text is a sentence and thus a fact. */
const MAX_CONCEPT = 60;

export interface RawDraft {
  readonly kind: MemoryKind;
  readonly title: string;
  readonly body: string;
  readonly reason: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly files: readonly string[];
  readonly state: '' | 'open' | 'resolved';
}

export function toDraft(raw: RawDraft): MemoryDraft {
  const reason = cut(plainLine(raw.reason), MAX_BODY);
  return {
    kind: raw.kind,
    title: cut(plainLine(raw.title), MAX_TITLE),
    body: tidyText(raw.body),
    facts: items(raw.facts),
    concepts: phrases(raw.concepts),
    files: items(raw.files).filter((file) => !file.includes('…')),
    ...(reason === '' ? {} : { reason }),
    ...(raw.kind === 'issue' ? { state: raw.state === 'resolved' ? 'resolved' : 'open' } : {}),
  };
}

export function tidyText(text: string): string {
  return cut(plainText(text).trim(), MAX_BODY);
}

/** The title of a draft without one: the first sentence of its text, cut to length. */
export function titleFrom(text: string): string {
  const line = plainLine(text);
  const sentence = /^.{10,}?[.!?。！？](?=\s|$)|^.*$/u.exec(line)?.[0] ?? line;
  return cut(sentence.replace(/[.。]$/u, ''), MAX_TITLE);
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
