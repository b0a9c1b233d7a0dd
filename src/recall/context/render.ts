/** Renders memories as text for the agent, within a number of tokens. Pure. */
import type { Memory } from '../../core/index.ts';
import { fence, plainLine, plainText } from '../../privacy/index.ts';
import { age } from '../ages.ts';
import { changeNote, type FileChange } from '../ranking/signals.ts';
import { BRIEF } from '../ranking/weights.ts';

/** "We ", "Please remember that ": words before the title in the text it was taken from. */
const LEAD_CHARS = 24;
const SESSION_CHARS = 8; // enough to identify a session

/** Tokens of the complete entry, as `tidemark show` prints it. */
export function entryCost(memory: Memory): number {
  const { title, body, reason = '', facts, files } = memory;
  return tokenCost([title, body, reason, ...facts, ...files].join('\n'));
}

/** `- Title. What or why. (said 3 times, 2 days ago, 1ja0p3h7k2m9qx; src/a.ts changed since)` */
export function bullet(
  memory: Memory,
  now: Date,
  tokens: number,
  changes: readonly FileChange[] = [],
): string {
  const note = changes.length > 0 ? `; ${changeNote(changes)}` : '';
  const often = memory.seen && memory.seen > 1 ? `said ${memory.seen} times, ` : '';
  const source = `(${authorOf(memory)}${often}${age(memory.at, now)}, ${memory.id}${note})`;
  return `- ${cutToTokens(summaryOf(memory), tokens)} ${source}`;
}

/** Whether the bullet of a brief contains everything the memory says. */
export function isWholeInBrief(memory: Memory): boolean {
  const summary = summaryOf(memory);
  return tokenCost(summary) <= BRIEF.entryTokens && addsNothing(memory, summary);
}

/** `- Title (bugfix, 2h ago, ~60 tokens, 1ja0p3h7k2m9qx)`; without a cost if the title says everything. */
export function row(memory: Memory, now: Date): string {
  const title = cutToTokens(plainLine(memory.title), 30);
  const cost = addsNothing(memory, title) ? '' : `~${entryCost(memory)} tokens, `;
  return `- ${title} (${authorOf(memory)}${stateAndKind(memory)}, ${age(memory.at, now)}, ${cost}${memory.id})`;
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

/** The complete entry with age and source, cut to a number of tokens. */
export function renderEntry(
  memory: Memory,
  now: Date,
  tokens: number,
  branch?: string,
  changes: readonly FileChange[] = [],
): string {
  const { reason, facts, files, provenance } = memory;
  const elsewhere = memory.branch && branch && memory.branch !== branch ? `, on branch ${memory.branch}` : '';
  const kind = stateAndKind(memory);
  const lines = [
    `## ${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${plainLine(memory.title)}`,
    plainLine(
      `${authorOf(memory)}${age(memory.at, now)}, ${provenance.session ? `session ${provenance.session.slice(0, SESSION_CHARS)}` : 'written by hand'}${elsewhere}, id ${memory.id}`,
    ),
    changes.length > 0 ? `Check first: ${changeNote(changes)}.` : '',
    repeats(memory.body, memory.title) ? '' : plainText(memory.body).trim(),
    reason && !repeats(reason, memory.body) ? `Why: ${plainLine(reason)}` : '',
    ...facts.filter((fact) => !repeats(fact, memory.body)).map((fact) => `- ${plainLine(fact)}`),
    files.length > 0 ? `Files: ${plainLine(files.join(', '))}` : '',
  ];
  return cutToTokens(lines.filter(Boolean).join('\n'), tokens);
}

/** `by Ada, ` for a memory of another team member. */
function authorOf({ author }: Memory): string {
  return author === undefined ? '' : `by ${plainLine(author)}, `;
}

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
  const summary = repeats(memory.title, opening) ? more : `${sentence(memory.title)} ${more}`;
  return plainLine(summary.trim());
}

/** The reason, else the body or the first fact; without what the title says. */
function detail(memory: Memory): string {
  if (memory.reason && !repeats(memory.reason, memory.title)) return `Why: ${sentence(memory.reason)}`;
  if (!memory.body || repeats(memory.body, memory.title)) return sentence(memory.facts[0] ?? '');
  return sentence(memory.body);
}

function addsNothing({ body, reason = '', facts }: Memory, text: string): boolean {
  return [body, reason, ...facts].every((part) => repeats(part, text));
}

/** Whether a text is contained in another. */
export function repeats(text: string, other: string): boolean {
  const bare = (value: string): string =>
    value
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return bare(other).includes(bare(text));
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
  const atWord = end > cut.length / 2 ? cut.slice(0, end) : cut;
  return `${atWord.replace(/[\s,;:.\ud800-\udbff]+$/, '')}…`;
}
