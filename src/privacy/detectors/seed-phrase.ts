/**
 * Finds recovery phrases of wallets: 12, 15, 18, 21 or 24 plain words on one line, in quotes, in a list, or after a word
 * that introduces them. There is no word list here: small words and endings
 * show that it is a sentence.
 */
import type { Hit } from '../secrets/literals.ts';
import type { Span } from '../secrets/span.ts';

const TYPE = 'seed-phrase';
const INTRODUCES = new Set(['seed', 'mnemonic', 'phrase', 'wallet', 'recovery']);
const COUNTS = new Set([12, 15, 18, 21, 24]);
const MAX_WINDOW = 600;
const WORD = '[a-z]{3,8}';
const LINE = new RegExp(`^[\\s>$#*-]{0,8}(${WORD}(?:[ ,]{1,2}${WORD}){11,23})[.,;]?\\s*$`);
const QUOTED = new RegExp(`["'\`](${WORD}(?: ${WORD}){11,23})\\\\?["'\`]`, 'y');
const ITEMS = new RegExp(`["'](${WORD}["'](?:,\\s{0,8}["']${WORD}["']){11,23})`, 'y');
const NUMBERED = new RegExp(
  `1[.):] {0,2}(${WORD}(?:(?:\\r?\\n|,|;|\\\\n|\\|)? {0,6}\\d{1,2}[.):] {0,2}${WORD}){11,23})(?![a-z])`,
  'y',
);
const QUOTE_START = /["'`][a-z]{3,8}(?: [a-z]{3,8} [a-z]{3,8} [a-z]|["'],\s{0,8}["'][a-z])/g;
const LIST_START = /1[.):] {0,2}[a-z]{3,8}(?=[\s,;\\|])/g;
const MARK =
  /\b(?:12|15|18|21|24) words?\b[:=]?\s{0,4}|\bthese words:\s{0,4}|\b(?:seed|mnemonic|recovery|backup|secret|wallet)s?\b[^\n]{0,40}?(?:[:=→]|\bis\b|\b(?:phrase|words)(?: (?:is|are|was))?\b[:=]?)\s{0,4}["'`]?/gi;
const AFTER_MARK = new RegExp(
  `(?:\\d{1,2}[.):] ?)?(\\p{L}{2,12}(?:[\\s,]{1,3}(?:\\d{1,2}[.):] ?)?\\p{L}{2,12}){11,23})(?![\\p{L}])`,
  'uy',
);
const SMALL_WORDS =
  /\b(?:the|and|for|with|from|are|was|were|has|had|his|her|its|our|not|but|out|who|how|why|them|their|than|which|would|could|should|been|does|did|these|those|your|some|each|per|via|und|der|die|das|que|los|las|les|des|est|una|con|por|eins|zwei|drei|uno|dos|tres|deux|trois|jan|feb|januar|enero|janvier|monday|mon|tue|beta|bravo|charlie|venus|aries|lorem|ipsum|adr|rfc|api|cpu|gpu|sql|css|html|http|json|int|str|var|func|server|shard|schema|config|debug|async|await|git|npm|url|src|lib|env)\b/;
// Words of lists that people write in order: numbers, months, colours. A phrase has one or two of them by chance.
const LISTED =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|first|second|third|fourth|fifth|january|february|march|april|may|june|july|august|september|october|november|december|sunday|tuesday|friday|red|orange|yellow|green|blue|purple|violet|black|white|north|south|east|west|spring|summer|autumn|winter)\b/g;
const MOST_LISTED = 2;
const ENDING = /(?:s|ed|ing|ly|ion|th)$/;

/** `hints`: places of NAME_HINTS, which include the words that introduce a phrase. */
export function seedPhraseSpans(text: string, hints: readonly Hit[]): readonly Span[] {
  const spans: Span[] = [];
  onOwnLine(text, spans);
  quotedOrListed(text, spans);
  if (hints.some(({ literal }) => INTRODUCES.has(literal)) || /\bwords\b/.test(text)) introduced(text, spans);
  return spans;
}

function onOwnLine(text: string, spans: Span[]): void {
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    if (end - start >= 47 && end - start <= 260) {
      const words = LINE.exec(text.slice(start, end))?.[1];
      if (words !== undefined && isPhrase(words)) {
        const at = text.indexOf(words, start);
        spans.push({ start: at, end: at + words.length, type: TYPE });
      }
    }
    start = end + 1;
  }
}

function quotedOrListed(text: string, spans: Span[]): void {
  let done = 0;
  for (const start of [QUOTE_START, LIST_START]) {
    for (const match of text.matchAll(start)) {
      if (match.index < done) continue;
      const pattern = start === LIST_START ? NUMBERED : match[0].includes(',') ? ITEMS : QUOTED;
      pattern.lastIndex = match.index;
      const found = pattern.exec(text);
      if (found?.[1] === undefined) continue;
      done = pattern.lastIndex;
      if (!isPhrase(found[1])) continue;
      const from = match.index + found[0].indexOf(found[1]);
      spans.push({ start: from, end: from + found[1].length, type: TYPE });
    }
    done = 0;
  }
}

/** After a word that introduces it, any language of words counts. */
function introduced(text: string, spans: Span[]): void {
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    const from = MARK.lastIndex;
    AFTER_MARK.lastIndex = 0;
    const found = AFTER_MARK.exec(text.slice(from, from + MAX_WINDOW));
    if (found?.[1] === undefined || !COUNTS.has(countOf(found[1])) || SMALL_WORDS.test(found[1])) continue;
    if (/\p{Lu}/u.test(found[1])) continue;
    spans.push({ start: from, end: from + found[0].length, type: TYPE });
    MARK.lastIndex = from + found[0].length;
  }
}

function isPhrase(text: string): boolean {
  const words = text.match(/[a-z]+/g) ?? [];
  if (!COUNTS.has(words.length) || SMALL_WORDS.test(text) || new Set(words).size < words.length - 1)
    return false;
  if ((text.match(LISTED)?.length ?? 0) > MOST_LISTED) return false;
  // A sorted list, or almost: twelve words drawn at random have so few descents once in a thousand times.
  if (words.filter((word, i) => i > 0 && word < (words[i - 1] ?? '')).length <= 2) return false;
  return words.filter((word) => ENDING.test(word)).length <= words.length / 4;
}

function countOf(text: string): number {
  return text.match(/\p{L}+/gu)?.length ?? 0;
}
