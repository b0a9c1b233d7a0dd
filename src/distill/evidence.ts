/**
 * Decides who said something: looks the quote of a memory up in its turn. Never trusts what a distiller or a note claims
 * about its own evidence. Pure.
 */
import {
  type Evidence,
  type MemoryKind,
  type StoredTurn,
  type ToolCall,
  RULE_KINDS,
  withoutNotes,
  WORK_KINDS,
} from '../core/index.ts';
import { provesWork, RECORDS_WORK } from './proof.ts';
import { withoutPasted } from './rules/pasted.ts';

/** A word shorter than this is found everywhere, so it must be all that is said: "B", "accept." */
const LONG_WORD = 8;
/** In a text this short every word counts: "ok, B please". */
const SHORT_TEXT = 17;
/** A shorter quote must be exact. */
const NEARLY = { words: 5, share: 0.7 } as const;
/** Tools whose output is text that someone else wrote. */
const READS_TEXT = /^(?:Read|Grep|Glob|NotebookRead|WebFetch|WebSearch|Task|Agent|mcp__)/i;
/** Commands that do the same: a README read with `cat` is as little proof as one read with a tool. */
const PRINTS_TEXT =
  /(?:^|[;&|(\n]\s*)(?:\w+=\S* )*(?:sudo )?(?:cat|bat|head|tail|less|more|sed|awk|strings|echo|printf|(?:rip)?grep|rg|jq|curl|wget|https?|lynx|w3m|pandoc|gh|glab|git (?:-\S+ \S+ )*(?:show|log|diff|blame|grep))\b/;

/** `kind`: work that a passing test or a commit of the turn proves is `shown`, also if the agent says it. */
export function evidenceFor(turn: StoredTurn, quote: string, kind?: MemoryKind): Evidence {
  const parts = partsOf(quote);
  const isIn = (text: string): boolean => parts.length > 0 && parts.every((part) => isPartOf(part, text));
  if (turn.origin === 'person' && isIn(ownText(turn.prompt))) return 'said';
  if (turn.origin === 'person' && isIn(turn.prompt)) return 'quoted';
  const work = kind !== undefined && WORK_KINDS.includes(kind);
  // A note contains its own quote, which proves nothing.
  const answer = withoutNotes(turn.answer);
  // An agent sets its own recap off as a block quote, so only text with a named source is quoted.
  if (isIn(withoutCited(answer))) return work && isProven(turn) ? 'shown' : 'claimed';
  if (isIn(answer)) return 'quoted';
  const output = turn.tools.find((tool) => isIn(outputOf(tool)));
  if (output) return readsText(output, kind) ? 'quoted' : 'shown';
  return work && isProven(turn) ? 'shown' : 'claimed';
}

/** The text without what its author quotes: block quotes, code, pasted output, passages in quotation marks. */
export function ownText(text: string): string {
  return withoutCited(withoutPasted(text))
    .replace(/^(?:`{3,}|~{3,})[\s\S]*?(?:^(?:`{3,}|~{3,})\s*$|$(?![\s\S]))/gm, '\n')
    .replace(/^[ \t]*>.*$/gm, '')
    .replace(/"[^"\n]{25,}"|“[^”]{25,}”|„[^“”]{25,}[“”]|«[^»]{25,}»|「[^」]{12,}」/g, '…');
}

/** "the README says: …", "Anna wrote: …": the rest of the paragraph is not the author's. */
function withoutCited(text: string): string {
  return text.replace(SOURCE_SAYS, '$1').replace(NAME_SAYS, '$1');
}

const REST = String.raw`[^.:\n]{0,40}):[^\n]*(?:\n(?!\n)[^\n]*)*`;
const SOURCE_SAYS = new RegExp(
  String.raw`(\b(?:readme|docs?|documentation|guide|manual|page|site|website|article|blog|post|issue|ticket|comment|e-?mail|message|colleague|customer|reviewer|linter|error|log|output)\b[^.\n]{0,40}?\b(?:says?|said|wrote|writes|reads|states|recommends?|suggests?|tells?|told|schreibt|sagt|dit|dice|escribió)\b${REST}`,
  'gi',
);
const NAME_SAYS = new RegExp(
  String.raw`(\b(?!I\b|We\b|You\b|It\b|The\b|That\b|This\b)[A-Z]\p{L}+ (?:says|said|wrote|writes|told (?:me|us)|recommends|suggests|schreibt|sagt|schrieb|dice|dit)\b${REST}`,
  'gu',
);

function isProven({ tools }: StoredTurn): boolean {
  return tools.some(provesWork);
}

function outputOf({ output = '', errors }: ToolCall): string {
  return [output, ...errors].join('\n');
}

/** Printed text proves a fact ("the log says 500"), but no rule of this project, and it ends nothing. */
function readsText({ name, command = '' }: ToolCall, kind: MemoryKind | undefined): boolean {
  if (READS_TEXT.test(name)) return true;
  const isRule = kind === undefined || RULE_KINDS.includes(kind);
  return isRule && PRINTS_TEXT.test(command) && !RECORDS_WORK.test(command);
}

/** A quote may leave words out. */
function partsOf(quote: string): readonly string[] {
  return quote
    .split(/…|\.{3}|\[\.\.\.\]/)
    .map(plainly)
    .filter((part) => part !== '');
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** In whole words; a short word only as a clause of its own. */
function isPartOf(part: string, text: string): boolean {
  if (UNSPACED.test(part)) return plainly(text).includes(part);
  const plain = ` ${plainly(text)} `;
  const isShort = !part.includes(' ') && part.length < LONG_WORD;
  if (isShort && plain.length > SHORT_TEXT)
    return text.split(/[.,;:!?()\n]|\s[–—-]\s/).some((clause) => plainly(clause) === part);
  return plain.includes(` ${part} `) || isNearlyIn(part, plain);
}

/** Models correct a word when they copy: most pairs of neighbouring words must be there. */
function isNearlyIn(part: string, plain: string): boolean {
  const words = part.split(' ');
  if (words.length < NEARLY.words) return false;
  const pairs = words.slice(1).map((word, i) => `${words[i]} ${word}`);
  return pairs.filter((pair) => plain.includes(` ${pair} `)).length >= pairs.length * NEARLY.share;
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
