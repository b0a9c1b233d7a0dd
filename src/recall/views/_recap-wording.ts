/** Words of a recap: titles and requests as short sentences that can be read aloud. Pure. */
import { phraseOf, plainLine, shortened, type Memory } from '../../core/index.ts';
import { OPENING, ORDER, sentencesOf, titleOf, wordsOf } from '../../distill/index.ts';
import { says } from '../alike.ts';

/** One line in a list. A longer text is cut at a mark. */
const LONGEST = 160;
/** A shorter beginning of a cut text says too little. */
const SHORTEST_CUT = 30;
/** A shorter title needs the body to be understood: "Leave it at 10". */
const CLEAR_WORDS = 4;
/** Enough words of a request to tell its topic. */
const TOPIC_WORDS = 4;

/** Whether the title and the body together can be understood without the conversation. */
export function isClear(memory: Memory): boolean {
  return wordsOf(titleLine(memory)).length >= CLEAR_WORDS;
}

/** The title, with the beginning of the body or another text if the title alone says too little. */
export function titleLine(memory: Memory, otherwise = ''): string {
  const title = readable(memory.title);
  const more = sentencesOf(memory.body, false)[0]?.text ?? otherwise;
  if (wordsOf(title).length >= CLEAR_WORDS || more === '' || says(title, more)) return title;
  return readable(`${title}: ${more}`);
}

/** Title and reason, where both fit on the line. */
export function withReason(memory: Memory, label: string, otherwise = ''): string {
  const title = titleLine(memory, otherwise);
  const reason = readable(memory.reason ?? '');
  const both = `${title}. ${label}: ${reason}`;
  return reason === '' || both.length > LONGEST || says(title, reason) ? title : both;
}

/** The request of the user in one sentence: an order if there is one. */
export function requestLine(prompt: string): string {
  const said = sentencesOf(prompt, true).map(({ text }) =>
    text.replace(OPENING, '').replace(FIRST_WORDS, ''),
  );
  const clear = said.filter((text) => wordsOf(text).length >= TOPIC_WORDS);
  const text = clear.find((one) => ORDER.test(one)) ?? clear[0] ?? said.join(' ');
  return readable(titleOf(text, 1) ?? (text || prompt));
}

/** "And now please move it" */
const FIRST_WORDS = /^(?:(?:and|now|then|so|next|also|please)[, ]+)+/i;

/** One plain line. A text that was cut ends at its last clause. */
export function readable(text: string): string {
  const line = plainLine(text)
    .replace(/\*\*|__/g, '')
    .replace(ASIDE, '')
    .trim();
  const cut = line.length > LONGEST || line.endsWith('…') ? atClause(line) : line;
  return sentenceCase(cut.replace(/[\s.,;:—–-]+$/, ''));
}

/** Words before the matter itself. */
const ASIDE =
  /^(?:before i forget|for the (?:record|file)|one (?:more|last)(?: thing)?|by the way|btw|fyi|also)\s*[,:]\s*/i;

function atClause(line: string): string {
  const whole = line.length > LONGEST ? line.slice(0, LONGEST) : line.replace(/…$/, '');
  const marks = [...whole.matchAll(/ [—–-] |[.;:,，、。](?=\s|$)/g)].filter(
    ({ index }) => index >= SHORTEST_CUT,
  );
  const mark = marks.at(-1);
  const clause = mark && phraseOf(whole.slice(0, mark.index));
  return clause !== undefined && clause.length >= SHORTEST_CUT ? clause : shortened(line, LONGEST);
}

/** A name of code stays as it is written. */
function sentenceCase(text: string): string {
  const [first = ''] = text.split(/\s/, 1);
  return /^[a-z]+[A-Z]|[._/\\`]/.test(first) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
