/**
 * Judges a value by its shape alone, for places where only a word nearby hints at a secret. Never takes dates, versions,
 * quantities, paths, addresses, identifiers or names of algorithms.
 */
import { secretName } from './secret-name.ts';
import {
  isBase64Key,
  isNameLike,
  isNeverSecret,
  isRandom,
  isWordAndNumber,
  isWordsAndNumber,
} from './secret-value.ts';

/** `strong`: a secret next to any word for one. `weak`: one only right after such a word and a separator. */
export type ValueShape = 'strong' | 'weak' | 'none';

const MIN = 5;
const MIN_STRONG = 8;
const MAX = 512;
const SYMBOL = /[!@#$%^&*+=~?€£§]/;
const HINT = /[\d!@#$%^&*+=~?€£§]/; // most words have none
const EDGE_SYMBOL = /^[#@&*+=~?%$]+|[?*+=~]+$/g;
const DATE_OR_NUMBER =
  /^[\d.,:/+xX-]+(?:[A-Za-z%°]{1,6})?$|^\[?\d{1,2}\/[A-Z][a-z]{2}\/\d{4}|^\d{1,4}[-/.:]\d{1,2}[-/.:T]|^\d{4}-\d\d-\d\dT|^\d{1,2}\/[A-Z][a-z]{2}\/\d{4}/;
const ADDRESS =
  /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$|^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|ai|co|de|uk|local|internal|test|cloud|xyz|me)(?:[:/].*)?$|^(?:\d{1,3}\.){3}\d{1,3}/i;
const MARKUP =
  /^[<{([]|[>})\]]$|[()[\]]|=>|->|::|\|\||&&|[<>{}]|;$|^\d+\?\w|^--?[a-z]|^[@#][\w/-]+$|\$\{|\\u(?!00)[0-9a-f]{4}|[^=]={2,3}[^=]|,[a-z_$]{1,3}=|^[a-z_$]{1,3}=[\w$]+\.[a-z]+/i;
const CALL = /^[\w$.]+\(/;
const PATH = /^[\w.@~-]*\/[\w.@/-]*$/;
// A name as programs have them, and a sign: `FOO=…`, `db.user:…`. A random value may contain such a sign.
const ASSIGNED =
  /^(?:[A-Z][A-Z0-9_]{2,}|[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)*|[a-z]+(?:[_.-][a-z0-9]+)+|(?:[A-Z][a-z]+)+(?:-[A-Z][a-z]+)*)[=:]/;
const TYPE = /^(?:Uint|Int|Float|BigInt|BigUint)\d+(?:Clamped)?Array$/;
// Words with digits that documents about secrets are full of.
const TECHNICAL =
  /^(?:oauth|auth|sha|hs|rs|es|ps|ed|md|aes|rsa|dsa|ecdsa|ec|base|utf|bcrypt|argon|argon2i?d?|pbkdf|scrypt|hmac|http|https|tls|ssl|ipv|x|p|pkcs|k|s|ec|i|l|a|totp|hotp|fa|mfa|python|node|es|h|web|crc|uuid|uuidv|win|x86|amd|arm|log4j|neo4j|rfc|iso|cve|cwe|id|id_|rot|ssh|v|gcm|cbc|ctr|hex|md5crypt|rc|des|curve|secp|fido|u2f|u2|w3c|ec2|s3|k8s|b64|u|int|uint|float|char|varchar|bit|bits|issue|pr|step|level|tier|phase|q|room|port|line|page|chapter|version)(?:[-_]?\d{1,5}(?:bits?|[a-z]{0,3}))?$/i;
const CAMEL = /^(?:[A-Z]{2,}(?![A-Z])|[A-Z](?=[a-z]{2})|[a-z]{2,}(?![a-z])|\d{1,2}(?!\d))+$/;
// Identifiers rarely have a number between two words, passwords often do.
const WORDS_AROUND_NUMBER =
  /^(?!.*(?:base|sha|utf|http|oauth|int|float|aes|rsa|win|x|iso|rfc|md)\d)[A-Za-z]{4,}\d{2,}[A-Za-z]{4,}$/i;
export const SERIAL = /^(?=.*\d)(?:[A-Z0-9]{4,6}-){3,}[A-Z0-9]{4,6}$/; // the key of a product
const HASH = /^(?:[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function shapeOf(raw: string): ValueShape {
  if (raw.length < MIN || raw.length > MAX || (raw.length < 16 && !HINT.test(raw))) return 'none';
  if (SERIAL.test(raw)) return 'strong';
  if (isNeverSecret(raw) || DATE_OR_NUMBER.test(raw) || ADDRESS.test(raw)) return 'none';
  if (PATH.test(raw.replace(/%2f/gi, '/')) && !isBase64Key(raw)) return 'none';
  if (MARKUP.test(raw) || CALL.test(raw) || isAssigned(raw)) return 'none';
  if (isTechnical(raw) && !isWordsAndNumber(raw)) return 'none';
  if (isNameLike(raw) && !isRandom(raw))
    return isWordAndNumber(raw) || isWordsAndNumber(raw) ? 'weak' : 'none';
  if (HASH.test(raw) || UUID.test(raw)) return 'weak';
  const value = raw.replace(EDGE_SYMBOL, '');
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, SYMBOL].filter((kind) => kind.test(raw)).length;
  if (!/[A-Za-z]/.test(value) || kinds < 2) return 'none';
  const hasDigit = /\d/.test(value);
  const hasSymbol = SYMBOL.test(value) || /[!@#$%^&]/.test(raw);
  if (!hasDigit && !hasSymbol) return isRandomLetters(value) ? 'strong' : 'none';
  if (!hasDigit && !/[A-Za-z][!@#$%^&*+=~?€£§]+[A-Za-z]/.test(value)) return 'none';
  if (CAMEL.test(value) && !hasSymbol && !WORDS_AROUND_NUMBER.test(value))
    return secretName(value) === undefined && !TYPE.test(value) ? 'weak' : 'none';
  if (/^[A-Za-z]+\d{1,3}$/.test(value) && !hasSymbol) return 'weak';
  const isMixed = kinds >= 3 || isRandom(value) || WORDS_AROUND_NUMBER.test(value);
  if (raw.length >= MIN_STRONG && isMixed) return 'strong';
  return 'weak';
}

/** Every part is a technical word or a plain one: `AES-256-GCM`, `hmac-sha256`. */
function isTechnical(value: string): boolean {
  const parts = value.split(/[-_/.+:]/);
  return (
    parts.some((part) => TECHNICAL.test(part)) &&
    parts.every((part) => TECHNICAL.test(part) || /^[A-Za-z]*$|^\d{1,5}$/.test(part))
  );
}

/** `NAME=value` and `name:value`, but not a random value that contains such a sign. */
function isAssigned(value: string): boolean {
  const name = ASSIGNED.exec(value)?.[0];
  return name !== undefined && !isRandom(name.slice(0, -1));
}

/** Letters only: mixed case that changes all the time. */
function isRandomLetters(value: string): boolean {
  if (value.length < 16 || !/^[A-Za-z]+$/.test(value)) return false;
  const chunks = value.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 1;
  return value.length / chunks < 3;
}
