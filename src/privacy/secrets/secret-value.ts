/**
 * Judges whether the value of a secret name is a secret, or a reference, a type, a placeholder or a word.
 * Looks only at the value, never at the text around it.
 */
import type { Strength } from './secret-name.ts';
import { PLACEHOLDER_START } from './span.ts';

/**
 * How the value is written. `quoted`: a string. `env`: `NAME=value` as in an environment. `line`: bare, from the
 * separator to the end of its line (YAML, INI). `bare`: bare within other text, likely code.
 */
export type Shape = 'quoted' | 'env' | 'line' | 'bare';

const MIN_PASSWORD = 3;
const MIN_TOKEN = 6; // shorter ones are symbols of a parser, not tokens of an issuer
const MIN_RANDOM = 8;
const MIN_BARE = 12; // bare words in code are mostly identifiers

const REFERENCE =
  /^(?:\$\{?[A-Za-z_]\w*(?:[:?-][^}]*)?\}?|\$[\d@*#?!]|\$\(.*|\$\{\{.*|\{\{.*|\{[\w.\s:()!-]*\}?|#\{.*|%[A-Z_]+%|%[a-z]|%[({].*|<[^>]*>|<[A-Za-z_-]*|\[[^\]]*\]?|@[A-Za-z_.]+@?|:[A-Za-z_]+|!(?:Ref|Sub|GetAtt|ImportValue|secret|vault|env|reference)\b.*|[&*][A-Za-z]+|:[\w:]+:|(?:%[a-z][:/ ]?)+|[?*.#xX_~^|=+-]+|…+)$/;
const LITERAL =
  /^(?:null|none|nil|undefined|true|false|yes|no|on|off|string|number|boolean|bool|any|unknown|never|void|object|str|int|integer|float|double|bytes|text|char|date|array|list|dict|record|buffer|required|optional|default|empty|hidden|secret|password|passwd|pass|token|key|apikey|api_key|api-key|value|redacted|masked|removed|new|await|async|function|return|const|let|var|this|self|not|and|or|if|else|for|the|a|an|is|are|was|in|to|of|it|enabled|disabled|username|user|tbd|todo|n\/a|prompt|env|vault|file|stdin|keychain|bearer|basic|oauth2?|jwt)$/i;
const PLACEHOLDER =
  /(?:^|[^a-z])(?:your|yours|example|examples|change[-_]?(?:me|this|it)|placeholder|dummy|sample|todo|fixme|insert|replace|redacted|goes[-_ ]?here|here|foo|foobar|bar|baz|lorem|xxx+|my[-_](?:\w+[-_])?(?:password|secret|token|key))(?:[^a-z]|$)/i;
const CODE_REFERENCE =
  /^(?:process\.env|import\.meta|os\.(?:environ|getenv)|env[.([]|ENV\[|System\.|secrets\.|vars\.|config[.([]|settings\.|self\.|this\.|req\.|request\.|ctx\.|props\.|opts?\.|options\.|args?\.|params?\.)/;
const DOTTED = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->|!\.)[A-Za-z_$][\w$]*)+[?!]?$/;
const CALL =
  /^(?:(?:await|new|return|typeof|not|lambda)\b|!?[A-Za-z_$][\w$.:?]*(?:<[\w, ]*>)?[([{]|[([{!&|?]|["'`])/;
const ELSEWHERE =
  /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|arn:|projects\/|(?:~|\.{1,2})?\/[\w@.-]+(?:\/|$)|[A-Za-z]:\\|#[0-9a-fA-F]{3,8}$|data:)/;
const FILE_NAME =
  /^[\w./-]+\.(?:pem|key|crt|json|ya?ml|txt|env|toml|ini|ts|js|py|go|rs|java|rb|md|html|css|png|svg)$/i;
const PATTERN = /\(\?[:=!<]|^\/\^|\\[wdsbxS]|\[\^?\\?\w-\w/; // a regular expression
const NUMBER = /^\d+(?:\.\d+)+$/; // a version, an object identifier
const GRAPHQL = /^\[?(?:String|Int|ID|Boolean|Float)!\]?!?$/;
const MASKED = /\*{4,}|•{3,}|&lt;/;
const HEX_KEY = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{24,}$/i; // may contain long runs of digits or letters
// `pirate-lantern-96`: people choose passwords like this, and programs choose names like this.
const WORDS_AND_NUMBER = /^\p{L}{3,14}(?:[-_.]\p{L}{3,14}){1,4}[-_.]?\d{2,4}$/u;
// `Kalyna_77`, `Puddle-Jumper8`: the same in a place where a password is expected.
const WORD_AND_NUMBER = /^\p{L}{4,16}(?:[-_.]\p{L}{2,16}){0,4}[-_.]?\d{1,6}$/u;
const WORDS_OF_NAMES =
  /(?:^|[-_.])(?:test|tests|testing|demo|mock|fake|stub|key|keys|token|tokens|secret|secrets|password|api|auth|user|users|app|apps|service|server|client|prod|production|staging|stage|dev|version|east|west|north|south|central|bucket|node|pool|cluster|namespace|role|policy|group|team|project|build|release|job|task|item|page|section|sha|aes|rsa|hmac|utf|iso|rfc|base|local|default|registry|creds|credentials|cert|config|database|vault|file|example|sample|ssh|web|http|https|oauth|jwt|model|sonnet|opus|haiku|turbo|gpt|claude)(?=[-_.\d]|$)/i;
const SENTENCE_END = /[.?!:…]$/;

export function isSecretValue(raw: string, strength: Strength, shape: Shape, final = true): boolean {
  const value = raw.trim();
  if (value.length < (strength === 'password' ? MIN_PASSWORD : MIN_TOKEN)) return false;
  if (isNeverSecret(value)) return false;
  if (shape !== 'quoted' && shape !== 'env' && isCode(value)) return false;
  if (shape === 'quoted' && CODE_REFERENCE.test(value)) return false;
  return strength === 'password' ? isPassword(value, shape) : isToken(value, shape, final);
}

/** Returns whether a value is a reference, a literal, a placeholder, a mask, a path or a pattern, whatever its name. */
export function isNeverSecret(value: string): boolean {
  if (value.startsWith(PLACEHOLDER_START) || REFERENCE.test(value) || LITERAL.test(value)) return true;
  if (isTemplate(value) || (ELSEWHERE.test(value) && !isBase64Key(value)) || FILE_NAME.test(value))
    return true;
  if (
    isOneSymbolRepeated(value) ||
    NUMBER.test(value) ||
    GRAPHQL.test(value) ||
    MASKED.test(value) ||
    PATTERN.test(value)
  )
    return true;
  return PLACEHOLDER.test(value) && !isRandom(value);
}

/** Returns whether a value looks machine-made: it often changes between letters, digits and cases. */
export function isRandom(value: string): boolean {
  if (value.length < MIN_RANDOM) return false;
  if (HEX_KEY.test(value)) return true;
  const chunks = value.match(/[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g);
  return (
    chunks !== null && chunks.length / value.length >= 0.28 && /\d/.test(value) && /[A-Za-z]/.test(value)
  );
}

/** How often a value changes between letters, digits and cases, per character; 0 without digits or a second case. */
export function variety(value: string): number {
  const body = value.replace(/^[A-Za-z]{0,12}[_.:-]/, '');
  if (!/\d/.test(body) && !(/[a-z]/.test(body) && /[A-Z]/.test(body))) return 0;
  return (body.match(/[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g)?.length ?? 0) / body.length;
}

/** Bits per character. */
export function entropy(value: string): number {
  const seen = new Map<string, number>();
  for (const char of value) seen.set(char, (seen.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of seen.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

function isPassword(value: string, shape: Shape): boolean {
  if (shape === 'env') return true;
  if (!/[\x21-\x7e]/.test(value)) return false; // a label in another script
  const words = value.split(/\s+/);
  if (shape === 'quoted') {
    if (words.length === 1)
      return (
        !/^[a-z]+(?:\.[a-z_]+)+$/i.test(value) &&
        !/^(?:pass(?:word|wort|e)|confirm|enter)|[a-z]Password$/i.test(value)
      );
    // A sentence about passwords (a label, an error) is not a password; four plain words may be.
    return (
      !SENTENCE_END.test(value) &&
      !/pass|token|secret|enter|invalid|must|please/i.test(value) &&
      words.length <= 24
    );
  }
  if (words.length > 1) return false;
  if (/^[A-Z][a-z]+(?:[A-Z][a-z]*)*$|^[a-z]+(?:[A-Z][a-z]*)+$/.test(value)) return false; // a type or a variable
  if (shape === 'line') return !/_/.test(value) || /\d/.test(value);
  return value.length >= 6 && /[^A-Za-z_]/.test(value);
}

function isToken(value: string, shape: Shape, final: boolean): boolean {
  if (/\s/.test(value)) return false;
  const hasDigit = /\d/.test(value);
  const hasLetter = /[A-Za-z]/.test(value);
  if (!hasLetter) return shape === 'env' && final && value.length >= MIN_RANDOM && hasDigit;
  if (shape === 'env' && final) return true;
  if (value.length < MIN_RANDOM) return false;
  if (!hasDigit) return isLongLetters(value);
  if (isNameLike(value)) return shape !== 'bare' && final && isWordsAndNumber(value);
  if (shape === 'bare')
    return value.length >= MIN_BARE && !/^[A-Za-z_$]+\d{0,3}$/.test(value) && isRandom(value);
  return shape !== 'line' || isRandom(value) || !/^[A-Za-z_$]+\d{0,2}$/.test(value);
}

/** `my-app-v2`, `us_east_1`: words and small numbers with separators. */
export function isNameLike(value: string): boolean {
  const parts = value.split(/[-_./:@]+/).filter((part) => part !== '');
  return (
    parts.length > 1 &&
    parts.every((part) => /^(?:[A-Za-z]{1,14}\d{0,2}|v?\d{1,4})$/.test(part) && !isRandom(part))
  );
}

/** Words and a number that do not name a thing: `pirate-lantern-96`, not `app-token-01`. */
export function isWordsAndNumber(value: string): boolean {
  return WORDS_AND_NUMBER.test(value) && !WORDS_OF_NAMES.test(value);
}

/** One word and a number: `Kalyna_77`. Only right after a word for a password. */
export function isWordAndNumber(value: string): boolean {
  return WORD_AND_NUMBER.test(value) && !WORDS_OF_NAMES.test(value);
}

/** Random base64 may contain slashes, and then looks like a path. */
export function isBase64Key(value: string): boolean {
  return (
    /^[A-Za-z0-9+/]{24,}={0,2}$/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && isRandom(value)
  );
}

/** Judges values of letters only: random if long and mixed in case, or very long without a break. */
function isLongLetters(value: string): boolean {
  if (!/^[A-Za-z+/=]+$/.test(value)) return value.length >= 16 && /[!@#%^&*+=~]/.test(value);
  if (value.length < 16) return false;
  const chunks = value.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 1;
  return value.length / chunks < 3 || (value.length >= 32 && chunks === 1);
}

function isTemplate(value: string): boolean {
  if (!/\$\{|\{\{|#\{|\$\(|%\(|<%/.test(value)) return false;
  return (
    value.replace(/\$?\{{1,2}[^}]*\}{0,2}|#\{[^}]*\}?|\$\([^)]*\)?|%\([^)]*\)s?|<%[^%]*(?:%>)?/g, '').length <
    MIN_RANDOM
  );
}

function isCode(value: string): boolean {
  return CODE_REFERENCE.test(value) || (DOTTED.test(value) && !isRandom(value)) || CALL.test(value);
}

function isOneSymbolRepeated(value: string): boolean {
  let first = '';
  let second = '';
  for (const char of value.toLowerCase()) {
    if (char === first || char === second || '-_ .'.includes(char)) continue;
    if (first === '') first = char;
    else if (second === '') second = char;
    else return false;
  }
  return true;
}
