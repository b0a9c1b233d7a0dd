/** Finds random-looking values of names that are only a weak hint: `FOO=…` in an environment, `key: …`, `sid=…`. */
import { wordsOf } from '../secrets/secret-name.ts';
import { entropy, isRandom } from '../secrets/secret-value.ts';
import type { Span } from '../secrets/span.ts';

const TYPE = 'high-entropy';
const MIN_ENTROPY = 3.5; // bits a character; English words and identifiers stay below 3.3, random base62 above 3.8
const MIN_UNMIXED = 32; // lower-case letters and digits only: a shorter value may be a name
const VALUE = /[=:]>?[ \t]{0,4}\\{0,7}["'`]?(?![=/])[A-Za-z0-9+/_.~=-]{20,4096}/g; // without a bound a long run overflows the stack
const BODY = /[A-Za-z0-9+/_.~-]+={0,2}$/;
const NAME_BEFORE = /([A-Za-z_][\w.-]{0,63})\\{0,7}["'`]?\]?[ \t]{0,4}$/;
const AFTER = /[\s"'`,;)}\]\\&<]/;
const MAX_LOOK_BACK = 80;

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

const HINTS = set(
  `key auth cred session sessionid sid cookie salt otp jwt sso webhook license seed nonce bearer access`,
);
const HARMLESS =
  set(`public pub integrity checksum hash sha sha1 sha256 sha512 md5 digest etag commit rev revision id ids uuid
  guid version url uri href src path file image img icon data base64 font color class classname svg fingerprint resolved
  tarball cache build chunk module import sourcemap mappings vector`);

export function highEntropySpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  VALUE.lastIndex = 0;
  for (let match = VALUE.exec(text); match !== null; match = VALUE.exec(text)) {
    const value = BODY.exec(match[0].slice(-4096))?.[0];
    if (value === undefined || !looksRandom(value)) continue;
    const next = text[VALUE.lastIndex];
    if (next !== undefined && !AFTER.test(next)) continue;
    const before = text.slice(Math.max(0, match.index - MAX_LOOK_BACK), match.index);
    const name = NAME_BEFORE.exec(before)?.[1];
    if (name === undefined || !isSuspect(name, match[0])) continue;
    spans.push({ start: VALUE.lastIndex - value.length, end: VALUE.lastIndex, type: TYPE });
  }
  return spans;
}

function looksRandom(value: string): boolean {
  if (/^[0-9a-fA-F-]+$/.test(value) || /^sha\d+[-:]/i.test(value)) return false; // hashes and uuids
  if (/^[\w.-]*\.[A-Za-z]{2,5}$/.test(value) || /^\d+(?:\.\d+)+/.test(value)) return false; // files, hosts, versions
  if (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value)) return false; // members
  if (value.split('/').filter((part) => /^[a-z_.-]{3,}$/i.test(part)).length >= 2) return false; // paths
  if (!isRandom(value) || entropy(value) < MIN_ENTROPY) return false;
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return isMixed || value.length >= MIN_UNMIXED;
}

function isSuspect(name: string, match: string): boolean {
  const words = wordsOf(name);
  if (words.some((word) => HARMLESS.has(word))) return false;
  if (words.some((word) => HINTS.has(word))) return true;
  return match.startsWith('=') && /^[A-Z][A-Z0-9_]{2,}$/.test(name.replace(/^n(?=[A-Z])/, ''));
}
