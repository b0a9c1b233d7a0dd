/** Finds statements under a heading that names their kind: decisions, open issues, findings, a review's list. Pure. */
import type { MemoryKind } from '../../core/index.ts';
import { LABELS, REVIEW, SUGGESTIONS, VERDICT } from './_english-headings.ts';
import {
  ASKS_WHAT_IS_OPEN,
  CONDITIONAL,
  IMPERATIVE,
  NO_STATEMENT,
  PLAYED_DOWN,
  PRAISE,
  STATES_OPEN,
  THE_REST,
  TO_THE_PERSON,
} from './_english-talk.ts';
import { HEDGE, NARRATION } from './_english.ts';
import { draftOf, type Statement } from './_statement.ts';
import { contextOf } from './_work.ts';
import type { Sentence } from './sentences.ts';
import { isNamed, isPromise, isVague, matterOf, splitReason, titleOf, wordsOf } from './title.ts';

const MAX_FACTS = 5;
/** Words; a lead this short and without a name needs its explanation. */
const SHORT_LEAD = 4;
const REST = new RegExp(THE_REST, 'i');

/** `asked`: the user's own text of the turn. */
export function sectionsOf(
  prompt: readonly Sentence[],
  answer: readonly Sentence[],
  asked: string,
): readonly Statement[] {
  return [...labelled(answer, asked), ...labelled(prompt, ''), ...reviewed(answer), ...dropped(answer)];
}

/** Text that leaves nothing open: praise, an offer, a question, instructions, a condition, something played down. */
export function isClosing(text: string): boolean {
  return (
    [PRAISE, TO_THE_PERSON, CONDITIONAL, PLAYED_DOWN].some((talk) => talk.test(text)) || text.endsWith('?')
  );
}

function labelled(said: readonly Sentence[], asked: string): readonly Statement[] {
  return LABELS.flatMap(({ kind, pattern }) => {
    const items = said.filter(
      (sentence) =>
        pattern.test(sentence.label) &&
        !HEDGE.test(sentence.text) &&
        !NARRATION.test(sentence.text) &&
        belongs(sentence, kind, asked),
    );
    const firsts = items.filter((item, i) => i === 0 || item.paragraph !== items[i - 1]?.paragraph);
    const heads = kind === 'decision' || kind === 'dead_end' ? firsts : firsts.slice(0, 1);
    return heads.flatMap((source) => {
      const { what, reason } = splitReason(source.text);
      const title = titleOf(kind === 'discovery' ? matterOf(source.text) : what.replace(REST, ''));
      if (title === undefined) return [];
      const rest = heads.length > 1 ? [] : firsts.slice(1, 1 + MAX_FACTS).map((item) => item.text);
      return [{ draft: draftOf(kind, title, contextOf(source, said), reason, rest), source }];
    });
  });
}

/**
 * The closing words of an answer are under its last heading too. A list under a heading of open issues counts; prose,
 * and suggestions without a request, only if they state that something is open.
 */
function belongs({ text, label, bullet, from }: Sentence, kind: MemoryKind, asked: string): boolean {
  if (isPromise(text)) return false;
  if (kind !== 'issue') return !PRAISE.test(text) && !(kind === 'discovery' && NO_STATEMENT.test(text));
  if (from === 'person') return true;
  if (isClosing(text)) return false;
  if (bullet && !SUGGESTIONS.test(label)) return true;
  if (isVague(text)) return false;
  return (bullet && ASKS_WHAT_IS_OPEN.test(asked)) || (STATES_OPEN.test(text) && !IMPERATIVE.test(text));
}

/** The list at the end of a review: one open issue with the first item as title and the others as facts. */
function reviewed(said: readonly Sentence[]): readonly Statement[] {
  const items = said.filter(
    ({ under, lead, text }) =>
      REVIEW.test(under) &&
      lead !== '' &&
      !PRAISE.test(lead) &&
      !HEDGE.test(lead) &&
      !(isVague(lead) && PLAYED_DOWN.test(text)),
  );
  const firsts = items.filter((item, i) => item.lead !== items[i - 1]?.lead);
  const [source, ...rest] = firsts;
  const title = source && faultOf(source);
  if (source === undefined || title === undefined || rest.length === 0) return [];
  const facts = rest
    .map((item) => item.lead)
    .filter((lead) => !lead.startsWith('(') && wordsOf(lead).length > 2)
    .slice(0, MAX_FACTS);
  return [{ draft: draftOf('issue', title, contextOf(source, said), undefined, facts), source }];
}

/** `Blurry icons` says too little alone, so its explanation is added. */
function faultOf({ lead, text }: Sentence): string | undefined {
  const fault = lead.replace(/^(?:critical|high|major|important|blocker|bug|dry)\s*[:—–-]\s*/i, '');
  const explains = !text.startsWith(lead) && !HEDGE.test(text) && !isPromise(text);
  const short = wordsOf(fault).length <= SHORT_LEAD && !isNamed(fault) && !IMPERATIVE.test(fault);
  const explained = short && explains ? titleOf(`${fault}: ${text}`) : undefined;
  return explained?.startsWith(fault) ? explained : (titleOf(fault) ?? explained);
}

/** `Attempt 2: UPX. Works, but the scanner flags it. Dropped.` */
function dropped(said: readonly Sentence[]): readonly Statement[] {
  return said.flatMap((verdict) => {
    if (!VERDICT.test(verdict.text)) return [];
    const before = said
      .slice(0, said.indexOf(verdict))
      .filter((other) => other.paragraph === verdict.paragraph);
    const [source, second] = before;
    if (source === undefined || NARRATION.test(source.text) || HEDGE.test(source.text)) return [];
    const tried = source.text.replace(/[.!]+$/, '');
    const title = titleOf(second === undefined ? tried : `${tried}: ${second.text}`);
    const body = [...before, verdict].map((sentence) => sentence.text).join(' ');
    return title === undefined ? [] : [{ draft: draftOf('dead_end', title, body), source }];
  });
}
