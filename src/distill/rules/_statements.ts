/** Finds statements worth storing in a turn: decisions, preferences, dead ends, open issues, discoveries. Pure. */
import type { MemoryDraft, MemoryKind } from '../../core/index.ts';
import { REVIEW, TAKEN_BACK } from './_english-headings.ts';
import type { Rule } from './_english-person.ts';
import { RULES } from './_english-rules.ts';
import { CONDITIONAL, PRAISE } from './_english-talk.ts';
import { DONE_VERBS, HEDGE, NARRATION, POINTING } from './_english.ts';
import type { Finding } from './_findings.ts';
import { FOREIGN_RULES } from './_other-languages.ts';
import { isClosing, sectionsOf } from './_sections.ts';
import { draftOf, type Statement } from './_statement.ts';
export type { Statement } from './_statement.ts';
import { contextOf, siblingsOf } from './_work.ts';
import type { Sentence } from './sentences.ts';
import { isAlike, isArgued, isNamed, isPromise, isVague, matterOf, splitReason, titleOf } from './title.ts';

/** More of one kind from one turn is a list, not a memory. */
const MOST_OF_KIND: Readonly<Partial<Record<MemoryKind, number>>> = {
  preference: 2,
  decision: 2,
  dead_end: 2,
  issue: 1,
  discovery: 1,
};
/** A statement must be this near to the end of the answer to be still true when the agent stopped. */
const LAST_PARAGRAPHS = 8;
const MAX_FACTS = 5;
/** Sentences; a longer prompt describes a task, and its "don't" and "not" are part of the task. */
const SHORT_PROMPT = 6;

/** Kinds for which two words are enough: "Use pnpm". */
const TERSE_KINDS: readonly MemoryKind[] = ['decision', 'preference'];

/** `prompt` and `answer` as sentences; an empty prompt if no user wrote it. */
export function statementsOf(
  prompt: readonly Sentence[],
  answer: readonly Sentence[],
  finding: Finding | undefined,
): readonly Statement[] {
  const end = (answer.at(-1)?.paragraph ?? 0) - LAST_PARAGRAPHS;
  const found: Statement[] = [...sectionsOf(prompt, answer, prompt.map(({ text }) => text).join(' '))];
  for (const source of [...prompt, ...answer]) {
    if (found.some((other) => other.source === source)) continue;
    const around = source.from === 'person' ? prompt : answer;
    const draft = byRules(source, around, end) ?? inOtherWords(source, around);
    if (draft !== undefined) found.push({ draft, source });
  }
  const review = found.some(({ source }) => REVIEW.test(source.under));
  const corrected = found.some(({ source }) => source.from === 'person');
  return chosen([
    ...found.filter(({ source }) => !(corrected && CONCEDED.test(source.text) && source.from === 'agent')),
    ...(review ? [] : discovered(finding, answer)),
  ]);
}

