/**
 * Finds values assigned to names that indicate a secret: `.env`, shell, YAML, INI, JSON (also escaped within JSON), URLs,
 * headers, XML, command-line flags, SQL, source code and plain sentences.
 */
import { isCrowded, type Hit } from '../secrets/literals.ts';
import { pairedRange } from './_pair.ts';
import { isNameChar, secretName, wordsOf, type SecretName } from '../secrets/secret-name.ts';
import { isSecretValue, type Shape } from '../secrets/secret-value.ts';
import { isLabel } from '../secrets/secret-words.ts';
import { shapeOf } from '../secrets/shape.ts';
import { type Span, PLACEHOLDER_START } from '../secrets/span.ts';
import { wrapsOf } from '../secrets/wrapped.ts';

const MAX_PAIRS = 8; // names so close together have no room for values
const MAX_NAME_SIDE = 64;
const MAX_QUOTED = 4096;
const LONG_RUN = 500; // a bare value this long may exceed the bound of the patterns below
const MIN_SPOKEN = 12; // a shorter one may be the next word of the sentence
const MAX_JUDGED = 128; // the first part of a value is enough to judge it

// After the name: its closing quote, then the assignment. Escapes count as the characters they encode.
const SEPARATOR =
  /(?<quote>\\{0,7}["'`]|%22|&quot;)?(?:\[\d{0,4}\]|\])?(?:[ \t]{0,8}(?:(?<typed>:[ \t]?[&A-Za-z][\w<>&'[\]|.? ]{0,40}?=(?=[ \t]{0,8}["'`]))|(?<gives>=>|:=|<-|[!=]?={1,3}|:(?![:/])|%3[ad]|\\u003d)|(?<fallback>(?:\)?[ \t]{0,4}(?:\|\||\?\?)|\)[ \t]{1,4}or)(?=[ \t]{1,4}["'`]))|(?<comma>,(?=[ \t]{0,4}\\{0,7}["'`]))|(?<call>\((?=\\{0,7}["'`]))|(?<tag>>))|[ \t]{1,8}(?<said>(?:is|was|to)[ \t:]|(?=\\{0,7}['"`])|(?=[^\s'"`=:-])))[ \t]{0,8}/iy;
