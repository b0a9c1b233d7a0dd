/**
 * Finds secrets that a word for them introduces in ordinary text, in many languages: sentences, labels, prompts, Markdown,
 * and values on the next line. The word alone is not enough: the shape of the value decides.
 */
import { isLabel, type SecretWord } from '../secrets/secret-words.ts';
import { isNeverSecret, isRandom } from '../secrets/secret-value.ts';
import { SERIAL, shapeOf } from '../secrets/shape.ts';
import { PLACEHOLDER_START, type Span } from '../secrets/span.ts';

const REACH = 200; // characters after the word
const MAX_CROWD = 5; // words for secrets within the reach of one
const MAX_WORDS = 12;
const MAX_WORDS_AFTER_NAME = 6;
const MAX_WORDS_BEFORE = 5;
const MAX_LINES = 5;
const MAX_CODES = 24; // lines of a list of recovery codes
const REACH_NEXT = 400;
const MIN_VAGUE = 20;
const MIN_NEAR = 16;
const MIN_SAID = 8;
const REACH_BACK = 80;
const MIN_PIN = 4;
const MIN_NUMBER = 6; // digits of a password that is a number

const LINE = /\r?\n|(?:\\+[rn])+/;
// Runs of a script without spaces, or anything else between white space and full-width punctuation.
const TOKEN =
  /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|(?:[^\s\\\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff0f\uff1a-\uff20]|\\(?![nrt]))+|[：＝]/g;
