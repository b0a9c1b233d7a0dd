/** Renders memories as text for the agent, within a number of tokens. Pure. */
import {
  evidenceWords,
  type Memory,
  type MemorySource,
  shortId,
  shortOrigin,
  sourceOf,
  plainLine,
  plainText,
  phraseOf,
  wholeWords,
} from '../../core/index.ts';
import { fence } from '../../privacy/index.ts';
import { age, shortAge } from '../ages.ts';
import { changeNote, type FileChange } from '../ranking/signals.ts';
import { BRIEF } from '../ranking/weights.ts';
import { contains, says } from '../alike.ts';

/** "We ", "Please remember that ": words before the title in the text it was taken from. */
const LEAD_CHARS = 24;

/** Tokens of the complete entry, as `tidemark show` prints it. */
export function entryCost(memory: Memory): number {
  const { title, body, reason = '', facts, files } = memory;
  return tokenCost([title, body, reason, ...facts, ...files].join('\n'));
}

/** `- Title. What or why. (user, 3 times, 2 d, 7k2m9qx; on branch auth, not merged; src/a.ts changed since)` */
export function bullet(
  memory: Memory,
  now: Date,
  tokens: number,
  { changes = [], elsewhere }: Pick<EntryPlace, 'changes' | 'elsewhere'> = {},
): string {
  const notes = [
    ...(elsewhere === undefined ? [] : [elsewhere]),
    ...(changes.length > 0 ? [changeNote(changes)] : []),
  ];
  const note = notes.map((text) => `; ${text}`).join('');
  return `- ${cutToTokens(summaryOf(memory), tokens)} (${originOf(memory, now)}, ${shortId(memory.id)}${note})`;
}

/** Names the person who said it, how often and when: `user, 3 times, 2 d`. */
function originOf(memory: Memory, now: Date): string {
  const often = memory.seen && memory.seen > 1 ? [`${memory.seen} times`] : [];
  return [plainLine(shortOrigin(memory)), ...often, shortAge(memory.at, now)].join(', ');
}

/** Whether the bullet of a brief contains everything the memory says. */
export function isWholeInBrief(memory: Memory): boolean {
  const summary = summaryOf(memory);
  return tokenCost(summary) <= BRIEF.entryTokens && addsNothing(memory, summary);
}

/** `- Title (bugfix, agent, 2 h, ~60 tokens, 7k2m9qx)`; without a cost if the title says everything. */
export function row(
  memory: Memory,
  now: Date,
  naming: 'kind' | 'no kind' = 'kind',
  elsewhere?: string,
): string {
  const title = cutToTokens(plainLine(memory.title), 30);
  const kind = naming === 'kind' ? [stateAndKind(memory)] : [];
  const cost = addsNothing(memory, title) ? [] : [`~${entryCost(memory)} tokens`];
  const note = elsewhere === undefined ? '' : `; ${elsewhere}`;
  return `- ${title} (${[...kind, originOf(memory, now), ...cost, shortId(memory.id)].join(', ')}${note})`;
}

/** Renders entries while they fit the token budget and the client's limit; always the first one. */
export function packEntries<T>(
  entries: readonly T[],
  budgetTokens: number,
  intro: string,
  render: (entry: T) => string,
): readonly { readonly one: T; readonly text: string }[] {
  const packed: { one: T; text: string }[] = [];
  let tokens = 0;
  let units = fence(intro).length;
  for (const one of entries) {
    const text = render(one);
    tokens += tokenCost(text);
    units += text.length + 2;
    if (packed.length > 0 && (tokens > budgetTokens || units > BRIEF.maxUnits)) break;
    packed.push({ one, text });
  }
  return packed;
}

/**
 * The complete entry with age, evidence and source, cut to a number of tokens. `here`: the file that the context is about;
 * an entry about this file alone does not name it again.
 */
