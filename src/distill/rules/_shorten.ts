/**
 * A long statement → one that fits a line of a list and is still whole: asides go first, then what follows a clause
 * that stands on its own. Never ends within a name in backticks, an enumeration or half a condition. Pure.
 */
import { DONE_VERBS, NAMED } from './_english.ts';

/** One line in a list. */
const LINE = 90;
/** Whole it may be this long, as a model's title may; cut in two it would say nothing. */
const MAX_TITLE = 140;
/** So long it may be for a name that is half of it. */
const MAX_WITH_NAME = 180;
/** A longer text is no statement; its beginning will do. */
const MAX_READ = 600;
/** What is left of a cut must be longer than this. */
const MIN_CUT = 25;
/** A clause cut shorter than this says too little; before a comma often stands only half of what is said. */
const MIN_CLAUSE = { hard: 40, soft: 45 } as const;
/** What is announced by more words than these is only explained by what follows. */
const MAX_ANNOUNCING = 9;

export function shorten(said: string): string {
  const text = said.slice(0, MAX_READ);
  if (text.length <= LINE) return text;
  const bare = withoutAsides(text);
  if (bare.length <= LINE) return bare;
  const announced = announcedBy(bare);
  if (announced !== undefined) return shorten(announced);
  const clause = lastWhole(bare, LINE, MARKS);
  if (clause !== undefined) return clause;
  if (bare.length <= MAX_TITLE) return bare;
  return (
    lastWhole(bare, MAX_TITLE, MARKS) ??
    lastWhole(bare, MAX_TITLE, SECOND_HALF) ??
    lastWhole(bare, MAX_TITLE, SMALL_WORDS, LINE) ??
    cut(bare)
  );
}

