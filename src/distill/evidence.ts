/**
 * Decides who said something: looks the quote of a memory up in its turn. Never trusts what a distiller or a note claims
 * about its own evidence. Pure.
 */
import {
  withoutNotes,
  type Evidence,
  type MemoryKind,
  type StoredTurn,
  type ToolCall,
} from '../core/index.ts';
import { EDIT_PROOF, passedTests } from './proof.ts';

/** Shorter parts of a quote are found everywhere: they prove something only in a text that is short itself ("B", "yes, B"). */
const MIN_PART = 4;
const SHORT_TEXT = 15;
/** A shorter quote must be exact. */
const NEARLY = { words: 5, share: 0.7 } as const;
/** Tools whose output is text that someone else wrote. */
const READS_TEXT = /^(?:Read|Grep|Glob|NotebookRead|WebFetch|WebSearch|Task|Agent|mcp__)/i;

/** Commands that print such text. It proves a fact ("the log says 500"), but it is no rule of this project. */
const PRINTS_TEXT =
  /^(?:\s*cd [^;&|]+(?:&&|;))*\s*(?:cat|bat|head|tail|less|more|sed -n|grep|rg|curl|wget|man|gh (?:issue|pr|api|repo|release)|glab|pdftotext|pandoc)\b/;

/** `kind`: work that a passing test or a commit of the turn proves is `shown`, also if the agent says it. */
export function evidenceFor(turn: StoredTurn, quote: string, kind?: MemoryKind): Evidence {
  const parts = partsOf(quote);
  const isIn = (text: string): boolean => {
    const plain = plainly(text);
    return parts.length > 0 && parts.every((part) => isWithin(part, plain) || isNearlyIn(part, plain));
  };
  if (turn.origin === 'person' && isIn(ownText(turn.prompt))) return 'said';
  if (turn.origin === 'person' && isIn(turn.prompt)) return 'quoted';
  const work = kind === 'bugfix' || kind === 'feature' || kind === 'refactor';
  // A note contains its own quote, which proves nothing.
  const answer = withoutNotes(turn.answer);
  if (isIn(ownText(answer))) return work && isProven(turn) ? 'shown' : 'claimed';
  if (isIn(answer)) return 'quoted';
  const output = turn.tools.find((tool) => isIn(outputOf(tool)));
  if (output) return isReading(output, kind) ? 'quoted' : 'shown';
  return work && isProven(turn) ? 'shown' : 'claimed';
}

/** The text without what its author quotes: block quotes, code, pasted output, passages in quotation marks. */
export function ownText(text: string): string {
  return text
    .replace(/^(?:`{3,}|~{3,})[\s\S]*?(?:^(?:`{3,}|~{3,})\s*$|$(?![\s\S]))/gm, '\n')
    .replace(/^[ \t]*>.*$/gm, '')
    .replace(SAYS, '$1')
    .replace(/"[^"\n]{25,}"|“[^”]{25,}”|„[^“”]{25,}[“”]|«[^»]{25,}»|「[^」]{12,}」/g, '…');
}

/** "the README says: …", "Anna wrote: …": the rest of the paragraph is not the author's. */
const SAYS =
  /(\b(?:readme|docs?|documentation|guide|page|site|article|blog|issue|ticket|comment|mail|e-?mail|message|colleague|reviewer|linter|error|log|output|[A-Z]\w+)\b[^.\n]{0,40}?\b(?:says?|said|wrote|writes|reads|states|recommends?|suggests?|tells?|told|schreibt|sagt|dit|dice|escribió)\b[^.:\n]{0,40}):[^\n]*(?:\n(?!\n)[^\n]*)*/gi;

function isReading({ name, command = '' }: ToolCall, kind: MemoryKind | undefined): boolean {
  const isRule = kind === 'decision' || kind === 'preference' || kind === 'pattern';
  return READS_TEXT.test(name) || (isRule && PRINTS_TEXT.test(command));
}

function isProven({ tools }: StoredTurn): boolean {
  return tools.some(
    (tool) => tool.status === 'ok' && (EDIT_PROOF.test(tool.command ?? '') || passedTests(tool)),
  );
}

function outputOf({ output = '', errors }: ToolCall): string {
  return [output, ...errors].join('\n');
}

/** Tells whether the text has these words as a whole: `log` is not in "login". Some scripts put no spaces between words. */
function isWithin(part: string, plain: string): boolean {
  if (part.length < MIN_PART && plain.length > SHORT_TEXT) return false;
  return UNSPACED.test(part) ? plain.includes(part) : ` ${plain} `.includes(` ${part} `);
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Models correct a word when they copy: most pairs of neighbouring words must be there. */
function isNearlyIn(part: string, plain: string): boolean {
  const words = part.split(' ');
  if (words.length < NEARLY.words) return false;
  const pairs = words.slice(1).map((word, i) => `${words[i]} ${word}`);
  const text = ` ${plain} `;
  return pairs.filter((pair) => text.includes(` ${pair} `)).length >= pairs.length * NEARLY.share;
}

/** A quote may leave words out. */
function partsOf(quote: string): readonly string[] {
  const parts = quote
    .split(/…|\.{3}|\[\.\.\.\]/)
    .map(plainly)
    .filter((part) => part !== '');
  const long = parts.filter((part) => part.length >= MIN_PART);
  return long.length > 0 ? long : parts;
}

/** Without case, markup, punctuation and line breaks, which models change when they copy. */
function plainly(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’`]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}%+#$€]+/gu, ' ')
    .trim();
}