const OPEN_QUOTE = /(?:\[\]byte\()?[frbuL@$]{0,2}(\\{0,7}["'`]|%22|%27|&quot;|&#39;|&#x27;)/y;
// The value is a string on the next line, or in brackets that join strings.
const NEXT_LINE = /(?:\(?\s{0,4}\\?\r?\n[ \t]{0,40}|\()(?=[frbuL@$]{0,2}["'`])/y;
const BLOCK_SCALAR = /[|>][-+]?[ \t]{0,4}(?:\r?\n|\\n)[ \t]{1,40}/y;
// Bounded, so that a long run is not read again at each name within it; a secret is extended to its end later.
const UNTIL_SPACE = /(?:[^\s\\"'`]|\\(?!\\{0,6}[nrt"'`]|u00)){1,512}/y;
const UNTIL_PUNCTUATION = /(?!#)(?:[^\s\\"'`,;&)}\]<>|]|\\(?!\\{0,6}[nrt"'`]|u00)){1,512}/y;
const LONG_REST = /[^\s"'`]*/y;
const CLOSING = /[,;)]{1,4}$/; // of the statement around the value
const REST_OF_LINE = /[^\n\\]*/y;
const NAMES_BEFORE = /(?:[A-Za-z_$][\w$]{0,40}, ?)+$/;
const LIST_OPENS = /^[[({] {0,2}/;
const LIST_ITEM = /^(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|[\w.$]+),\s?/;
// `(def db-password "X")`, `#define PASSWORD "X"`, `with password "X"`
const DEFINES = /(?:\((?:def\w*|setq|setv)|#define|\b(?:with|and|using))\s{1,4}$/;
// Another field, or the flag of a command: `user=ci password=X`, `--set db.password=X`.
const FIELD_LEAD = /(?:\w=[^\s=]{1,60}[ ,]|(?:^|\s)--?[\w-]+[ =]["']?|\bkv put [^\n]{1,60} )$/;
const SENTENCE_KEY = /(?:\p{L}+ ){4}$/u;
const MIN_NEIGHBOUR = 16;
const LINE_LEAD =
  /(?:^|[\n\r]|\\[nr])[ \t>+|-]{0,40}(?:\d{1,6}(?:→|\t))?(?:export |set |setx |ENV |ARG |declare -x |- |-e |--env |\$env:)?["']?$/;

/** `hints`: places of NAME_HINTS. */
export function assignmentSpans(text: string, hints: readonly Hit[]): readonly Span[] {
  const spans: Span[] = [];
  let next = 0;
  for (const [i, hint] of hints.entries()) {
    if (hint.at < next || isCrowded(hints, i)) continue;
    const start = nameStart(text, hint.at);
    const end = nameEnd(text, hint.at + hint.literal.length);
    const value =
      secretName(text.slice(start, end)) === undefined
        ? undefined
        : valueOf(text, start, end, isCrowded(hints, i, MAX_PAIRS));
    next = Math.max(value?.end ?? 0, end, hint.at + 1);
    if (value !== undefined) spans.push(value);
  }
  return spans;
}

/** `--- PASS: TestX`, `all tests pass: …`; but `pass: X` alone and `user root, pass: X` are a password. */
function isTestResult(text: string, start: number, name: string): boolean {
  if (name === 'PASS') return true;
  return name === 'pass' && /\p{L} $/u.test(text.slice(Math.max(0, start - 2), start));
}

function valueOf(text: string, start: number, end: number, isCrowd: boolean): Span | undefined {
  return valueAfter(text, start, end) ?? (isCrowd ? undefined : pairedValue(text, start, end));
}

function valueAfter(text: string, start: number, end: number): Span | undefined {
  // `(user, password) = (…)`
  const isListed = text[end] === ')' && /[(,] ?$/.test(text.slice(Math.max(0, start - 2), start));
  SEPARATOR.lastIndex = isListed ? end + 1 : end;
  const separator = SEPARATOR.exec(text);
  if (separator === null) return undefined;
  const name = text.slice(start, end);
  const secret = secretName(name);
  if (secret === undefined) return undefined;
  if (text.startsWith('${', start - 2)) return defaultValue(text, end, secret);

  const groups = separator.groups ?? {};
  const at = SEPARATOR.lastIndex;
  if (groups['gives'] === ':' && isTestResult(text, start, name)) return undefined;
  if (groups['tag'] !== undefined) return taggedValue(text, start, at, name, secret);
  const isFlag = text.startsWith('--', start) || text.startsWith('-', start);
  if (groups['said'] !== undefined) {
    if (name.toLowerCase() === 'pass') return undefined; // in prose a verb
    const isExplicit = isFlag || isEnvName(name) || DEFINES.test(text.slice(Math.max(0, start - 16), start));
    return saidValue(text, start, at, secret, isExplicit, groups['said']);
  }
  const inList = groups['gives'] === undefined ? undefined : listedValue(text, start, at, secret);
  if (inList !== undefined || isListed) return inList;
  // `'/etc/passwd', '…'`: the end of a path is no name.
  if (groups['comma'] !== undefined && (groups['quote'] === undefined || text[start - 1] === '/'))
    return undefined;

  NEXT_LINE.lastIndex = at;
  const inQuotes = quotedValue(text, NEXT_LINE.test(text) ? NEXT_LINE.lastIndex : at);
  if (inQuotes !== undefined) {
    // The key is a sentence: `'The queue needs a password': 'shown'`.
    if (groups['quote'] !== undefined && SENTENCE_KEY.test(text.slice(Math.max(0, start - 48), start)))
      return undefined;
    // A verb: `"pass": "No roles are used"`.
    if (/^pass$/i.test(name) && /\s/.test(text.slice(inQuotes.start, inQuotes.end))) return undefined;
    // Calls, lists and comparisons combine any words: only machine-made values count there.
    const paired =
      (isFlag ? undefined : groups['comma']) ??
      groups['call'] ??
      /^[!=]==?$/.exec(groups['gives'] ?? '')?.[0];
    const strength = paired === undefined ? secret.strength : 'token';
    const shape: Shape = separator[0] === '=' && isEnvName(name) ? 'env' : 'quoted';
    return judged(text, inQuotes, secret, strength, shape);
  }
  BLOCK_SCALAR.lastIndex = at;
  const from = BLOCK_SCALAR.test(text) ? BLOCK_SCALAR.lastIndex : at;
  return bareValue(
    text,
    start,
    from,
    name,
    secret,
    isFlag || groups['gives'] === '%3D' || groups['gives'] === '%3d',
  );
}

/** `${DB_PASSWORD:-hunter2}` */
function defaultValue(text: string, end: number, secret: SecretName): Span | undefined {
  const found = /^:?[-=]([^}\n$]{3,200})\}/.exec(text.slice(end, end + MAX_QUOTED));
  if (found?.[1] === undefined) return undefined;
  const start = end + found[0].length - 1 - found[1].length;
  return judged(text, { start, end: start + found[1].length }, secret, secret.strength, 'quoted');
}

/** `[user, pass] = ['root', 'hunter2']`, `user, pass = 'root', 'hunter2'`: the value has the place of its name. */
function listedValue(text: string, start: number, at: number, secret: SecretName): Span | undefined {
  if (text[start - 1] !== ' ' && text[start - 1] !== ',') return undefined;
  const names = NAMES_BEFORE.exec(text.slice(Math.max(0, start - 80), start))?.[0];
  if (names === undefined) return undefined;
  let from = at + (LIST_OPENS.exec(text.slice(at, at + 8))?.[0].length ?? 0);
  for (let i = names.split(',').length - 1; i > 0; i--) {
    const item = LIST_ITEM.exec(text.slice(from, from + MAX_QUOTED))?.[0];
    if (item === undefined) return undefined;
    from += item.length;
  }
  const range = quotedValue(text, from);
  return range === undefined ? undefined : judged(text, range, secret, secret.strength, 'quoted');
}

/** A name and its value in two fields of an object, a list or an element. */
function pairedValue(text: string, start: number, end: number): Span | undefined {
  const secret = secretName(text.slice(start, end));
  const range = secret === undefined ? undefined : pairedRange(text, start, end);
  if (secret === undefined || range === undefined) return undefined;
  const inQuotes = range.isQuoted ? quotedValue(text, range.start - 1) : undefined;
  return judged(text, inQuotes ?? range, secret, secret.strength, inQuotes === undefined ? 'env' : 'quoted');
}

function bareValue(
  text: string,
  start: number,
  at: number,
  name: string,
  secret: SecretName,
  isEnv: boolean,
): Span | undefined {
  const before = text.slice(Math.max(0, start - 80), start);
  const previous = before.at(-1) ?? '\n';
  const isQuery = previous === '?' || previous === '&' || /(?:%26|%3F|\\u0026|&amp;)$/i.test(before);
  const startsLine = LINE_LEAD.test(before);
  const isTight = text[at - 1] !== ' ' && text[at - 1] !== '\t';
  const runsToSpace = startsLine && isTight && !isQuery;
  const pattern = runsToSpace ? UNTIL_SPACE : UNTIL_PUNCTUATION;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const run = isQuery ? (match[0].split('#', 1)[0] ?? '') : match[0];
  const end = at + run.replace(CLOSING, '').length;
  // `host=db password=X`
  const isField =
    isTight &&
    secret.strength === 'password' &&
    text[at - 1] === '=' &&
    text[end] !== ')' &&
    FIELD_LEAD.test(before);
  const shape: Shape =
    isQuery ||
    isEnv ||
    (isTight && text[end] === '&') ||
    isField ||
    previous === ';' ||
    (isTight && isEnvName(name))
      ? 'env'
      : isSpoken(name) && end - at >= MIN_SPOKEN
        ? 'quoted'
        : startsLine && isLastOnLine(text, end)
          ? 'line'
          : 'bare';
  if (shape !== 'env' && text[end] === '(') return undefined;
  // A variable or a class: `this.password = dbPassword`.
  const value = text.slice(at, end);
  if (
    shape !== 'env' &&
    /^[A-Za-z_$][\w$]*$/.test(value) &&
    secretName(value) !== undefined &&
    wordsOf(value).length > 1
  )
    return undefined;
  // `password = name` with spaces is code far more often than a settings file.
  if (
    shape === 'line' &&
    !isTight &&
    text.slice(start, at).includes('=') &&
    /^[A-Za-z_]+$/.test(text.slice(at, end))
  )
    return undefined;
  return judged(text, { start: at, end }, secret, secret.strength, shape);
}

/** `password is hunter2`, `--password hunter2`, `PASSWORD 'hunter2'`. */
function saidValue(
  text: string,
  start: number,
  at: number,
  secret: SecretName,
  isExplicit: boolean,
  said: string,
): Span | undefined {
  const inQuotes = quotedValue(text, at);
  if (inQuotes !== undefined) {
    return judged(text, inQuotes, secret, isExplicit || said !== '' ? secret.strength : 'token', 'quoted');
  }
  const pattern = isExplicit && said !== '' ? UNTIL_SPACE : UNTIL_PUNCTUATION;
  pattern.lastIndex = at;
  const run = pattern.exec(text)?.[0] ?? '';
  const end = at + (isExplicit && said === '' ? run : run.replace(/[.:!?,;]{1,4}$/, '')).length;
  if (/^[\w.-]+[:=]$|^[([{]/.test(run)) return undefined; // the next name, or a remark
  if (!isExplicit && /^to/i.test(said) && shapeOf(text.slice(at, end)) === 'none') return undefined;
  if (!isExplicit && said === '') {
    const shape = shapeOf(run);
    if (shape === 'none') return undefined;
    const isLast = isLastOnLine(text, at + run.length);
    // A line of a settings file: `requirepass X`.
    const isDirective = isLast && LINE_LEAD.test(text.slice(Math.max(0, start - 80), start));
    // Two arguments of a command: `config set dbPassword X`.
    const isArgument =
      /\w_\w|[a-z][A-Z]/.test(text.slice(start, at)) &&
      (secret.strength === 'password'
        ? isLast
        : run.length >= MIN_NEIGHBOUR && (shape === 'strong' || isLast));
    if (!isDirective && !isArgument) return undefined;
    return judged(text, { start: at, end: at + run.length }, secret, secret.strength, 'env');
  }
  if (/^[A-Za-z-]*$/.test(text.slice(at, end))) return undefined; // the next word of a sentence
  return judged(text, { start: at, end }, secret, secret.strength, isExplicit ? 'env' : 'quoted');
}

function taggedValue(
  text: string,
  start: number,
  at: number,
  name: string,
  secret: SecretName,
): Span | undefined {
  if (text[start - 1] !== '<') return undefined;
  const end = text.slice(at, at + MAX_QUOTED).indexOf(`</${name}`);
  return end <= 0 ? undefined : judged(text, { start: at, end: at + end }, secret, secret.strength, 'quoted');
}

function judged(
  text: string,
  range: { start: number; end: number },
  secret: SecretName,
  strength: SecretName['strength'],
  shape: Shape,
): Span | undefined {
  const whole = text.slice(range.start, range.end);
  const cut = whole.indexOf(PLACEHOLDER_START);
  const value = cut < 0 ? whole : whole.slice(0, cut);
  const wrapped = cut < 0 ? wrapsOf(text, range.end) : undefined;
  const joined = wrapped === undefined ? value : value.replace(/\\$/, '') + wrapped.text;
  if (!isSecretValue(joined.slice(0, MAX_JUDGED), strength, shape, secret.final) || isLabel(joined))
    return undefined;
  const end = wrapped?.end ?? range.start + value.length;
  if (value.length < LONG_RUN) return { start: range.start, end, type: secret.type };
  LONG_REST.lastIndex = end;
  return { start: range.start, end: end + (LONG_REST.exec(text)?.[0].length ?? 0), type: secret.type };
}

/** Returns the content of a string that opens at `at`, at any depth of escaping. */
function quotedValue(text: string, at: number): { start: number; end: number } | undefined {
  OPEN_QUOTE.lastIndex = at;
  const open = OPEN_QUOTE.exec(text);
  const quote = open?.[1];
  if (open === null || quote === undefined) return undefined;
  const start = at + open[0].length;
  const limit = Math.min(text.length, start + MAX_QUOTED);
  const mark = quote.at(-1) ?? '"';
  if (mark === '2' || mark === '7' || mark === ';') {
    const close = text.slice(start, limit).indexOf(quote);
    return close < 0 ? undefined : { start, end: start + close };
  }
  const depth = quote.length - 1;
  for (let i = start; i < limit; i++) {
    const char = text[i];
    if (char === '\n') break;
    if (char !== mark) continue;
    const slashes = backslashesBefore(text, i, start);
    const closes = depth === 0 ? slashes % 2 === 0 : slashes <= depth;
    if (closes) return { start, end: i - (depth === 0 ? 0 : slashes) };
  }
  // The end is cut off: the rest of the first word is still the secret.
  UNTIL_SPACE.lastIndex = start;
  const rest = UNTIL_SPACE.exec(text);
  return rest === null ? undefined : { start, end: start + rest[0].length };
}

function backslashesBefore(text: string, at: number, from: number): number {
  let i = at;
  while (i > from && text[i - 1] === '\\') i -= 1;
  return at - i;
}

function nameStart(text: string, at: number): number {
  let i = at;
  while (i > 0 && at - i < MAX_NAME_SIDE && isNameChar(text.charCodeAt(i - 1))) i -= 1;
  // `\nTOKEN`: the letter of an escape is not part of the name.
  return i > 0 && text[i - 1] === '\\' && /[nrt]/.test(text[i] ?? '') ? Math.min(i + 1, at) : i;
}

function nameEnd(text: string, at: number): number {
  let i = at;
  if (text[i - 1] === '"' || text[i - 1] === "'") i -= 1;
  while (i < text.length && i - at < MAX_NAME_SIDE && isNameChar(text.charCodeAt(i))) i += 1;
  return i;
}

function isEnvName(name: string): boolean {
  return /^-{0,2}[A-Z][A-Z0-9_]*$/.test(name);
}

/** `API key`: a name of two words is not an identifier, and neither is its value. */
function isSpoken(name: string): boolean {
  return name.includes(' ');
}

function isLastOnLine(text: string, end: number): boolean {
  REST_OF_LINE.lastIndex = end;
  const rest = REST_OF_LINE.exec(text.slice(0, end + 200))?.[0] ?? '';
  return /^\s*(?:#.*)?$/.test(rest);
}
