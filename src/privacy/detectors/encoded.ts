/** Finds base64 text whose content is a secret. The content is judged by the other detectors, once. */
import { isRandom } from '../secrets/secret-value.ts';
import { shapeOf } from '../secrets/shape.ts';
import type { Span } from '../secrets/span.ts';

const TYPE = 'encoded-secret';
const MIN = 12;
const MIN_ALONE = 20; // without a hint that it is base64, a shorter run is a word
const MAX = 16_384;
const PROBE = 24; // enough characters to see that the content is text
const IS_BASE64 = new Uint8Array(65_536);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  IS_BASE64[char.charCodeAt(0)] = 1;
const DECODED_BEFORE =
  /(?:base64["']?[ :,=]{1,3}["']?|\b(?:from|\w*[dD]ecode\w{0,12}|\w*FromBase64\w{0,8}|DecodeString)\(\s?\\?["'`]|atob\(\s?\\?["'`]|b64decode\(\s?b?\\?["']|(?:echo|printf|<<<)\s{1,2}(?:-n )?\\?["']?|decode\w*\(?[:\s]{0,2}\\?["']?)$/i;
const DECODED_AFTER = /^\\?["'`]?\)?[\s,|]{0,4}(?:base64|b64|openssl enc|["']base64)/i;
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;

/** `spansOf` finds secrets in the decoded text. */
export function encodedSpans(text: string, spansOf: (text: string) => readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  const { length } = text;
  for (let start = 0; start + MIN <= length;) {
    // From the end of the shortest run backwards: most words end before it.
    let at = start + MIN - 1;
    while (at >= start && IS_BASE64[text.charCodeAt(at)] === 1) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    at = start + MIN;
    while (at < length && IS_BASE64[text.charCodeAt(at)] === 1) at += 1;
    if (at - start <= MAX) {
      const end = text[at] === '=' ? (text[at + 1] === '=' ? at + 2 : at + 1) : at;
      const bare = bareFormat(text, start, at) ?? unknownFormat(text, start, at);
      if (bare !== undefined) spans.push(bare);
      else if (isEncodedSecret(text, start, end, spansOf)) spans.push({ start, end, type: TYPE });
    }
    start = at + 1;
  }
  return spans;
}

/** Formats that begin with a run of a certain length and have nothing else to find them by. */
// 64 random bytes; a checksum of this length has the name of its algorithm before it.
const KEY_OF_64_BYTES = /(?<![\w+/=:-])[A-Za-z0-9+/]{86}==(?![\w=])/y;
const BARE: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['random-key', KEY_OF_64_BYTES],
  ['mailgun-key', /(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])/y],
  ['facebook-token', /(?<!\w)\d{15,16}(?:\||%7C)[\w-]{25,40}(?![\w-])/y],
  ['twitter-token', /(?<!\w)\d{15,20}-[A-Za-z0-9]{38,45}(?![\w-])/y],
];

/** Prefixes of ids: `msg_…` and `toolu_…` are no secrets. */
const IDS = new Set(
  `sha md msg toolu srvtoolu req resp run call cus pi ch evt in sub prod price acct file thread asst step item rs batch user
  org proj ses sess session team dpl prj img inv txn job task trace span id hash commit build chunk cache rev tree blob object
  node event chatcmpl tool uid web data name index main style part test layer image digest block tx addr address`.split(
    /\s+/,
  ),
);
const MIN_DOTTED = 20;
const MIN_AFTER_PREFIX = 32;
const PREFIX = /(?<![\w.$/-])([a-z]+)\d{0,3}_$/;
const DOTTED = /[\w-]{20,30}\.[\w-]{5,7}\.[\w-]{27,45}(?![\w.])/y;

/** Tokens of unknown issuers: a short prefix and a random part, or three parts with dots. */
function unknownFormat(text: string, start: number, end: number): Span | undefined {
  if (text[end] === '.') {
    if (end - start < MIN_DOTTED) return undefined;
    DOTTED.lastIndex = start + text.slice(start, end).lastIndexOf('/') + 1;
    const found = DOTTED.exec(text);
    if (found === null || !found[0].split('.').every((part) => part.length < 8 || isRandom(part)))
      return undefined;
    return { start: found.index, end: DOTTED.lastIndex, type: 'api-token' };
  }
  if (end - start < MIN_AFTER_PREFIX || text[start - 1] !== '_' || /[\w./-]/.test(text[end] ?? ''))
    return undefined;
  const prefix = PREFIX.exec(text.slice(Math.max(0, start - 16), start))?.[1];
  if (prefix === undefined || IDS.has(prefix) || !isRandom(text.slice(start, end))) return undefined;
  return { start, end, type: 'api-token' };
}

function bareFormat(text: string, start: number, end: number): Span | undefined {
  const next = text[end];
  if (next !== '-' && next !== '|' && next !== '%' && !(next === '=' && end - start === 86)) return undefined;
  for (const [type, pattern] of BARE) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return { start, end: pattern.lastIndex, type };
  }
  return undefined;
}

function isEncodedSecret(
  text: string,
  start: number,
  end: number,
  spansOf: (text: string) => readonly Span[],
): boolean {
  const value = text.slice(start, end);
  if (!looksEncoded(value)) return false;
  const decoded = decode(value);
  if (decoded === undefined) return false;
  const isMarked =
    DECODED_BEFORE.test(text.slice(Math.max(0, start - 24), start)) &&
    (DECODED_AFTER.test(text.slice(end, end + 24)) || value.length >= MIN_ALONE);
  if (value.length < MIN_ALONE && !isMarked) return false;
  return spansOf(decoded).length > 0 || (isMarked && shapeOf(decoded.trim()) !== 'none');
}

/** Rejects most words and paths before anything is decoded. */
function looksEncoded(value: string): boolean {
  if (!/[A-Z]/.test(value) || !/[a-z]/.test(value) || !/[0-9=]/.test(value) || /\/.*\//.test(value))
    return false;
  const probe = decode(value.slice(0, PROBE));
  return probe !== undefined && /[A-Za-z0-9]{3}/.test(probe);
}

function decode(value: string): string | undefined {
  const body = value.replace(/=+$/, '');
  if (body.length % 4 === 1) return undefined;
  try {
    const decoded = atob(body);
    return PRINTABLE.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