/** Where each mark stands that is not within a name in backticks. */
export function marksIn(text: string, marks: RegExp): readonly RegExpExecArray[] {
  const names = [...text.matchAll(/`[^`]*`/g)].map(({ 0: name, index }) => [index, index + name.length]);
  return [...text.matchAll(marks)].filter(
    ({ index }) => !names.some(([from = 0, to = 0]) => index > from && index < to),
  );
}

const MARKS = / [—–-] |[;:,，、] ?(?=\s|[\u3040-\u9fff])/g;
/** The other half of a sentence that has two: each stands on its own. */
const SECOND_HALF = /(?<=^[^,]*), and(?= )|, (?:while|whereas)(?= )/g;
const SMALL_WORDS =
  / (?=(?:and|so|which|because|since|when|while|where|by|to|for|with|from|using|via|before|after|into|without)\b)/g;

/** `a (b) c` → `a c`, unless the brackets belong to a name or hold what matters. */
function withoutAsides(text: string): string {
  const asides = marksIn(text, /\s\([^()]{1,200}\)/g);
  const bare = asides.reduceRight(
    (rest, aside) => `${rest.slice(0, aside.index)}${rest.slice(aside.index + aside[0].length)}`,
    text,
  );
  return bare.length < MIN_CLAUSE.soft ? text : bare;
}

/** `It is one thing: the clock is wrong` → `The clock is wrong`. */
function announcedBy(text: string): string | undefined {
  const [colon] = marksIn(text, /: /g);
  if (colon === undefined) return undefined;
  const head = text.slice(0, colon.index);
  const rest = text.slice(colon.index + 2).trim();
  const announces = LABEL_END.test(head) || (POINTS.test(head) && !NAMED.test(head));
  if (!announces || head.split(' ').length > MAX_ANNOUNCING) return undefined;
  return rest.length < MIN_CUT ? undefined : rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** No name, no order: it can only announce. */
const POINTS =
  /^(?:the|that|this|here|why|how|what|there|both|its?|these|those|so|one|two|all|another|my|our|your|in short)\b/i;
const DID = new RegExp(String.raw`^(?:${DONE_VERBS})\b`, 'i');

/** The longest piece of at most `limit` characters that ends at a mark and stands on its own. */
function lastWhole(
  text: string,
  limit: number,
  marks: RegExp,
  soft: number = MIN_CLAUSE.soft,
): string | undefined {
  for (const mark of marksIn(text, marks).toReversed()) {
    const hard = /[—–;:-]/.test(mark[0]);
    if (mark.index > limit || mark.index < (hard ? MIN_CLAUSE.hard : soft)) continue;
    const head = text.slice(0, mark.index).trimEnd();
    const rest = text.slice(mark.index + mark[0].length).trimStart();
    if (isWhole(head) && !GOES_ON.test(rest) && (!hard || saysSomething(head, mark[0]))) return head;
  }
  return undefined;
}

/** An enumeration, or the turn that makes the sense of what was before it. */
const GOES_ON =
  /^(?:[^,;.]{1,40}, ){0,5}(?:and|or|etc)\b|^(?:but|while|yet|not|whereas|although|though|unless|except|instead|rather)\b/i;
/** `If a, b` is whole with its comma only; of `x, but when a, b` nobody knows which comma is whose. */
const CONDITION =
  /^(?:even if|even though|based on|if|when|since|because|once|after|while|as|although|given|unless|until|whenever|either|for|to|in order to|by|without|instead of)\b[^,]*$|[,;—–-] (?:so|but|and|then) (?:if|when|once|since|while|with|after|before|for|on|in)\b|[:;—–-] (?:if|when|once|since|while|instead of)\b[^,]*$/i;
/** What follows a `but` must say something, too. */
const SECOND = /[,;—–-] (?:but|so|yet|while) (?<half>[^,;—–]*)$/i;
const DANGLING =
  /(?<=\s)(?:and|or|but|the|an?|of|to|in|on|for|with|by|from|that|which|when|where|if|because|since|as|at|is|are|was|were|so|than|into|instead|rather|like|only|not|it|its|their|your|our|via|using)$/i;

function isWhole(head: string): boolean {
  const balanced = head.split('"').length % 2 === 1 && head.split('(').length === head.split(')').length;
  const half = SECOND.exec(head)?.groups?.['half'];
  return (
    balanced &&
    !CONDITION.test(head) &&
    !DANGLING.test(head) &&
    (half === undefined || VERB.test(half) || /\w[^s\W]s \w/.test(half))
  );
}

/** Before a colon or a dash: `Added b to a.ts: …` says something, `Hidden costs - …` is a heading. */
function saysSomething(head: string, mark: string): boolean {
  if (DID.test(head)) return true;
  return NAMED.test(head) ? !LABEL_END.test(head) : !mark.startsWith(':') && VERB.test(head);
}

const VERB =
  /\b(?:is|are|was|were|be|has|have|had|does|do|did|can|cannot|will|should|must|needs?|\w+n't|it's|they're|\w{3,}ed|use|keep|prefer|never|always)\b/i;
/** `the crash, root cause: …` */
const LABEL_END =
  /\b(?:cause|reason|problem|issue|fix|solution|answer|result|why|how|principle|scenario)s?$/i;

/** Nothing stands on its own: the title says that it goes on. */
function cut(text: string): string {
  const names = [...text.matchAll(/`[^`]*`/g)];
  const within = names.find(
    ({ 0: name, index }) => index < MAX_TITLE - 1 && index + name.length >= MAX_TITLE,
  );
  const after = within === undefined ? 0 : within.index + within[0].length;
  if (within !== undefined && within.index < MAX_TITLE / 2 && after <= MAX_WITH_NAME)
    return `${text.slice(0, after)}…`;
  const head = text.slice(0, within !== undefined && within.index > MIN_CUT ? within.index : MAX_TITLE - 1);
  const space = head.lastIndexOf(' ');
  const words = head.slice(0, space >= MIN_CUT ? space : undefined).replace(/[\s.,;:!—–(-]+$/, '');
  return `${words.replace(DANGLING, '').replace(/[\s,;:]+$/, '')}…`;
}
