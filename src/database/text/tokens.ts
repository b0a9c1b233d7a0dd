/**
 * Text → tokens, the same for indexed text and for queries: identifiers, paths and error codes whole and in parts,
 * English stemmed, CJK as overlapping bigrams. Pure. A change of the tokens needs a new SCHEMA_VERSION, so that the full
 * text is rebuilt.
 */
import { stem } from './stem.ts';
import { STOP_WORDS, WEAK_WORDS } from './stop-words.ts';

/** One word of a text: the forms that mean the same thing, and the pieces it is made of. */
export interface Word {
  /** As written, folded to lower case. */
  readonly surface: string;
  /** Equivalent tokens, strongest first: the whole identifier or path, then its file name. */
  readonly whole: readonly string[];
  /** Pieces; empty for a plain word. */
  readonly parts: readonly string[];
  readonly kind: 'plain' | 'identifier' | 'path' | 'cjk';
  /** Found in every coding session, so no sign of relevance by itself. */
  readonly weak: boolean;
}

/** Longer than any identifier a user types; longer ones are hashes, keys or base64. */
const MAX_TOKEN = 64;

/** The first part of a long prompt decides; the rest is usually a pasted log. */
const MAX_QUERY_CHARS = 8000;

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}ー々';
const RAW = new RegExp(`[${CJK}]+|(?:(?![${CJK}])[\\p{L}\\p{N}\\p{M}_$@#+./\\\\:~'’-])+`, 'gu');
const IS_CJK = new RegExp(`^[${CJK}]`, 'u');

/** A faster path for ASCII text, three times as quick. */
const ASCII = /^[\0-\x7f]*$/;
const ASCII_RAW = /[\w$@#+./\\:~'-]+/g;
/** Words that need no splitting or trimming, only lower case. */
const PLAIN = /^(?:[A-Z]?[a-z]+|[A-Z]+)$/;

/** Returns the text as the full-text table stores it: tokens separated by spaces. */
export function indexText(text: string): string {
  return words(text).flatMap(tokensOf).join(' ');
}

/** Returns the distinct words of a query without stop words. */
export function queryWords(text: string): readonly Word[] {
  const seen = new Map<string, Word>();
  for (const word of withoutStopWords(text)) {
    const key = word.whole[0] ?? word.surface;
    if (!seen.has(key)) seen.set(key, word);
  }
  return [...seen.values()];
}

/** Returns the words of a text in order, without stop words. */
function withoutStopWords(text: string): readonly Word[] {
  return words(text.slice(0, MAX_QUERY_CHARS)).filter(
    ({ surface }) => !STOP_WORDS.has(surface) && !/^\d$/.test(surface),
  );
}

/** Returns the distinct words of a title that carry its meaning: stems, whole identifiers, pairs of CJK characters. */
export function titleWords(title: string): readonly string[] {
  const tokens = queryWords(title).flatMap((word) =>
    word.kind === 'cjk' ? tokensOf(word) : [word.whole[0] ?? word.parts.join('')],
  );
  return unique(tokens);
}

export function tokensOf(word: Word): readonly string[] {
  return [...word.whole, ...word.parts];
}

export function words(text: string): readonly Word[] {
  if (ASCII.test(text)) return (text.match(ASCII_RAW) ?? []).flatMap((raw) => latinWord(raw) ?? []);
  const out: Word[] = [];
  for (const [raw] of text.normalize('NFKC').matchAll(RAW)) {
    if (IS_CJK.test(raw)) out.push(cjkWord(raw));
    else {
      const word = latinWord(raw);
      if (word) out.push(word);
    }
  }
  return out;
}

function cjkWord(run: string): Word {
  const chars = [...run];
  const grams = chars.length === 1 ? chars : chars.slice(0, -1).map((char, i) => char + (chars[i + 1] ?? ''));
  return {
    surface: run,
    whole: grams.length === 1 ? grams : [],
    parts: grams.length === 1 ? [] : grams,
    kind: 'cjk',
    weak: false,
  };
}

function latinWord(raw: string): Word | undefined {
  if (PLAIN.test(raw)) return plain(raw.toLowerCase());
  const text = trimPunctuation(raw);
  if (!text) return undefined;
  const segments = text.split(/[/.:~@#$+]+/).filter(Boolean);
  const surface = fold(text);
  if (/^[\d.:-]+$/.test(text) || /^[a-z](?:\+\+|#)$/i.test(text)) return plain(surface);
  if (segments.length === 0) return undefined;

  const pieces = segments.flatMap(splitIdentifier).map(fold);
  if (segments.length === 1 && pieces.length === 1) return plain(join(segments[0] ?? surface));

  const parts = unique(pieces.filter((piece) => piece.length > 1 && piece.length <= MAX_TOKEN).map(stemmed));
  const path = /[/.]/.test(text);
  const names = path ? [surface, fold(text.slice(text.lastIndexOf('/') + 1))] : [join(segments.join(''))];
  const whole = unique(names).filter(
    (name) => name.length > 0 && name.length <= MAX_TOKEN && !parts.includes(name),
  );
  return { surface, whole, parts, kind: path ? 'path' : 'identifier', weak: false };
}

function plain(surface: string): Word | undefined {
  if (surface.length === 0 || surface.length > MAX_TOKEN) return undefined;
  return { surface, whole: [stemmed(surface)], parts: [], kind: 'plain', weak: WEAK_WORDS.has(surface) };
}

/** `it's.` → `its`, `(see ./src/a.ts)` → `src/a.ts`, `C:\a\b` → `C:/a/b`; `c++` stays. */
function trimPunctuation(raw: string): string {
  const text = raw
    .replaceAll('\\', '/')
    .replace(/['’]s?$/, '')
    .replace(/['’]/g, '');
  if (/^[a-z](?:\+\+|#)$/i.test(text)) return text;
  return text.replace(/^[-+./:~'#@$]+/, '').replace(/[-+./:~'#@$]+$/, '');
}

/** `useHTTPServer2_old-name` → use, HTTP, Server2, old, name */
function splitIdentifier(segment: string): readonly string[] {
  return segment
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean);
}

/** snake_case, kebab-case and camelCase of one name are one token. */
function join(segment: string): string {
  return fold(segment).replace(/[_-]/g, '');
}

function fold(text: string): string {
  const lower = text.toLowerCase();
  // Removes accents of Latin, Greek and Cyrillic; marks that carry meaning in other scripts stay.
  return /^[\x20-\x7e]*$/.test(lower)
    ? lower
    : lower
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC');
}

const STEM_CACHE_SIZE = 50_000; // the vocabulary of some projects; a rebuild stems the same words many times
const stems = new Map<string, string>();

function stemmed(token: string): string {
  if (token.length < 4 || !/^[a-z]+$/.test(token)) return token;
  const known = stems.get(token);
  if (known !== undefined) return known;
  if (stems.size >= STEM_CACHE_SIZE) stems.clear();
  const result = stem(token);
  stems.set(token, result);
  return result;
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
