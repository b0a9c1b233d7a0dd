/**
 * Finds secrets that a word for them introduces in ordinary text, in many languages: sentences, labels, prompts, Markdown,
 * and values on the next line. The word alone is not enough: the shape of the value decides.
 */
import { nextSecretWord, type SecretWord } from './_secret-words.ts';
import { isNeverSecret } from './_secret-value.ts';
import { shapeOf } from './_shape.ts';
import { PLACEHOLDER_START, type Span } from './_span.ts';

const REACH = 200; // characters after the word
const MAX_WORDS = 12;
const MAX_WORDS_BEFORE = 5;
const REACH_BACK = 80;
const MIN_PIN = 4;
const MIN_NUMBER = 6; // digits of a password that is a number

const LINE = /\r?\n|(?:\\+[rn])+/;
// Runs of a script without spaces, or anything else between white space and full-width punctuation.
const TOKEN =
  /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|(?:[^\s\\\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff0f\uff1a-\uff20]|\\(?![nrt]))+|[：＝]/g;
const OPENING = /^(?:\\*["'`“”„«»‘’「『(<[*_~]|&quot;|&lt;)+/;
const CLOSING = /(?:\\*["'`“”„«»‘’」』)>\]*_~,.;:]|&quot;|&gt;|…|\\)+$/;
const QUOTED = /^[*_(]{0,3}\\*["'`“„«‘「『]/;
const ENDS_SENTENCE = /[\p{Ll}\p{Lo})"'`][.?!。]["')*]*$/u;
const SEPARATOR_ONLY = /^(?:[:=：＝→»>–—-]|=>|->|:=|==|[*_]{1,3}:?|:[*_]{1,3}|<\/?[a-z]{1,6}>:?)+$/;
const ENDS_SEPARATED = /[:=：＝][*_`"'~)\]]{0,3}$|[:：]<\/?[a-z]{1,6}>$/;
const COPULAS = new Set(
  `is was are be being equals reads called remains now is: ist lautet war sei heißt heisst wäre bleibt es será era son fue est sera
  était c'est é foi eram è sarà era sono luidt zijn jest to brzmi był będzie это является будет был есть є це буде är blir var er
  on oli je bude zní byl van lesz adalah ialah yaitu yakni là este είναι هو هي है हैं था ye jan idir je: glasi yra ir`
    .split(/\s+/)
    .concat('は が を 是 为 為 就是 改为 改成 설정 는 은 이 가 คือ هو: ‌است است'.split(' ')),
);
// A value near these is not the secret itself, whatever its shape.
const HARMLESS =
  /^(?:hash|hashes|hashed|sha\d*|md5|digest|checksum|commit|commits|fingerprint|id|ids|uuid|guid|sid|integrity|version|public|etag|revision|rev|branch|build|invalid|expired|expires|length|example|e\.g|eg|z\.b|bcrypt|argon2\w*|regex|pattern|format|algorithm|error|errors|warning|line|column|file|files|function|class|method|type|variable|field|header|named|name|count|limit|issue|ticket|pr|cache|model|size|port|host|url)$/i;

export function spokenSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (let word = nextSecretWord(text, 0); word !== undefined; word = nextSecretWord(text, from)) {
    from = word.end;
    if (text.startsWith(PLACEHOLDER_START, word.start - PLACEHOLDER_START.length)) continue;
    const span = after(text, word) ?? before(text, word);
    if (span !== undefined) spans.push(span);
  }
  return spans;
}

/** The word is followed by the value, by a few words and the value, or by a line that is the value. */
function after(text: string, word: SecretWord): Span | undefined {
  const window = text.slice(word.end, word.end + REACH);
  const [line = ''] = window.split(LINE, 1);
  let isDirect = false;
  let words = 0;
  for (const { token, at } of tokens(line)) {
    if (token.includes(PLACEHOLDER_START)) return undefined;
    if (SEPARATOR_ONLY.test(token)) {
      isDirect = true;
      continue;
    }
    const value = core(token);
    const isQuoted = QUOTED.test(token);
    if (value !== '' && isAccepted(value, word, isDirect, isQuoted)) return spanOf(word, at, token);
    const plain = value.toLowerCase();
    if (HARMLESS.test(plain) || ENDS_SENTENCE.test(token)) return undefined;
    isDirect = COPULAS.has(plain) || ENDS_SEPARATED.test(token);
    words += 1;
    if (words >= MAX_WORDS) return undefined;
  }
  return line.length < window.length ? onNextLine(window, line, word) : undefined;
}

/** `API key:` or `## API key` at the end of a line, then a line that consists of the value. */
function onNextLine(window: string, line: string, word: SecretWord): Span | undefined {
  const isLabel = /^[\s*_~`"')\]]*$/.test(line) || /[:：=][\s*_`"')\]]*$/.test(line);
  let at = line.length;
  for (let lines = 0; lines < 4; lines++) {
    const gap = LINE.exec(window.slice(at, at + 8));
    if (gap === null || gap.index > 0) return undefined;
    at += gap[0].length;
    const [next = ''] = window.slice(at).split(LINE, 1);
    const isLast = at + next.length >= window.length;
    const body = next.replace(/^[\s>|*•+-]*(?:\d{1,6}(?:→|\t|: ))?\s*/, '');
    if (body === '' || /^(?:```|~~~)\w*\s*$/.test(body) || /^[-=~]{3,}\s*$/.test(next)) {
      at += next.length;
      continue;
    }
    const found = [...tokens(body)];
    const [only] = found;
    if (isLast || only === undefined || found.length > 1) return undefined;
    const start = at + next.length - body.length + only.at;
    const value = core(only.token);
    const shape = shapeOf(value);
    const isEnough = shape === 'strong' || (isLabel && (shape === 'weak' || isNumber(value, word)));
    return isEnough ? spanOf(word, start, only.token) : undefined;
  }
  return undefined;
}

/** `use X as the password`, `X is my password`. */
function before(text: string, word: SecretWord): Span | undefined {
  const from = Math.max(0, word.start - REACH_BACK);
  const window = text.slice(from, word.start);
  const line = window.split(LINE).at(-1) ?? '';
  const found = [...tokens(line)].slice(from > 0 && line.length === window.length ? 1 : 0);
  let words = 0;
  for (const { token, at } of found.reverse()) {
    if (token.includes(PLACEHOLDER_START) || ENDS_SENTENCE.test(token) || words >= MAX_WORDS_BEFORE) return undefined;
    const value = core(token);
    if (HARMLESS.test(value)) return undefined;
    if (words > 0 && isBare(token) && shapeOf(value) === 'strong') {
      const start = word.start - line.length + at;
      return { start, end: start + token.replace(CLOSING, '').length, type: typeOf(word) };
    }
    words += 1;
  }
  return undefined;
}

function isAccepted(value: string, word: SecretWord, isDirect: boolean, isQuoted: boolean): boolean {
  const shape = shapeOf(value);
  if (shape === 'strong') return true;
  if (!isDirect && !(isQuoted && word.strength === 'password')) return false;
  if (isNumber(value, word)) return isDirect;
  if (shape === 'weak') return word.strength === 'password' || value.length >= 20;
  return isDirect && isQuoted && word.strength === 'password' && /^[\p{L}\d]{4,}$/u.test(value) && !isNeverSecret(value);
}

/** A password may be a number; a token is not. */
function isNumber(value: string, { strength, word }: SecretWord): boolean {
  return (
    strength === 'password' && /^\d+$/.test(value) && value.length >= (/pin|code|番号/.test(word) ? MIN_PIN : MIN_NUMBER)
  );
}

function spanOf(word: SecretWord, offset: number, token: string): Span {
  const open = OPENING.exec(token)?.[0].length ?? 0;
  const end = token.length - (CLOSING.exec(token)?.[0].length ?? 0);
  const start = word.end + offset;
  return { start: start + Math.min(open, end), end: start + Math.max(end, open), type: typeOf(word) };
}

function core(token: string): string {
  return token.replace(OPENING, '').replace(CLOSING, '');
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
