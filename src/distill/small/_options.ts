/**
 * Finds what a short answer of the user means: the option of the previous answer that "2", "the second one", "yes" or a
 * name stands for. Pure.
 */
import { withoutNotes, type StoredTurn } from '../../core/index.ts';
import { sentencesOf, spoken } from '../rules/sentences.ts';
import { subjectOf } from '../rules/subject.ts';
import { HEDGE, ORDER } from '../rules/talk.ts';
import { titleOf, topicsOf, wordsOf } from '../rules/title.ts';
import { shared } from './_group.ts';
import type { Scene } from './_subject.ts';
import type { Point } from './_title.ts';

/** `said`: the user's sentence. `choice`: the same as a statement. */
export function chosenOption(said: string, choice: string, { turn, previous }: Scene): Point | undefined {
  if (previous === undefined) return undefined;
  const option =
    numberedOption(said, previous) ?? agreedProposal(said, previous) ?? namedOption(choice, previous);
  const text = option === undefined ? undefined : titleOf(asOrder(option), 3);
  if (text !== undefined && topicsOf(text).size >= 2) return { text, isWhole: false };
  const subject = subjectOf(choice.replace(/^(?:use|keep) /i, ''), turn, previous);
  return (
    subject && {
      text: subject.title,
      isWhole: false,
      ...(subject.reason !== undefined && { reason: subject.reason }),
    }
  );
}

const PLACES: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'first 1st former one erste ersten premier première primera primero primeira 一',
    'second 2nd latter two zweite zweiten deuxième segunda segundo 二',
    'third 3rd three dritte dritten troisième tercera tercero terceira 三',
    'fourth 4th four vierte vierten 四',
  ].flatMap((words, i) => words.split(' ').map((word) => [word, i + 1])),
);
const CHOICE = new RegExp(
  String.raw`^(?:(?:ok(?:ay)?|yes|yeah|yep|hm+|also|dann|let's (?:do|go with|take)|go with|take|do|use|i'd take|the|option|number|variant|variante|plan|#|die|der|la|le|el|a)[\s,:]*)*(?<name>\d|[a-e]|last|${Object.keys(PLACES).join('|')})(?:\)|(?![\p{L}\p{N}])|(?=[吧번でに]))(?:[\s,.!)–—-]|$|(?=[吧번でに]))`,
  'iu',
);
/** At the end of a sentence: "… also 3", "2でいきましょう". */
const LAST =
  /(?:^|[\s,.;:])(?:also|so|option|variante?|take|do|go with|then)?\s*(?<name>\d|[A-E])(?:\)|でいき\S*|번\S*)?\s*(?:then|please|pls|it is)?[.!]*$/u;
/** More words say themselves what is chosen. */
const MAX_WORDS = 14;

/** The option that the user names by its number or place. */
function numberedOption(said: string, previous: StoredTurn): string | undefined {
  if (wordsOf(said).length > MAX_WORDS) return undefined;
  const name = (CHOICE.exec(said) ?? LAST.exec(said))?.groups?.['name']?.toLowerCase();
  if (name === undefined) return undefined;
  const options = optionsIn(previous.answer);
  if (options.length < 2) return undefined;
  const place = name === 'last' ? options.length : (PLACES[name] ?? placeOf(name));
  return (options.find(({ mark }) => mark === name) ?? options[place - 1])?.text;
}

function placeOf(name: string): number {
  return /\d/.test(name) ? Number(name) : name.charCodeAt(0) - 96;
}

/** "shader it is": the option or the sentence that names it. */
function namedOption(choice: string, previous: StoredTurn): string | undefined {
  const name = choice.replace(/^(?:use|keep|take|nimm) (?:the )?/i, '');
  if (topicsOf(name).size === 0) return undefined;
  const found = optionsIn(previous.answer).find(({ text }) => shared(name, text) >= topicsOf(name).size);
  return found?.text;
}

interface Option {
  readonly mark: string;
  readonly text: string;
}

