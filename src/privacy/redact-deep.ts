/** Redacts every string in a JSON value, keys included. Returns a new value. */
import { secretName, type SecretName } from './secrets/secret-name.ts';
import { isSecretValue } from './secrets/secret-value.ts';
import { isLabel } from './secrets/secret-words.ts';
import { addCounts, placeholder, type Counts } from './secrets/span.ts';
import { redact, redactName, type Redacted } from './redact.ts';

const NAME_KEY =
  /^(?:\w{0,12}name|\w{0,12}key|id|field|label|variable|header|option|setting|title|property)$/i;
const VALUE_KEY = /^(?:\w{0,12}value|val|default|result|content|text|plaintext|secret|data|string)$/i;
const DATA_KEY = /^(?:data|stringData)$/;
const COLLECTION = /^\w*(?:passwords|secrets|tokens|credentials|keys|creds)$/i;
const WEB_KEY = /^(?:d|p|q|dp|dq|qi|k)$/; // private members of a JSON web key
const HEADER = /^(?:proxy-|set-)?(?:authorization|cookie)$/i;
const PIN = /(?:^|[_-])(?:pin|pin_?code|passcode)$/i;
const MIN_SECRET_NUMBER = 1000; // a PIN has four digits
const MAX_DEPTH = 200; // no real data is deeper, and it would overflow the stack

/** `{ password: 'hunter2' }` → `{ password: '[redacted:password]' }`: here the key shows that the value is secret. */
export function redactDeep<T>(value: T): { readonly value: T; readonly counts: Counts } {
  const counts: Record<string, number> = {};
  // Strings change into strings. A number changes only under the name of a password, which no type of ours has.
  return { value: walk(value, undefined, 0, counts) as T, counts };
}

function walk(
  value: unknown,
  key: string | undefined,
  depth: number,
  counts: Record<string, number>,
): unknown {
  if (typeof value === 'string') return redactString(value, key, counts);
  if (typeof value === 'number')
    return key !== undefined && isSecretNumber(value, key) ? count('password', counts) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return count('too-deep', counts);
  if (Array.isArray(value)) return walkList(value, key, depth, counts);
  const pair = pairOf(value);
  const isSecret = 'kind' in value && value.kind === 'Secret';
  const isWebKey = 'kty' in value;
  const entries = Object.entries(value).map(([name, item]) => {
    const own =
      pair !== undefined && VALUE_KEY.test(name)
        ? pair
        : isSecret && DATA_KEY.test(name)
          ? 'secrets'
          : isWebKey && WEB_KEY.test(name)
            ? 'private_key'
            : name;
    // `{ passwords: { anna: '…' } }`: the names in a collection of secrets say nothing about them.
    const inherited = key !== undefined && COLLECTION.test(key) && secretName(own) === undefined ? key : own;
    return [redactString(name, undefined, counts), walk(item, inherited, depth + 1, counts)] as const;
  });
  return Object.fromEntries(entries);
}

/** `['--password', 'hunter2']` and `['password', 'hunter2']`: an item may be the name of the next one. */
function walkList(
  list: readonly unknown[],
  key: string | undefined,
  depth: number,
  counts: Record<string, number>,
): unknown {
  return list.map((item, i) => {
    const before = list[i - 1];
    const isNamed =
      typeof before === 'string' && (before.startsWith('-') || list.length === 2) && isName(before);
    return walk(item, isNamed ? before.replace(/^-+/, '') : key, depth + 1, counts);
  });
}

/** `{ name: 'DB_PASSWORD', value: '…' }`: returns the name if it indicates a secret. */
function pairOf(value: object): string | undefined {
  for (const [key, name] of Object.entries(value)) {
    if (typeof name === 'string' && NAME_KEY.test(key) && isName(name)) return name;
  }
  return undefined;
}

function isName(text: string): boolean {
  return text.length <= 96 && !/\s/.test(text.trim()) && secretName(text.replace(/^-+/, '')) !== undefined;
}

function redactString(text: string, key: string | undefined, counts: Record<string, number>): string {
  const found =
    key === 'tool_name'
      ? redactName(text)
      : HEADER.test(key ?? '')
        ? redactHeader(key ?? '', text)
        : redact(text);
  const name = key === undefined ? undefined : nameOf(key);
  addCounts(counts, found.counts);
  // Also what is left beside a replaced part, as in `s3cret<private>`.
  const isNamedSecret =
    name !== undefined &&
    isSecretValue(found.text, name.strength, 'quoted', name.final) &&
    !isLabel(found.text);
  return isNamedSecret ? count(name.type, counts) : found.text;
}

/** The name of the header shows that its value is a secret, whatever its scheme. */
function redactHeader(name: string, value: string): Redacted {
  const before = `${name}: `;
  const { text, counts } = redact(before + value);
  return text.startsWith(before) ? { text: text.slice(before.length), counts } : redact(value);
}

function isSecretNumber(value: number, key: string): boolean {
  if (!Number.isSafeInteger(value) || value < MIN_SECRET_NUMBER) return false;
  const name = secretName(key);
  return PIN.test(key) || (name?.strength === 'password' && name.final && !COLLECTION.test(key));
}

/** A collection is named in the plural: `passwords`, `tokens`. */
function nameOf(key: string): SecretName | undefined {
  return secretName(key) ?? (COLLECTION.test(key) ? secretName(key.replace(/s$/i, '')) : undefined);
}

function count(type: string, counts: Record<string, number>): string {
  addCounts(counts, { [type]: 1 });
  return placeholder(type);
}
