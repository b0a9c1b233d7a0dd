/** Finds what the user stated explicitly: rules, decisions, open items, dead ends, facts to remember. Pure. */
import type { MemoryDraft, StoredTurn } from '../../core/index.ts';
import { draftOf, quoteOf } from './draft.ts';
import { MARKERS, type Marker } from './_markers.ts';
import { OTHER_LANGUAGES } from './_other-languages.ts';
import { withoutPasted } from './pasted.ts';
import { isPersonal } from './scope.ts';
import { subjectOf } from './subject.ts';
import {
  ADDITION,
  FOR_NOW,
  HEDGE,
  NAMED_TEXT,
  OPENING,
  ORDER,
  POINTING,
  POINTING_OBJECT,
  quotesOthers,
} from './talk.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import { splitFailure, splitReason, splitTail, titleOf, topicsOf, wordsOf } from './title.ts';

/** Most of a long prompt is pasted: a plan, a log, a review. Only its beginning is the user's own text. */
const MAX_OWN_WORDS = 1500;
/** With this many topic words, a decision is understood without its session. */
const ENOUGH_TOPICS = 3;

export function saidBy(turn: StoredTurn, previous?: StoredTurn): readonly MemoryDraft[] {
  const own = ownSentences(turn);
  const found: MemoryDraft[] = [];
  own.forEach((sentence, at) => {
    const next = own[at + 1];
    const draft =
      inEnglish(sentence, turn, previous, next) ??
      emphasised(sentence, turn, next) ??
      leftOpen(sentence, turn, own.slice(at + 1)) ??
      inOtherLanguages(sentence, turn, next);
    if (draft !== undefined) found.push(draft);
  });
  return found;
}