export function renderEntry(
  memory: Memory,
  now: Date,
  tokens: number,
  { branch, changes = [], here }: EntryPlace = {},
): string {
  const { reason, facts, body, title } = memory;
  const elsewhere = memory.branch && branch && memory.branch !== branch ? `, on branch ${memory.branch}` : '';
  const kind = stateAndKind(memory);
  const files = memory.files.length === 1 && memory.files[0] === here ? [] : memory.files;
  const said = [title, body, reason ?? ''].join('\n');
  const lines = [
    `## ${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${plainLine(title)}`,
    plainLine(`${entryOrigin(memory)}, ${age(memory.at, now)}${elsewhere}, id ${shortId(memory.id)}`),
    changes.length > 0 ? `Check first: ${changeNote(changes)}.` : '',
    says(title, body) ? '' : plainText(body).trim(),
    reason && !says(body, reason) && !says(title, reason) ? `Why: ${plainLine(reason)}` : '',
    ...facts.filter((fact) => !says(said, fact)).map((fact) => `- ${plainLine(fact)}`),
    files.length > 0 ? `Files: ${plainLine(files.join(', '))}` : '',
  ];
  return cutToTokens(lines.filter(Boolean).join('\n'), tokens);
}

interface EntryPlace {
  readonly branch?: string | undefined;
  readonly changes?: readonly FileChange[];
  /** The branch it was made on, if that is another one. */
  readonly elsewhere?: string | undefined;
  readonly here?: string;
}

/** `said by the user`, `said by the user, found by rules`, `claimed by the agent, imported`, `shown …, by Ada` */
function entryOrigin(memory: Memory): string {
  const evidence = evidenceWords(memory, 'agent');
  const by = memory.author === undefined || evidence.includes(memory.author) ? '' : `, by ${memory.author}`;
  return `${evidence}${by}${SOURCE_NOTE[sourceOf(memory)]}`;
}

/** The user and the agent are named by the evidence. */
const SOURCE_NOTE: Readonly<Record<MemorySource, string>> = {
  user: '',
  agent: '',
  model: '',
  small: ', found by the small model',
  rules: ', found by rules',
  import: ', imported',
};

function stateAndKind({ state, kind }: Memory): string {
  return `${state === 'current' ? '' : `${state} `}${kind.replace('_', ' ')}`;
}

/** Adds the full stop of the text's language. */
export function sentence(text: string): string {
  const line = plainLine(text);
  if (/[.!?。！？…]$/.test(line) || line === '') return line;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(line) ? `${line}。` : `${line}.`;
}

/** Title and detail; the detail alone if it begins with the title. */
function summaryOf(memory: Memory): string {
  const more = detail(memory);
  const opening = more.slice(0, memory.title.length + LEAD_CHARS);
  const summary = contains(opening, memory.title) ? more : `${sentence(memory.title)} ${more}`;
  return plainLine(summary.trim());
}

/** The reason, else the body or the first fact; without what the title says. */
function detail(memory: Memory): string {
  if (memory.reason && !says(memory.title, memory.reason)) return `Why: ${sentence(memory.reason)}`;
  if (!memory.body || says(memory.title, memory.body)) return sentence(memory.facts[0] ?? '');
  return sentence(memory.body);
}

function addsNothing({ body, reason = '', facts }: Memory, text: string): boolean {
  return [body, reason, ...facts].every((part) => says(text, part));
}

/** English and code have about four characters per token. */
const LATIN_CHARS_PER_TOKEN = 4;

/** A CJK character is about one token. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Estimates the tokens of a text: good enough for a budget, and much cheaper than a tokenizer. */
export function tokenCost(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / LATIN_CHARS_PER_TOKEN);
}

/** Cuts a text to a number of tokens at a word boundary and adds an ellipsis. */
export function cutToTokens(text: string, tokens: number): string {
  if (tokenCost(text) <= tokens) return text;
  let cut = text.slice(0, tokens * LATIN_CHARS_PER_TOKEN);
  while (cut && tokenCost(cut) >= tokens) cut = cut.slice(0, Math.floor(cut.length * 0.9));
  const end = /[\s。、，]\S*$/u.exec(cut)?.index ?? 0;
  const atWord = end > cut.length / 2 ? cut.slice(0, end) : wholeWords(cut, text);
  const tidy = atWord.replace(/[\s,;:.\ud800-\udbff]+$/, '');
  const phrase = phraseOf(tidy);
  return `${phrase.length > tidy.length / 2 ? phrase : tidy}…`;
}
