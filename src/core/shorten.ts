/**
 * Shortens a title to a length so that it still reads as a phrase: it ends with a sentence, a clause or a word, never with
 * "and", "the" or "because", and never inside brackets, quotes or a name in backticks. Pure.
 */

/** A clause that ends before this share of the room says too little; a later word is better. */
const CLAUSE_SHARE = 0.45;
/** Below this share, a text without its open bracket or loose words says too little. */
const LEAST_SHARE = 0.3;

/**
 * `shortened('Rotate the token on every use because a stolen one…', 40)` → `Rotate the token on every use…`
 * @param isPoint whether a clause may stand for the whole text
 */
export function shortened(text: string, most: number, isPoint = (_clause: string): boolean => true): string {
  if (text.length <= most) return text;
  const room = Math.max(1, most - 1); // for the ellipsis
  const head = text.slice(0, room).replace(/[\uD800-\uDBFF]$/, '');
  const sentence = lastMatch(head, text, SENTENCE_END, room * CLAUSE_SHARE);
  if (sentence !== undefined && balanced(sentence) === sentence) return sentence;
  const clause = lastMatch(head, text, CLAUSE_END, room * CLAUSE_SHARE);
  const least = room * LEAST_SHARE;
  for (const cut of [clause, atWord(head, text)]) {
    if (cut === undefined || (cut === clause && !isPoint(cut))) continue;
    const whole = phraseOf(cut);
    if (whole.length >= least) return `${whole}…`;
  }
  // One long name or quote loses its marks instead; a text without words is cut anywhere.
  const bare = phraseOf(atWord(head, text).replace(/[`"“”„()[\]{}«»「」]/g, ''));
  return `${bare.length >= least ? bare : head}…`;
}

/** Removes loose words, open brackets and marks from the end; may leave nothing. */
export function phraseOf(text: string): string {
  let phrase = text;
  for (let before = ''; before !== phrase;) {
    before = phrase;
    phrase = balanced(phrase).replace(LOOSE_MARKS, '').replace(LOOSE_WORD, '').replace(LOOSE_MARKS, '');
  }
  return phrase;
}

const SENTENCE_END = /[.!?](?=\s)|[。！？]/g;
const CLAUSE_END = /(?=[,;:](?:\s|$))|(?= [—–-] )|(?=[，、；：])/g;

/** The text up to the last match that is neither before `least` nor after the head. */
function lastMatch(head: string, text: string, mark: RegExp, least: number): string | undefined {
  // One character more, because a mark looks at the next one.
  const matches = [...text.slice(0, head.length + 1).matchAll(mark)];
  const last = matches.findLast(({ 0: { length }, index }) => {
    const end = index + length;
    return end >= least && end <= head.length && !isAbbreviation(text.slice(0, end));
  });
  return last && text.slice(0, last.index + last[0].length);
}

function isAbbreviation(text: string): boolean {
  return /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|\p{Lu})\.$/iu.test(text);
}

/** The head up to its last whole word. A text without spaces is cut between two of its names or characters. */
function atWord(head: string, text: string): string {
  if (/^\s/.test(text.slice(head.length))) return head;
  const space = head.search(/\s\S*$/);
  return space > 0 ? head.slice(0, space) : wholeWords(head, text);
}

/** A character of a word. Chinese, Japanese and Thai have no spaces, so each of their characters may end a line. */
const IN_WORD =
  /^(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_]/u;

/**
 * Returns the beginning of a text without the word that it breaks: `wholeWords('use Re', 'use Redis')` → `use `. A
 * single word that is longer than the beginning is broken.
 */
export function wholeWords(head: string, text: string): string {
  if (!IN_WORD.test(text.slice(head.length, head.length + 2))) return head;
  // Backwards and not by a pattern, which takes quadratic time in a long word.
  let end = head.length;
  while (end > 0 && IN_WORD.test(head.slice(end - 1, end))) end--;
  const whole = head.slice(0, end);
  return /[\p{L}\p{N}]/u.test(whole) ? whole : head;
}

const PAIRS: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '“': '”',
  '«': '»',
  '「': '」',
};

/** The text before a bracket, quote or backtick that is opened and not closed. */
function balanced(text: string): string {
  const open: { readonly closes: string; readonly at: number }[] = [];
  [...text.matchAll(/[`"()[\]{}“”«»「」]/g)].forEach(({ 0: mark, index }) => {
    const top = open.at(-1);
    if (top?.closes === mark) open.pop();
    // Nothing else counts inside a name in backticks.
    else if (top?.closes !== '`') {
      const closes = mark === '`' || mark === '"' ? mark : PAIRS[mark];
      if (closes !== undefined) open.push({ closes, at: index });
    }
  });
  return open[0] ? text.slice(0, open[0].at) : text;
}

const LOOSE_MARKS = /[\s.,;:!?—–\-/&+=→(，、；：]+$/u;

/** Words that promise another one. */
const LOOSE_WORD = new RegExp(
  String.raw`(?:^|\s)(?:${[
    'a an the this these those its their our your my his her whose each every any some no',
    'and or but nor so yet if unless because since while when whenever where whereas although though until till',
    'before after that which who as than whether',
    'of in on at to for from with without by into onto via per about against between during over under through like',
    'is are was were be been being has have had do does did will would can could should must may might not never',
    'und oder aber weil dass der die das den dem ein eine einen mit für von zu zum zur auf',
    'et ou mais parce que le la les un une des de du avec pour',
    'y o pero porque el los las una con para por',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
  'iu',
);