/** `1. …`, `- **A)** …`, `(a) … (b) …`, `Option B: …` */
function optionsIn(answer: string): readonly Option[] {
  const text = spoken(withoutNotes(answer));
  const lines = text.split('\n').flatMap((line): readonly Option[] => {
    const { mark = '', text: option } =
      (MARKED.exec(line) ?? /^\s*[-*+•]\s+(?<text>\S.*)$/u.exec(line))?.groups ?? {};
    return option === undefined ? [] : [{ mark: mark.toLowerCase(), text: option }];
  });
  const marked = lines.filter(({ mark }) => mark !== '');
  if (marked.length >= 2) return marked;
  if (lines.length >= 2) return lines;
  const inline = [...text.matchAll(INLINE)].map(({ groups }) => ({
    mark: (groups?.['mark'] ?? '').toLowerCase(),
    text: groups?.['text'] ?? '',
  }));
  return inline.length >= 2 ? inline : alternatives(answer);
}

const MARKED =
  /^\s*(?:[-*+]\s+)?(?:\*\*)?\(?(?:option |variante? |plan )?(?<mark>[1-9]|[A-Ea-e])[.):、．](?:\*\*)?\s*(?<text>\S.*)$/i;
const INLINE =
  /(?:^|[\s(:])\(?(?:option )?(?<mark>[1-5]|[a-eA-E])\)\s+(?<text>[^\n]+?)(?=[,;.]?\s+(?:or |and |oder )?\(?(?:option )?(?:[2-5]|[b-eB-E])\)\s|[.?!](?:\s|$)|\n|$)/g;

/** "Redis streams or a Postgres table?" */
function alternatives(answer: string): readonly Option[] {
  const asked = sentencesOf(withoutNotes(answer), false).findLast(({ text }) => /\bor\b.*\?\s*$/.test(text));
  const parts = asked?.text.replace(/\?\s*$/, '').split(/,? or (?=\S)/) ?? [];
  return parts.length === 2 ? parts.map((text) => ({ mark: '', text })) : [];
}

const AGREES =
  /^(?:yes|yeah|yep|yup|sure|ok(?:ay)?|go|go ahead|go for it|do it|do that|please do|sounds good|agreed|perfect|fine|deal|ja|oui|sí|si|sim|да|好|行|はい|mach das|so lassen|vas-y|dale|hazlo)(?![\p{L}])/iu;
const PROPOSES =
  /(?<!\p{L})(?:i'd (?:suggest|recommend|go with|use|take|keep|put|move|make|add|start|do|say)|i would (?:suggest|recommend|use|keep)|i (?:suggest|recommend|propose)|my (?:suggestion|recommendation|proposal)(?: is| would be)?:?|recommendation:|shall i|should i|want me to|do you want me to|ich würde|ich schlage|je propose|propongo|sugiro)(?!\p{L})[,:]?\s*/iu;

/** Returns the proposal at the end of the previous answer if the user agrees to it. */
function agreedProposal(said: string, previous: StoredTurn): string | undefined {
  if (!AGREES.test(said) || wordsOf(said).length > MAX_WORDS) return undefined;
  const proposal = sentencesOf(withoutNotes(previous.answer), false)
    .slice(-4)
    .findLast(({ text }) => PROPOSES.test(text));
  const match = PROPOSES.exec(proposal?.text ?? '');
  return match ? proposal?.text.slice(match.index + match[0].length).replace(/\?\s*$/, '') : undefined;
}

/** An option that is an order already. */
const VERB =
  /^(?:use|keep|stay|break|defer|leave|skip|ship|reject|allow|treat|store|return|compute|cache|wrap|inline|let|have|require|disable|enable|rely|ignore|accept|always|never|no|don't|do not)\b/i;

/** `Redis streams: one more server` → `Use Redis streams: one more server` */
function asOrder(option: string): string {
  const bare = option.replace(/\*\*|__/g, '').replace(/[?.!\s]+$/, '');
  const [first = bare] = bare.split(/(?<=[.!])\s+(?=\p{Lu})/u);
  return ORDER.test(first) || HEDGE.test(first) || VERB.test(first) || !/^[\p{sc=Latin}`*]/u.test(first)
    ? first
    : `Use ${first.replace(/^(?:An?|The) /, (article) => article.toLowerCase())}`;
}
