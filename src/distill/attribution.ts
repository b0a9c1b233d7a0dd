/**
 * Keeps what the user said apart from what the agent added. A memory is "said by the user" only if every part of its title
 * was said by the user, or proposed by the agent and agreed to; a reason or a body of the agent is labelled. Pure.
 */
import { type Evidence, type MemoryDraft, RULE_KINDS, type StoredTurn, withoutNotes } from '../core/index.ts';
import { titleWords } from '../database/index.ts';
import { ownText } from './evidence.ts';
import { withoutPoliteness } from './rules/said.ts';
import { ADDITION, OPENING, POINTING, POINTING_OBJECT } from './rules/talk.ts';
import { titleOf, topicsOf, wordsOf } from './rules/title.ts';

/** Stands before the part of a memory of the user that only the agent said. */
export const BY_AGENT = 'According to the agent: ';

/** A part is the user's from this share of its words on: a sentence as it was said, or reworded by the agent. */
export const SHARE = { said: 0.5, reworded: 0.25 } as const;
/** The first clause of an agreement: it also names the subject, which the user did not repeat. */
const AGREED_SHARE = 0.3;
/** More topic words say themselves what is meant; fewer may agree to what was proposed. */
const AGREEMENT_TOPICS = 3;
const MIN_TITLE = { words: 3, topics: 2 } as const;
/** Words are looked up in pieces: a query reads only the beginning of a long text. */
const PIECE = 400;

/** The words that count as the user's in a turn. */
export interface Heard {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  /** The user agrees to a proposal. */
  readonly agreed: boolean;
  /** One of `SHARE`. */
  readonly share: number;
}

/** The user's own words, and the turn before if the user only agrees to it or chooses from it. */
export function heardIn(
  turn: StoredTurn,
  previous: StoredTurn | undefined,
  share: number = SHARE.said,
): Heard {
  const own = turn.origin === 'person' ? ownText(turn.prompt) : '';
  const answer = answers(own);
  const before = previous && answer ? `${previous.prompt}\n${withoutNotes(previous.answer)}` : '';
  return withWords({ text: '', words: new Set(), agreed: answer === 'agrees', share }, [own, before]);
}

/** Adds texts that the user said or agreed to before. */
export function withWords(heard: Heard, texts: readonly string[]): Heard {
  const text = [heard.text, ...texts].join('\n').toLowerCase();
  const pieces = text.match(new RegExp(String.raw`[\s\S]{1,${PIECE}}(?:\s|$)`, 'g')) ?? [text];
  return { ...heard, text, words: new Set(pieces.flatMap((piece) => titleWords(piece))) };
}

const RULES = /\b(?:always|never|every|from now on|immer|nie|toujours|jamais|siempre|nunca|sempre)\b/i;
/** Agrees to a proposal in so many words. */
const AGREES =
  /^\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|agreed|do (?:it|that)|go|please do|sounds good|perfect|fine|deal|right|ja|oui|sí|si|sim|да)(?!\p{L})|\bgo(?:ing)? (?:with|for|ahead)\b|\bit is\b/iu;
/** May choose from what was proposed. */
const CHOOSES =
  /\b(?:take|use|keep|option|variante?|the (?:first|second|third|last|former|latter))\b|\d|[好行はい吧번]/iu;

function answers(prompt: string): 'agrees' | 'chooses' | undefined {
  const first = prompt.trim().split(/(?<=[.!?])\s|\n/)[0] ?? '';
  const isShort = !RULES.test(first) && topicsOf(first).size <= AGREEMENT_TOPICS;
  if (isShort && AGREES.test(first)) return 'agrees';
  return (isShort && CHOOSES.test(first)) || wordsOf(prompt).length <= AGREEMENT_TOPICS
    ? 'chooses'
    : undefined;
}

/** Clauses of a title: each is a statement of its own. */
const CLAUSE =
  /[,;:，；：、()（）]\s*|\s(?:[—–→]|--?)\s|\s(?:because|since|so that|due to|denn|weil|parce que|porque|потому что)\s/iu;
/** A file, an identifier or a number says something exact. */
const NAME = /[\w@-]*(?:[/\\_]|\.(?=\w)|[a-z](?=[A-Z]))[\w./\\@-]*|\d+/g;

/** Whether the user said all of it: most words of every clause, and every name. */
export function isSaid(text: string, { text: heard, words, agreed, share }: Heard): boolean {
  const names = text.match(NAME) ?? [];
  const isHeard = (name: string): boolean => heard.includes(baseName(name).toLowerCase());
  const from = (at: number): number => (agreed && at === 0 ? Math.min(AGREED_SHARE, share) : share);
  return names.every(isHeard) && text.split(CLAUSE).every((clause, at) => shareOf(clause, words) >= from(at));
}

function baseName(name: string): string {
  return (
    name
      .replace(/[./\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? name
  );
}

function shareOf(clause: string, words: ReadonlySet<string>): number {
  const own = titleWords(clause);
  return own.length === 0 ? 1 : own.filter((word) => words.has(word)).length / own.length;
}

/**
 * Returns a draft that says only what its evidence covers. The title of a rule that goes beyond the user's words is replaced by these
 * words and kept as the agent's, or the whole is a claim of the agent if the words make no title.
 */
export function attributed(
  draft: MemoryDraft,
  evidence: Evidence,
  quote: string,
  heard: Heard,
  otherwise: () => Evidence,
): MemoryDraft {
  if (evidence !== 'said') return { ...draft, evidence };
  if (isSaid(draft.title, heard)) return { ...labelled(draft, heard), evidence };
  const title = RULE_KINDS.includes(draft.kind) ? ownTitle(quote) : undefined;
  if (title === undefined) return { ...draft, evidence: otherwise() };
  const body = [`${draft.title}.`, draft.body].filter(Boolean).join(' ');
  return { ...labelled({ ...draft, title, body: withLabel(body) }, heard), evidence };
}

/** The user's sentence as a title; nothing if only the session explains it. */
function ownTitle(quote: string): string | undefined {
  const point = withoutPoliteness(quote.trim().replace(OPENING, '').replace(ADDITION, ''));
  if (!standsAlone(point)) return undefined;
  const title = titleOf(point, MIN_TITLE.words);
  return title !== undefined && topicsOf(title).size >= MIN_TITLE.topics ? title : undefined;
}

/** "Make it 15, they complain" needs the session. */
export function standsAlone(text: string): boolean {
  return !POINTING.test(text) && !POINTING_OBJECT.test(text) && !/^\w+ (?:it|this|that|them)\b/i.test(text);
}

function labelled(draft: MemoryDraft, heard: Heard): MemoryDraft {
  const { reason, body } = draft;
  const isOfAgent = reason !== undefined && !reason.startsWith(BY_AGENT) && !isSaid(reason, heard);
  return {
    ...draft,
    body: body.includes(BY_AGENT) ? body : splitBody(body, heard),
    ...(isOfAgent && { reason: withLabel(reason) }),
  };
}

/** The label stands before the first sentence that the user did not say. */
function splitBody(body: string, heard: Heard): string {
  const sentences = body.split(/(?<=[.!?。！？])(\s+)/);
  const at = sentences.findIndex((sentence) => sentence.trim() !== '' && !isSaid(sentence, heard));
  if (at === -1) return body;
  return sentences.slice(0, at).join('') + withLabel(sentences.slice(at).join(''));
}

function withLabel(text: string): string {
  return `${BY_AGENT}${text}`;
}