const OPENING = /^(?:<[a-z]{1,8}>|[\\"'`“”„«»‘’「『(<[*_~=:]|&quot;|&lt;)+/;
const CLOSING = /(?:[\\"'`“”„«»‘’」』)>\]*_~,.;:…]|&quot;|&gt;)+$/;
const QUOTED = /^[*_(=:[]{0,3}\\*["'`“„«‘「『]/;
const PLAIN = /^[a-z]{1,14}[:,]?$/i; // most words; `phraseLength` and quotes need no look at them
const ENDS_SENTENCE = /[\p{Ll}\p{Lo})"'`][.?!;。]["')*]*$/u;
const SEPARATOR_ONLY = /^(?:[:=：＝→»›>–—/*_?…-]|<\/?[a-z]{1,6}>)+$/;
const ENDS_SEPARATED = /[:=：＝][*_`"'~)\]]{0,3}$|[:：]<\/?[a-z]{1,6}>$/;
const COPULAS = new Set(
  `is was are be being equals reads called remains now is: ist lautet war sei heißt heisst wäre bleibt es será era son fue est sera
  était c'est é foi eram è sarà era sono luidt zijn jest to brzmi był będzie это является будет был есть є це буде är blir var er
  on oli je bude zní היא הוא byl van lesz adalah ialah yaitu yakni là este είναι هو هي है हैं था ye jan idir je: glasi yra ir`
    .split(/\s+/)
    .concat('は が を 是 为 為 就是 改为 改成 설정 는 은 이 가 คือ هو: ‌است است'.split(' ')),
);
// `just type X`, `use X`: an order about the value.
const ORDERS = new Set(
  `type enter from use try put paste write say with tippe gib nimm usa utilise digita введи используй nutze
  setze saisis tape mets mettez metti inserisci scrivi pon ponga escribe introduce zet gebruik vul typ
  wpisz użyj ustaw введите вводи použij zadej használd írd folosește scrie använd skriv brug bruk käytä
  kullan gir yaz`.split(/\s+/),
);
const BEFORE_ORDER = /^(?:just|then|please|and|to|you|i|simply|,|\?|)$/;
const NOT_SECRET =
  /\b(?:public|primary|foreign|cache|partition|sort|host|shortcut|hot|object|arrow)[ -]keys?$|^.*\bPWD$/s;
// The word is the beginning of a path, a member or a longer expression.
const ATTACHED = /^[.(/\\[$@#%&+\w-](?!\s|$)(?![(['"])|^::/;
const CREDENTIALS =
  /^(?:cred|wi-?fi|wlan|login|log in|sign in|\w*auth$|anmelde|zugangsdaten|identifiants|учётн|uprawnienia|inloggegevens|girişbilgileri|dane logowania|認証情報|凭据|凭证|자격 증명|بيانات الدخول)/;
const VAGUE =
  /^(?:key|wifi|wi-fi|wlan|chave|chiave|clé|login|log in|sign in|auth|basicauth|pat|sas|seed|bearer|pass)$/;
const CODE = /pin|puk|code|otp|recovery|пин|番号/;
const GROUPS = /^(?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{4}(?![\w])/i;
const PHRASE = /^["'`“]?[a-z]{3,10}(?:[ -][a-z]{3,10}){2,11}(?=["'`”.]|\s*$)/;
// A phrase is made of nouns; these make it a sentence.
const SENTENCE_WORDS =
  /\b(?:the|an?|and|or|of|in|on|to|from|is|was|it|this|that|with|for|der|die|das|und|la|le|el|de)\b/;
// A value right after these is not the secret itself, whatever its shape.
const PASS_OF_ACCOUNT =
  /\b(?:user(?:name)?|login|admin|root|account|benutzer|usuario|utilisateur|utente|as)\b[^\n]{0,50}$/i;
const HARMLESS = new Set(
  `hash hashes hashed sha sha1 sha256 sha512 md5 digest checksum commit commits fingerprint id ids uuid guid sid integrity version public etag revision rev branch build invalid expired length example e.g eg z.b bcrypt argon2 regex pattern format algorithm error errors warning line column file files function class method type variable field header named name count limit issue ticket pr cache model size port host url`.split(
    ' ',
  ),
);

export function spokenSpans(text: string, words: readonly SecretWord[]): readonly Span[] {
  const spans: Span[] = [];
  for (const [i, word] of words.entries()) {
    // Not a text: the words before already look at what follows.
    if (word.start - (words[i - MAX_CROWD]?.start ?? -Infinity) < REACH) continue;
    if (text.startsWith(PLACEHOLDER_START, word.start - PLACEHOLDER_START.length)) continue;
    if (NOT_SECRET.test(text.slice(Math.max(0, word.start - 16), word.end))) continue;
    if (isOtherMeaning(text, word)) continue;
    const span = after(text, word) ?? before(text, word);
    if (span !== undefined) spans.push(span);
  }
  return spans;
}

/** `--- PASS: TestX`, `all tests pass`, `pin the image to 12`, `no WiFi here`: words that mostly mean something else. */
function isOtherMeaning(text: string, { start, end, word, isName }: SecretWord): boolean {
  if (isName) return false;
  const next = text.slice(end, end + 40);
  if (word === 'pass')
    return !PASS_OF_ACCOUNT.test(text.slice(Math.max(0, start - 60), start)) && !/^[=:]\S/.test(next);
  if (word === 'pin')
    return text.startsWith('pin', start) && !/^\s*(?:[:=]|code\b|is\b|ist\b|es\b|est\b)/.test(next);
  return /^(?:wifi|wi-fi|wlan)$/.test(word) && !/[:=]|pass|pw|key|clave|clé|schlüssel|is\b|ist\b/i.test(next);
}

/** The word is followed by the value, by a few words and the value, or by a line that is the value. */
function after(text: string, word: SecretWord): Span | undefined {
  const window = text.slice(word.end, word.end + REACH);
  const [line = ''] = window.split(LINE, 1);
  if (ATTACHED.test(line)) return undefined;
  const state = {
    isDirect: false,
    isHarmless: false,
    words: 0,
    sinceDirect: Infinity,
    previous: '',
    inString: /^["'`]/.test(line),
  };
  for (const { token, at } of tokens(line)) {
    if (PLAIN.test(token) && !(state.isDirect && isPhraseWord(word, token))) {
      const plain = token.replace(/[:,]$/, '').toLowerCase();
      const isOrder =
        ORDERS.has(plain) &&
        (word.strength === 'password' || CREDENTIALS.test(word.word)) &&
        (plain !== 'type' || BEFORE_ORDER.test(state.previous));
      state.isHarmless = HARMLESS.has(plain) && !isOrder;
      step(state, token.endsWith(':') || isOrder || COPULAS.has(plain), plain);
      if (state.words >= (word.isName ? MAX_WORDS_AFTER_NAME : MAX_WORDS)) return undefined;
      continue;
    }
    if (token.includes(PLACEHOLDER_START)) return undefined;
    if (SEPARATOR_ONLY.test(token)) {
      state.isDirect = true;
      if (!CREDENTIALS.test(word.word)) state.sinceDirect = 0;
      continue;
    }
    if (/^[:=]/.test(token)) state.isDirect = true;
    const part = partOf(token, word);
    if (!state.isHarmless) {
      const length = phraseLength(line.slice(at), word, state.isDirect);
      if (length > 0) return { start: word.end + at, end: word.end + at + length, type: typeOf(word) };
      if (part.text !== '' && isAccepted(part, word, state))
        return withMore(line, word, spanAt(word, word.end + at, part));
    }
    const plain = part.text.toLowerCase();
    if (ENDS_SENTENCE.test(token)) return undefined;
    state.isHarmless = plain.split('-').some((word) => HARMLESS.has(word));
    step(state, COPULAS.has(plain) || ENDS_SEPARATED.test(token), plain);
    if (state.words >= (word.isName ? MAX_WORDS_AFTER_NAME : MAX_WORDS)) return undefined;
  }
  return line.length < window.length ? onNextLine(text, line, word) : undefined;
}

/** `backup codes: A, B and C`: the list continues. */
function withMore(line: string, word: SecretWord, first: Span): Span {
  if (word.strength !== 'password') return first;
  let { end } = first;
  for (const { token, at } of tokens(line.slice(end - word.end))) {
    const part = partOf(token, word);
    const isCode = shapeOf(part.text) !== 'none' || isNumber(part.text, word);
    if (!isCode && !/^(?:and|und|or|y|et|e|to|→|->|=>|,|\/|)$/.test(part.text)) break;
    if (isCode) end = first.end + at + part.at + part.text.length;
  }
  return { ...first, end };
}

/** A phrase may begin with a plain word. */
function isPhraseWord({ word }: SecretWord, token: string): boolean {
  return token.length === 4 || /phrase|frase|mnemonic/.test(word);
}

/** A phrase of several words, or a key in groups of four. Returns its length, 0 if there is none. */
function phraseLength(rest: string, { word }: SecretWord, isDirect: boolean): number {
  if (!isDirect && !QUOTED.test(rest)) return 0;
  const grouped = GROUPS.exec(rest);
  if (grouped !== null && (/\d/.test(grouped[0]) || isUnpronounceable(grouped[0]))) return grouped[0].length;
  if (!/phrase|frase|mnemonic/.test(word)) return 0;
  const phrase = PHRASE.exec(rest)?.[0] ?? '';
  return SENTENCE_WORDS.test(phrase) ? 0 : phrase.length;
}

/** `knwm ygwj nanz ljor` */
function isUnpronounceable(groups: string): boolean {
  return (groups.match(/[aeiouy]/gi)?.length ?? 0) < groups.length / 5;
}

/** `API key:` or `## API key` at the end of a line, then a line that consists of the value. */
function onNextLine(text: string, line: string, word: SecretWord): Span | undefined {
  const isTitle = /^[\s*_~`"')\]]*$/.test(line) || /(?:[:：=]|\bis|\bist)[\s*_`"')\]]*$/.test(line);
  const from = word.end + line.length;
  const window = text.slice(from, from + REACH_NEXT);
  const isList = /codes/.test(word.word);
  let list: Span | undefined;
  let at = 0;
  let values = 0;
  for (let lines = 0; lines < (isList ? MAX_CODES : MAX_LINES); lines++) {
    const gap = LINE.exec(window.slice(at, at + 8));
    if (gap === null || gap.index > 0) return list;
    at += gap[0].length;
    const [next = ''] = window.slice(at).split(LINE, 1);
    const body = next.replace(/^[\s>|*•+-]*(?:\d{1,6}(?:→|\t|[:.)] ))?\s*/, '');
    if (body === '' || /^(?:```|~~~)\w*\s*$/.test(body) || /^[-=~]{3,}\s*$/.test(next)) {
      at += next.length;
      continue;
    }
    const found = [...tokens(body)];
    const [only] = found;
    if (only === undefined || found.length > 1 || only.token.includes(PLACEHOLDER_START)) return list;
    const start = from + at + next.length - body.length + only.at;
    const part = partOf(only.token, word);
    const shape = shapeOf(part.text);
    const isEnough =
      (shape === 'strong' && (isTitle || word.strength === 'password' || isToken(part.text, MIN_NEAR))) ||
      (isTitle && (shape === 'weak' || isNumber(part.text, word)));
    if (isEnough) {
      const span = spanAt(word, start, part);
      if (!isList) return span;
      list = { ...span, start: list?.start ?? span.start };
      at += next.length;
      continue;
    }
    if (list !== undefined) return list;
    // The account may come first.
    if (!isTitle || (values += 1) > 1 || !/^[\w.+-]+(?:@[\w.-]+)?$/.test(part.text)) return undefined;
    at += next.length;
  }
  return list;
}

/** `use X as the password`, `X is my password`. */
function before(text: string, word: SecretWord): Span | undefined {
  if (word.isName || word.word.length < 4) return undefined;
  const from = Math.max(0, word.start - REACH_BACK);
  const window = text.slice(from, word.start);
  const line = window.split(LINE).at(-1) ?? '';
  const found = [...tokens(line)].slice(from > 0 && line.length === window.length ? 1 : 0);
  let words = 0;
  let between = '';
  for (const { token, at } of found.reverse()) {
    if (token.includes(PLACEHOLDER_START) || ENDS_SENTENCE.test(token) || words >= MAX_WORDS_BEFORE)
      return undefined;
    const part = partOf(token, word);
    if (HARMLESS.has(part.text.toLowerCase())) return undefined;
    const shape = words > 0 && isBare(token) ? shapeOf(part.text) : 'none';
    const isEnough = shape === 'strong' && (word.strength === 'password' || isToken(part.text, MIN_NEAR));
    if (
      isEnough ||
      (shape === 'weak' && word.strength === 'password' && /^(?:as|als|como|come|comme) /.test(between))
    )
      return spanAt(word, word.start - line.length + at, part);
    between = `${part.text.toLowerCase()} ${between}`;
    words += 1;
  }
  return undefined;
}

interface State {
  isDirect: boolean;
  /** Words since the last separator or copula. */
  sinceDirect: number;
  /** The last word. */
  previous: string;
  /** The word is the end of a string. */
  readonly inString: boolean;
  words: number;
}

function step(state: State, isDirect: boolean, word: string): void {
  state.sinceDirect = isDirect || state.isDirect ? 0 : state.sinceDirect + 1;
  if (state.isDirect && !isDirect) state.sinceDirect = 1;
  state.isDirect = isDirect;
  state.previous = word;
  state.words += 1;
}

function isAccepted(
  part: Part,
  word: SecretWord,
  { isDirect, inString, words, sinceDirect }: State,
): boolean {
  const value = part.text;
  const shape = shapeOf(value);
  const isNext = words === 0;
  if (isNumber(value, word)) return isDirect || (isNext && CODE.test(word.word));
  if (shape === 'none' && !isDirect) return false;
  if (word.isName && !isDirect && !(part.isQuoted && words < 4)) return false;
  if (word.word === 'pass' && words > 0) return false; // mostly a verb
  const isVague = VAGUE.test(word.word);
  const isWifi = /wi-?fi|wlan/.test(word.word);
  if (shape === 'strong') {
    if (word.strength === 'password') return true;
    if (CREDENTIALS.test(word.word.toLowerCase())) {
      const isList = words <= 4 && /cred|daten|identi|учётн|gegevens|dane/.test(word.word);
      return isDirect || isList || part.isQuoted || part.isSplit || isToken(value, MIN_VAGUE);
    }
    return isToken(value, isVague ? MIN_VAGUE : isDirect || words === 0 ? MIN_SAID : MIN_NEAR);
  }
  if (shape === 'weak') {
    // An account may be in between: `credentials: anna / X`.
    if (
      CREDENTIALS.test(word.word.toLowerCase()) &&
      (part.isSplit || (isWifi && isDirect) || (sinceDirect <= 2 && (sinceDirect > 0 || words > 1)))
    )
      return true;
    if (word.strength === 'token') return (isDirect || isNext) && !isVague && value.length >= MIN_VAGUE;
    return (
      isDirect ||
      part.isQuoted ||
      (isNext && value.length >= 8 && (/\d\d/.test(value) || /^\p{Lu}/u.test(value)))
    );
  }
  const isWord =
    /^\p{L}[\p{L}\d-]{3,}$/u.test(value) && !isNeverSecret(value) && !isLabel(value) && part.isClosed;
  return isDirect && !inString && part.isQuoted && word.strength === 'password' && !word.isName && isWord;
}

/** A token is made by a machine and has no operators in it. */
function isToken(value: string, least: number): boolean {
  if (SERIAL.test(value)) return true;
  return (
    value.length >= least &&
    isRandom(value) &&
    /^[\w.+/=~%:-]+$/.test(value) &&
    (!/^[\w.]+[+/=:%-]\w{1,6}$/.test(value) || isRandom(value.replace(/[+/=:%-]\w{1,6}$/, '')))
  );
}

/** A password may be a number; a token is not. */
function isNumber(value: string, { strength, word }: SecretWord): boolean {
  const isCode = CODE.test(word);
  if (isCode && /^\d{3,8}(?:-\d{3,8}){1,7}$/.test(value)) return true;
  return strength === 'password' && /^\d+$/.test(value) && value.length >= (isCode ? MIN_PIN : MIN_NUMBER);
}

interface Part {
  readonly text: string;
  /** Offset in the token. */
  readonly at: number;
  readonly isQuoted: boolean;
  /** The quote is closed in the same token. */
  readonly isClosed: boolean;
  /** It followed an account: `user:password`. */
  readonly isSplit: boolean;
}

/** The value in a token: without quotes, brackets, markup and punctuation around it. */
function partOf(token: string, { word }: SecretWord): Part {
  const open = OPENING.exec(token)?.[0].length ?? 0;
  const isQuoted = QUOTED.test(token);
  const quote = isQuoted ? (/["'`]/.exec(token.slice(0, open))?.[0] ?? '') : '';
  let text = token.slice(open);
  const isClosed = quote !== '' && text.includes(quote);
  if (isClosed) text = text.slice(0, text.indexOf(quote));
  if (!isQuoted && text.indexOf('<') > 0) text = text.slice(0, text.indexOf('<'));
  text = text.replace(CLOSING, '');
  const account = CREDENTIALS.test(word)
    ? /^[A-Za-z_][\w.@+-]{1,39}[:/](?=.{6})(?!\/)/.exec(text)?.[0].length
    : undefined;
  return {
    text: text.slice(account ?? 0),
    at: open + (account ?? 0),
    isQuoted,
    isClosed,
    isSplit: account !== undefined,
  };
}

function spanAt(word: SecretWord, start: number, part: Part): Span {
  return { start: start + part.at, end: start + part.at + part.text.length, type: typeOf(word) };
}

/** Not part of a longer expression: `a.b(X)`. */
function isBare(token: string): boolean {
  return !/[(){}[\]<>;|]/.test(token.replace(OPENING, '').replace(CLOSING, ''));
}

function typeOf({ strength, word }: SecretWord): string {
  if (strength === 'password') return 'password';
  if (/key|clé|clave|schlüssel|キー|ключ|密钥/.test(word)) return 'api-key';
  return /token|токен|トークン|令牌|토큰/.test(word) ? 'token' : 'secret';
}

function* tokens(line: string): Generator<{ readonly token: string; readonly at: number }> {
  for (const match of line.matchAll(TOKEN)) yield { token: match[0], at: match.index };
}
