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

/** Shorter parts of a quote are found everywhere, unless they are the whole prompt. */
const MIN_PART = 4;
/** A shorter quote must be exact. */
const NEARLY = { words: 5, share: 0.7 } as const;
/** Tools whose output is text that someone else wrote. */
const READS_TEXT = /^(?:Read|Grep|Glob|NotebookRead|WebFetch|WebSearch|Task|Agent|mcp__)/i;

/** `kind`: work that a passing test or a commit of the turn proves is `shown`, also if the agent says it. */
export function evidenceFor(turn: StoredTurn, quote: string, kind?: MemoryKind): Evidence {
  const parts = partsOf(quote);
  const isIn = (text: string): boolean => {
    const plain = plainly(text);
    return parts.length > 0 && parts.every((part) => plain.includes(part) || isNearlyIn(part, plain));
  };
  if (turn.origin === 'person' && isIn(ownText(turn.prompt))) return 'said';
  if (turn.origin === 'person' && isIn(turn.prompt)) return 'quoted';
  const work = kind === 'bugfix' || kind === 'feature' || kind === 'refactor';
  // A note contains its own quote, which proves nothing.
  const answer = withoutNotes(turn.answer);
  if (isIn(ownText(answer))) return work && isProven(turn) ? 'shown' : 'claimed';
  if (isIn(answer)) return 'quoted';
  const output = turn.tools.find((tool) => isIn(outputOf(tool)));
  if (output) return READS_TEXT.test(output.name) ? 'quoted' : 'shown';
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

function isProven({ tools }: StoredTurn): boolean {
  return tools.some(
    (tool) => tool.status === 'ok' && (EDIT_PROOF.test(tool.command ?? '') || passedTests(tool)),
  );
}

function outputOf({ output = '', errors }: ToolCall): string {
  return [output, ...errors].join('\n');
}

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