/** The client sends the summary of a conversation that ran out of context as a prompt. */
const CONTINUED = /^\s*This session is being continued from a previous conversation/;
/** A longer passage in quotation marks is someone else's; a word or two may be emphasis. */
const QUOTED =
  /"[^"\n]{12,800}"|“[^”]{12,800}”|„[^“”"]{12,800}[“”"]|«[^»]{12,800}»|「[^」]{4,800}」|(?<=^|[\s(:])'[^'\n]{25,800}'(?=$|[\s).,:;!?])/gm;

/** A block between tags or between two lines of dashes. */
const PASTED = [
  /^[ \t]*<([a-z][\w-]{0,40})(?:\s[^<>\n]{0,300})?>[ \t]*$[\s\S]*?(?:^[ \t]*<\/\1>|(?![\s\S]))/gim,
  /^[ \t]*([-=_*~]{3,})[ \t]*$[\s\S]*?^[ \t]*\1[ \t]*$/gm,
] as const;

/** Claude Code and others send a plan that the agent wrote as a prompt. */
const PLAN =
  /^\s*(?:please )?(?:implement|execute|follow|carry out) (?:the|this) (?:following )?plan\b[\s\S]*$/i;
/** "Address these:" with a list, mostly the findings of a review: tasks in the words of its author. */
const TASKS =
  /^([^\n]{0,80}\b(?:address|fix|resolve|handle|tackle|implement|apply|findings?|feedback|review|comments?|suggestions?|observations?)\b[^\n]{0,120}:)[ \t]*\n+(?:[ \t]*(?:[-*+•]|#?\d{1,2}[.):])[ \t][^\n]*(?:\n[ \t]+\S[^\n]*)*\n*)+/gim;

/** The user's own sentences: without quotations, pasted text, and what is introduced as someone else's words. */
export function ownSentences(turn: StoredTurn): readonly Sentence[] {
  if (turn.origin !== 'person' || CONTINUED.test(turn.prompt)) return [];
  const prompt = turn.prompt.replace(PLAN, '').replace(TASKS, '$1');
  const opening =
    prompt.length <= MAX_OWN_WORDS ? prompt : prompt.slice(0, MAX_OWN_WORDS).replace(/^#{1,6} [\s\S]*$/m, '');
  const own: Sentence[] = [];
  const typed = PASTED.reduce((text, block) => text.replace(block, '\n\n'), withoutPasted(opening));
  for (const paragraph of typed.replace(QUOTED, '…').split(/\n\s*\n/)) {
    const sentences = sentencesOf(paragraph.replace(NAMED_TEXT, ''), true);
    for (const sentence of sentences) {
      // "X wrote:" and the lines after it, "the README says: always …"
      if (quotesOthers(sentence.text)) {
        if (/[:：]/.test(sentence.text)) return own;
        continue;
      }
      own.push(sentence);
    }
  }
  return own;
}

/** Where a clause may begin within a sentence. */
const CLAUSE =
  /(?:[,;:]|\s[—–-])\s+(?:(?:and|but|so|also|then|as a general (?:thing|rule):|btw,?)\s+)*|\s(?:and|but) (?=(?:please |pls )?(?:no|never|always|don't|dont|do not|keep|from now on)\s)/gi;

function inEnglish(
  sentence: Sentence,
  turn: StoredTurn,
  previous: StoredTurn | undefined,
  next: Sentence | undefined,
): MemoryDraft | undefined {
  for (const [at, clause] of clausesOf(sentence.text).entries()) {
    for (const marker of MARKERS) {
      if (at > 1 && !marker.inside) continue;
      const draft = apply(marker, clause, sentence, turn, previous, next);
      if (draft !== undefined) return draft;
    }
  }
  return undefined;
}

/** The sentence without its opening, also without an addition, then each later clause with the rest of the sentence. */
function clausesOf(text: string): readonly string[] {
  const opened = text.replace(OPENING, '');
  const bare = opened.replace(ADDITION, '');
  const starts = [...bare.matchAll(CLAUSE)].map(({ index, 0: mark }) => index + mark.length);
  return [opened, bare, ...starts.map((start) => bare.slice(start))];
}

/** "geometry first. always.", "utc. everywhere." */
function emphasised(
  { text, raw }: Sentence,
  turn: StoredTurn,
  next: Sentence | undefined,
): MemoryDraft | undefined {
  if (next === undefined || !EMPHASIS.test(next.text) || HEDGE.test(text) || FOR_NOW.test(text))
    return undefined;
  const point = text.replace(OPENING, '').replace(ADDITION, '');
  const title = POINTING.test(point) || wordsOf(point).length > MAX_RULE ? undefined : titleOf(point);
  if (title === undefined) return undefined;
  return draftOf({ kind: 'preference', title, evidence: 'said', quote: quoteOf(raw, turn.prompt) });
}

const EMPHASIS =
  /^(?:always|never|ever|everywhere|anywhere|period|full stop|no exceptions|never ever)[.!]*$/i;
/** Words; a longer sentence before "always." is a story. */
const MAX_RULE = 16;

/** "the sandbox answers 200 with an error. needs fixing, not today" */
function leftOpen(
  { text, raw }: Sentence,
  turn: StoredTurn,
  after: readonly Sentence[],
): MemoryDraft | undefined {
  const rest = after.map((sentence) => sentence.text).join(' ');
  if (!NEEDS_WORK.test(rest) || HEDGE.test(text)) return undefined;
  const point = text.replace(OPENING, '').replace(ADDITION, '');
  const title = POINTING.test(point) ? undefined : titleOf(splitTail(point).what, 4);
  if (title === undefined) return undefined;
  return draftOf({
    kind: 'issue',
    title,
    evidence: 'said',
    quote: quoteOf(raw, turn.prompt),
    reason: splitTail(point).reason,
  });
}

const NEEDS_WORK =
  /^(?:(?:this|that|it) )?(?:needs? (?:fixing|to be fixed|to be done)|has to be (?:fixed|done)|must be fixed|don't let me forget|put (?:it|that|this) on (?:the|my|our) list)\b/i;

/** "can we please stop using X?" asks for nothing but that. */
const ASKED_TO_STOP = /\b(?:can|could|would) (?:we|you) (?:please |pls |just |finally )*stop\b/i;

function apply(
  marker: Marker,
  clause: string,
  { text, raw }: Sentence,
  turn: StoredTurn,
  previous: StoredTurn | undefined,
  next: Sentence | undefined,
): MemoryDraft | undefined {
  const match = marker.pattern.exec(clause);
  const what = match?.groups?.['what'];
  if (match === null || what === undefined) return undefined;
  if (HEDGE.test(text) && !ASKED_TO_STOP.test(text)) return undefined;
  if (marker.kind !== 'issue' && FOR_NOW.test(text)) return undefined;
  const { what: head, reason: because } = marker.kind === 'dead_end' ? splitFailure(what) : splitReason(what);
  const { what: point, reason: tail } = marker.whole ? { what: head } : splitTail(head);
  if (marker.lead === undefined && (POINTING.test(point) || POINTING_OBJECT.test(point))) return undefined;
  const rest = clause.slice(match[0].length).replace(/^[\s,;:.!?—–-]+/, '');
  const reason = because ?? tail ?? reasonIn(rest) ?? reasonIn(next?.text ?? '');
  const body = bodyOf(rest) ?? bodyOf(next?.text);
  if (marker.needsReason && reason === undefined) return undefined;
  const quote = quoteOf(raw, turn.prompt);
  const common = { kind: marker.kind, evidence: 'said' as const, quote, reason, body };
  const subject = marker.choice ? subjectOf(point, turn, previous) : undefined;
  if (marker.choice && (POINTING.test(point) || topicsOf(point).size < ENOUGH_TOPICS)) {
    if (subject === undefined) {
      const all =
        topicsOf(clause).size > ENOUGH_TOPICS && !POINTING.test(point) ? titleOf(clause) : undefined;
      return all === undefined ? undefined : draftOf({ ...common, title: all, reason: because });
    }
    return draftOf({ ...common, title: subject.title, reason: reason ?? subject.reason });
  }
  const title = titleOf(`${marker.lead ?? ''}${withoutPoliteness(point)}`);
  if (title === undefined) return undefined;
  return draftOf({ ...common, title, personal: marker.kind === 'preference' && isPersonal(text) });
}

const MIN_BODY_WORDS = 4;

/** More of what the user said about it: no question and no order for the moment. */
function bodyOf(text: string | undefined): string | undefined {
  if (text === undefined || wordsOf(text).length < MIN_BODY_WORDS) return undefined;
  return HEDGE.test(text) || FOR_NOW.test(text) || ORDER.test(text) || quotesOthers(text) ? undefined : text;
}

export function withoutPoliteness(text: string): string {
  return text
    .replace(/\?+\s*$/, '')
    .replace(/,? (?:please|pls|plz|btw)(?=[,.!]|$|\s)/gi, '')
    .replace(/^(?:please|pls) /i, '');
}

const BECAUSE = /^(?:[,.:;—– -]|period\b)*\s*(?:because|since|as|otherwise|so that) (?<why>.{8,160})/i;

function reasonIn(text: string): string | undefined {
  const why = BECAUSE.exec(text)?.groups?.['why'];
  return why?.replace(/[\s.,;!]+$/, '');
}

function inOtherLanguages(
  { text, raw }: Sentence,
  turn: StoredTurn,
  next: Sentence | undefined,
): MemoryDraft | undefined {
  const row = OTHER_LANGUAGES.find(({ marker, except }) => marker.test(text) && !except.test(text));
  if (row === undefined || /[?？]\s*$/.test(text)) return undefined;
  const { what, reason } = splitReason(text.replace(row.opening, ''));
  const { what: point, reason: tail } = splitTail(what);
  const title = titleOf(point, 3);
  if (title === undefined) return undefined;
  return draftOf({
    kind: row.kind,
    title,
    evidence: 'said',
    quote: quoteOf(raw, turn.prompt),
    reason: reason ?? tail ?? reasonIn(next?.text ?? ''),
  });
}