/** Repeats the user's statement. */
const CONCEDED = /^(?:you're|you are) (?:\w+ )?right\b/i;

function byRules(source: Sentence, around: readonly Sentence[], end: number): MemoryDraft | undefined {
  for (const rule of RULES) {
    const draft = apply(rule, source, around, end);
    if (draft !== undefined) return draft;
  }
  return undefined;
}

function apply(
  rule: Rule,
  source: Sentence,
  around: readonly Sentence[],
  end: number,
): MemoryDraft | undefined {
  if (rule.who !== 'anyone' && rule.who !== source.from) return undefined;
  if (rule.atEnd && source.from === 'agent' && source.paragraph < end) return undefined;
  if (rule.inShort && around.length > SHORT_PROMPT) return undefined;
  if (rule.inList && !source.bullet) return undefined;
  const own = rule.who === 'person' ? unquoted(source.text) : source.text;
  const what = rule.pattern.exec(own)?.groups?.['what'];
  if (what === undefined) return undefined;
  if (rule.needsReason && !isArgued(what)) return undefined;
  // "I'll use X instead of Y" announces a decision; any other announcement may not happen.
  if (source.from === 'agent' && NARRATION.test(own) && !(rule.kind === 'decision' && rule.needsReason))
    return undefined;
  if (isTalk(rule, source, own)) return undefined;
  const list = own.endsWith(':') && source.from === 'agent' ? siblingsOf(source, around) : [];
  if (isPromise(own) && (list.length === 0 || rule.kind !== 'decision')) return undefined;
  // For an issue or a discovery the cause is the better title.
  const { what: clause, reason } =
    rule.kind === 'discovery' || rule.kind === 'issue'
      ? { what: matterOf(what.trim()) }
      : splitReason(what.trim());
  if (HEDGE.test(splitReason(own).what) || own.endsWith('?') || ONLY_NOW.test(clause)) return undefined;
  if (source.from === 'person' && REFERENCE.test(clause)) return undefined;
  if (rule.lead === undefined ? POINTING.test(clause) || OF_POINTING.test(clause) : CHOICE.test(clause))
    return undefined;
  const said = `${rule.lead ?? ''}${clause.replace(/^(?:let's|please|just)\s+/i, '')}`;
  const title = titleOf(said, TERSE_KINDS.includes(rule.kind) ? 2 : undefined);
  if (title === undefined) return undefined;
  const vague = isVague(title);
  if (vague && source.from === 'agent' && (rule.kind === 'issue' || rule.kind === 'discovery'))
    return undefined;
  if (vague && rule.kind === 'decision' && CONDITIONAL.test(own)) return undefined;
  if (rule.named && !isNamed(title) && (rule.kind === 'discovery' || vague || OPEN_POINTER.test(title)))
    return undefined;
  const draft = draftOf(rule.kind, title, contextOf(source, around), reason, list.slice(0, MAX_FACTS));
  return rule.kind === 'preference' && isPersonal(own) ? { ...draft, personal: true } : draft;
}

/** Closing words, a report or a condition: nothing is open, found or given up. */
function isTalk(rule: Rule, { from }: Sentence, said: string): boolean {
  if (rule.kind === 'dead_end') return /^if\b/i.test(said);
  if (from === 'person') return false;
  if (rule.kind === 'issue') return isClosing(said) || DID.test(said);
  return rule.kind === 'discovery' && PRAISE.test(said);
}

const DID = new RegExp(String.raw`^(?:i |we )?(?:${DONE_VERBS})\b`, 'i');

/** Names something known only in the conversation: `option 2`, `that one`. */
const CHOICE =
  /^(?:it|this|that|them|those|these|your|the (?:same|first|second|third|former|latter|last|recommended)|options?|number|#?\d|[b-e]\b|a\W*$)/i;

/** `for (3)`, `MIP 2`: a number in a list that the reader does not have. */
const REFERENCE = /\(\d{1,2}\)|\b(?:option|item|number|point|observation|step|issues?|MIP) ?#?\d/i;

/** `Keep it warm`, `use this as…`, `not like that`: the subject is named elsewhere. */
const OF_POINTING =
  /^(?:always |never |only |don't |do not )?\w+ (?:it|them|these|those|(?:this|that) (?:as|for|in|where|to|and|one|way|instead|over|rather|model|approach|version|file|idea|option|plan|solution|strategy))\b|^not (?:like )?(?:this|that)\b/i;

/** `extract this into a helper`: the subject is known only in the conversation. */
const OPEN_POINTER = /\b(?:this|these|those|it|them)\b(?! [A-Z`])/;

/** An order for this moment. */
const ONLY_NOW = /\bthis time\b|\bjust (?:tell|show|give|do|run|answer|explain|say)\b/i;

const OF_A_PROJECT =
  /\b(?:we|our|us|this (?:repo|repository|project|codebase|package|module|file)|the (?:repo|project|team)|here)\b/i;
const OF_A_PERSON =
  /\bi(?:'d| would| really| strongly| generally)* prefer\b|\bcall me\b|\b(?:answer|reply|respond|talk|speak|explain)\b.{0,40}\b(?:in|with|to me|briefly|shortly)\b|\bbe (?:brief|concise|terse)\b|\byour (?:answers?|replies|responses|summar\w+)\b|\bmy name\b/i;

/** Preferences about the user's own way of working are personal; those about a project stay with it. */
function isPersonal(said: string): boolean {
  return !OF_A_PROJECT.test(said) && OF_A_PERSON.test(said);
}

/** Words in quotation marks are someone else's. */
function unquoted(text: string): string {
  return text.replace(/"[^"]*"|“[^”]*”/g, '…');
}

/** A user's sentence in a language other than English. */
function inOtherWords(source: Sentence, around: readonly Sentence[]): MemoryDraft | undefined {
  if (source.from !== 'person' || /[?？]\s*$/.test(source.text)) return undefined;
  const rule = FOREIGN_RULES.find(({ pattern }) => pattern.test(source.text));
  if (rule === undefined) return undefined;
  const title = titleOf(source.text);
  return title === undefined ? undefined : draftOf(rule.kind, title, contextOf(source, around));
}

/** A discovery, or a dead end if the agent reverted its work because of it. */
function discovered(finding: Finding | undefined, answer: readonly Sentence[]): readonly Statement[] {
  if (finding === undefined) return [];
  const { source, title } = finding;
  const kind = answer.some((sentence) => TAKEN_BACK.test(sentence.text)) ? 'dead_end' : 'discovery';
  return [{ draft: draftOf(kind, title, contextOf(source, answer)), source }];
}

/** The first preferences and decisions, but the last issue and discovery, which are more accurate. */
function chosen(found: readonly Statement[]): readonly Statement[] {
  const kept: Statement[] = [];
  for (const [kind, most] of Object.entries(MOST_OF_KIND)) {
    const ofKind = found.filter(({ draft }) => draft.kind === kind);
    const ordered = kind === 'discovery' || kind === 'issue' ? ofKind.toReversed() : ofKind;
    let count = 0;
    for (const statement of ordered) {
      if (count === most || kept.some(({ draft }) => isAlike(draft.title, statement.draft.title))) continue;
      kept.push(statement);
      count++;
    }
  }
  return kept;
}
