/**
 * Shortens a long statement to one line of a list: removes asides first, then the text after a self-contained clause.
 * Never ends within a name in backticks, an enumeration or half a condition. Pure.
 */
import { DONE_VERBS, NAMED } from './_english.ts';

/** One line in a list. */
const LINE = 90;
/** A title that cannot be cut may be this long, like a model's title. */
const MAX_TITLE = 140;
/** Limit for a title of which a name is half. */
const MAX_WITH_NAME = 180;
/** Only the beginning of a longer text is read. */
const MAX_READ = 600;
/** Minimum length after a cut. */
const MIN_CUT = 25;
/** Minimum length of a clause; the text before a comma is often only half a statement. */
const MIN_CLAUSE = { hard: 40, soft: 45 } as const;
/** After a longer head, the rest is only its explanation. */
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

/** The marks outside of names in backticks. */
export function marksIn(text: string, marks: RegExp): readonly RegExpExecArray[] {
  const names = [...text.matchAll(/`[^`]*`/g)].map(({ 0: name, index }) => [index, index + name.length]);
  return [...text.matchAll(marks)].filter(
    ({ index }) => !names.some(([from = 0, to = 0]) => index > from && index < to),
  );
}

const MARKS = / [—–-] |[;:,，、] ?(?=\s|[\u3040-\u9fff])/g;
/** The second of two self-contained halves of a sentence. */
const SECOND_HALF = /(?<=^[^,]*), and(?= )|, (?:while|whereas)(?= )/g;
const SMALL_WORDS =
  / (?=(?:and|so|which|because|since|when|while|where|by|to|for|with|from|using|via|before|after|into|without)\b)/g;

/** `a (b) c` → `a c`, unless the brackets are part of a name or of the point. */
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

/** A head that can only announce. */
const POINTS =
  /^(?:the|that|this|here|why|how|what|there|both|its?|these|those|so|one|two|all|another|my|our|your|in short)\b/i;
const DID = new RegExp(String.raw`^(?:${DONE_VERBS})\b`, 'i');

/** The longest self-contained piece of at most `limit` characters that ends at a mark. */
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

/** An enumeration, or a contrast that completes the sentence. */
const GOES_ON =
  /^(?:[^,;.]{1,40}, ){0,5}(?:and|or|etc)\b|^(?:but|while|yet|not|whereas|although|though|unless|except|instead|rather)\b/i;
/** `If a, b` is complete only with its comma; in `x, but when a, b` the commas are ambiguous. */
const CONDITION =
  /^(?:even if|even though|based on|if|when|since|because|once|after|while|as|although|given|unless|until|whenever|either|for|to|in order to|by|without|instead of)\b[^,]*$|[,;—–-] (?:so|but|and|then) (?:if|when|once|since|while|with|after|before|for|on|in)\b|[:;—–-] (?:if|when|once|since|while|instead of)\b[^,]*$/i;
/** The text after a `but` must have a verb, too. */
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

/** Without a self-contained clause, the title ends with an ellipsis. */
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
