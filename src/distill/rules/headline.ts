/**
 * Shortens a long sentence to a title that still makes its point: without asides in brackets, without a clause that only
 * leads to the point, and never down to a condition, an opening or the beginning of a list. Pure.
 */
import { phraseOf, shortened } from '../../core/index.ts';

/** A clause that ends before says too little. */
const MIN_CUT = 40;

/** Returns the text itself if it is short enough. */
export function headline(text: string, most: number): string {
  if (text.length <= most) return text;
  const bare = withoutLead(withoutAsides(text));
  if (bare.length <= most) return bare;
  const head = bare.slice(0, 2 * most);
  const mark = marksIn(head, / [—–-] |[;:,，、] ?(?=\s|[\u3040-\u9fff])/g)
    .filter(({ index }) => index >= MIN_CUT && index <= most)
    .findLast((found) => isPoint(head, found));
  const clause = mark && phraseOf(head.slice(0, mark.index));
  if (clause !== undefined && clause.length >= MIN_CUT) return clause;
  return shortened(bare, most, (clause) => !isOpening(clause.split(CLAUSES).at(-1) ?? ''));
}

/** The marks outside of names in backticks. */
export function marksIn(text: string, marks: RegExp): readonly RegExpExecArray[] {
  const names = [...text.matchAll(/`[^`]*`/g)].map(({ 0: name, index }) => [index, index + name.length]);
  return [...text.matchAll(marks)].filter(
    ({ index }) => !names.some(([from = 0, to = 0]) => index > from && index < to),
  );
}

/** Removes "(…)" within a sentence, but not a call such as `run()` or a short addition. */
function withoutAsides(text: string): string {
  return marksIn(text, / \((?=[^)]{12})(?:[^()`]|`[^`]*`|\([^()]*\))+\)/g)
    .toReversed()
    .reduce((left, { 0: aside, index }) => left.slice(0, index) + left.slice(index + aside.length), text);
}

/** "While the old one stays, the new one …": what comes first is not the point. */
const LEAD =
  /^(?:since|because|as|while|although|though|even though|rather than|instead of|given(?: that)?|now that|in addition to|besides|despite|according to|as (?:agreed|requested|discussed)) [^,;:]{3,}, (?=\S+ \S+ \S)/i;

function withoutLead(text: string): string {
  const lead = LEAD.exec(text);
  return lead ? text.slice(lead[0].length) : text;
}

const CONDITION =
  /^(?:and |but |so |or )?(?:if|when|whenever|while|since|because|as|after|before|once|until|unless|although|though|where|which|who|in|on|at|for|with|without|by|to|from|during|given|wenn|falls|weil|nachdem|bevor|si|quand|cuando|porque|se|quando|если|когда)\b/iu;
/** "When it fails", "so that once it is set": what follows is left out. */
function isOpening(clause: string): boolean {
  return CONDITION.test(clause) || /\b(?:that|so) (?:if|when|whenever|once|after|while)\b/i.test(clause);
}

/** The next item of a list, or its last one. */
const LISTED =
  /^[\s,，、]*(?:and |or |und |et |y |e )?(?:`[^`]*`|[^\s,;:`]+)(?: [^\s,;:`]+){0,2}(?:,| and | or |$)/u;
/** Words of an item of a list. */
const FEW_WORDS = 3;

/** Marks between clauses. */
const CLAUSES = /[,，、] |[;:] | [—–-] /;

/** Whether the text before a mark makes the point: it has more than an opening, and is not in the middle of a list. */
function isPoint(text: string, { 0: mark, index }: RegExpExecArray): boolean {
  const before = text.slice(0, index);
  const clauses = before.split(CLAUSES);
  const last = clauses.at(-1) ?? '';
  if (isOpening(last)) return false;
  if (!/[,，、]/.test(mark)) return true;
  const isItem = clauses.length > 1 && last.split(/\s+/).length <= FEW_WORDS;
  return !isItem && !LISTED.test(text.slice(index));
}
