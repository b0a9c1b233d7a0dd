/** A memory as the lines a model or a person reads. Pure. */
import type { Memory } from '../../core/index.ts';
import { plainLine, plainText } from '../../privacy/index.ts';
import { age } from '../ages.ts';
import { changeNote, type FileChange } from '../ranking/signals.ts';
import { BRIEF } from '../ranking/weights.ts';
import { cutToTokens, tokenCost } from './token-cost.ts';

/** "We ", "Please remember that ": what may stand before the title's words in the text it was taken from. */
const LEAD_CHARS = 24;
const SESSION_CHARS = 8; // as much of a session's id as tells it from others

/** Tokens of the whole entry, as `tidemark show` gives it. */
export function entryCost(memory: Memory): number {
  const { title, body, reason = '', facts, files } = memory;
  return tokenCost([title, body, reason, ...facts, ...files].join('\n'));
}

/** One bullet: `- Title. What or why. (said 3 times, 2 days ago, 1ja0p3h7k2m9qx; src/a.ts changed since)` */
export function bullet(
  memory: Memory,
  now: Date,
  tokens: number,
  changes: readonly FileChange[] = [],
): string {
  const note = changes.length > 0 ? `; ${changeNote(changes)}` : '';
  const often = memory.seen && memory.seen > 1 ? `said ${memory.seen} times, ` : '';
  const source = `(${byOf(memory)}${often}${age(memory.at, now)}, ${memory.id}${note})`;
  return `- ${cutToTokens(saidOf(memory), tokens)} ${source}`;
}

/** Whether the bullet of a brief says all there is to say. */
export function isWholeInBrief(memory: Memory): boolean {
  const said = saidOf(memory);
  if (tokenCost(said) > BRIEF.entryTokens) return false;
  return [memory.body, memory.reason ?? '', ...memory.facts].every((text) => repeats(text, said));
}

/** A row of the list: `- Title (bugfix, 2h ago, ~60 tokens, 1ja0p3h7k2m9qx)`; without a cost, the title is all there is. */
export function row(memory: Memory, now: Date): string {
  const title = cutToTokens(plainLine(memory.title), 30);
  const state = memory.state === 'current' ? '' : `${memory.state} `;
  const isAll = [memory.body, memory.reason ?? '', ...memory.facts].every((text) => repeats(text, title));
  const cost = isAll ? '' : `~${entryCost(memory)} tokens, `;
  return `- ${title} (${byOf(memory)}${state}${kindWord(memory)}, ${age(memory.at, now)}, ${cost}${memory.id})`;
}

/** The whole entry, cut to a number of tokens, with age and source. */
export function whole(
  memory: Memory,
  now: Date,
  tokens: number,
  branch?: string,
  changes: readonly FileChange[] = [],
): string {
  const { reason, facts, files, provenance } = memory;
  const elsewhere = memory.branch && branch && memory.branch !== branch ? `, on branch ${memory.branch}` : '';
  const state = memory.state === 'current' ? '' : `${memory.state} `;
  const lines = [
    `## ${capital(`${state}${kindWord(memory)}`)}: ${plainLine(memory.title)}`,
    plainLine(
      `${byOf(memory)}${age(memory.at, now)}, ${provenance.session ? `session ${provenance.session.slice(0, SESSION_CHARS)}` : 'written by hand'}${elsewhere}, id ${memory.id}`,
    ),
    changes.length > 0 ? `Check first: ${changeNote(changes)}.` : '',
    repeats(memory.body, memory.title) ? '' : plainText(memory.body).trim(),
    reason && !repeats(reason, memory.body) ? `Why: ${plainLine(reason)}` : '',
    ...facts.filter((fact) => !repeats(fact, memory.body)).map((fact) => `- ${plainLine(fact)}`),
    files.length > 0 ? `Files: ${plainLine(files.join(', '))}` : '',
  ];
  return cutToTokens(lines.filter(Boolean).join('\n'), tokens);
}

/** `by Ada, `: whose it is, where it came from somebody else of the team. */
function byOf({ author }: Memory): string {
  return author === undefined ? '' : `by ${plainLine(author)}, `;
}

export function kindWord(memory: Memory): string {
  return memory.kind.replace('_', ' ');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Ends as a sentence does in its language. */
export function sentence(text: string): string {
  const line = plainLine(text);
  if (/[.!?。！？…]$/.test(line) || line === '') return line;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(line) ? `${line}。` : `${line}.`;
}

/** Title and detail; the detail alone where it begins by saying the title again. */
function saidOf(memory: Memory): string {
  const more = detail(memory);
  const opening = more.slice(0, memory.title.length + LEAD_CHARS);
  const said = repeats(memory.title, opening) ? more : `${sentence(memory.title)} ${more}`;
  return plainLine(said.trim());
}

/** Why, where there is a reason; what, where there is none; nothing the title has said already. */
function detail(memory: Memory): string {
  if (memory.reason && !repeats(memory.reason, memory.title)) return `Why: ${sentence(memory.reason)}`;
  if (!memory.body || repeats(memory.body, memory.title)) return sentence(memory.facts[0] ?? '');
  return sentence(memory.body);
}

/** Says nothing beyond the other text. */
export function repeats(text: string, other: string): boolean {
  const bare = (value: string): string =>
    value
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return bare(other).includes(bare(text));
}
