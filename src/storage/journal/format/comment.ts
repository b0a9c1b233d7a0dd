/**
 * The HTML comment with the metadata of an entry or a session: `<!-- tidemark <id> key=value … -->`. Values are encoded so
 * that no text can end the comment; unknown words are kept verbatim.
 */

const PREFIX = '<!-- tidemark ';
const SUFFIX = ' -->';

export interface Attributes {
  /** Decoded, by key. */
  readonly known: ReadonlyMap<string, string>;
  /** Unknown words of the comment, verbatim. */
  readonly unknown: readonly string[];
  /** Keys whose values could not be decoded; the words are also in `unknown`. */
  readonly malformed: readonly string[];
}

/** Keys in the order they are written. */
const KEYS = [
  'at',
  'agent',
  'session',
  'turn',
  'messages',
  'by',
  'state',
  'supersedes',
  'superseded-by',
  'resolved-by',
  'ended',
  'evidence',
  'seen',
  'also',
  'branch',
  'author',
  'started',
  'status',
  'held',
  'sum',
] as const;

export type Key = (typeof KEYS)[number];

/** `subject` is an id, or `session` and the id of the session. Empty values are left out. */
export function renderComment(
  subject: readonly string[],
  values: Readonly<Partial<Record<Key, string | readonly string[]>>>,
  unknown: readonly string[],
): string {
  const words = KEYS.flatMap((key) => {
    const value = values[key];
    const text = typeof value === 'string' ? encode(value) : value?.map(encode).join(',');
    return text ? [`${key}=${text}`] : [];
  });
  return PREFIX + [...subject.map(encode), ...words, ...unknown].join(' ') + SUFFIX;
}

/** Returns the content of a tidemark comment, subject first; undefined when it is incomplete. */
export function commentContent(text: string): string | undefined {
  const comment = text.trimEnd();
  if (!/^<!-- tidemark\s/.test(comment) || !comment.endsWith('-->')) return undefined;
  const inside = comment.slice(PREFIX.length, -'-->'.length).trim();
  return inside.includes('-->') ? undefined : inside;
}

/** Parses the words after the subject. */
export function parseAttributes(text: string): Attributes {
  const known = new Map<string, string>();
  const unknown: string[] = [];
  const malformed: string[] = [];
  for (const word of text.split(/\s+/)) {
    if (word === '') continue;
    const cut = word.indexOf('=');
    const key = word.slice(0, Math.max(0, cut));
    if (!isKey(key)) {
      unknown.push(word);
      continue;
    }
    known.set(key, word.slice(cut + 1));
    if (decode(word.slice(cut + 1)) !== undefined) continue;
    known.delete(key);
    unknown.push(word);
    malformed.push(key);
  }
  return { known, unknown, malformed };
}

export function textOf(attributes: Attributes, key: Key): string {
  return decode(attributes.known.get(key) ?? '') ?? '';
}

export function listOf(attributes: Attributes, key: Key): readonly string[] {
  const value = attributes.known.get(key);
  return value ? value.split(',').flatMap((item) => decode(item) || []) : [];
}

export function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Two dashes in a row would end an HTML comment, so every second one is encoded. */
export function encode(text: string): string {
  // A file in UTF-16 may contain half a character, which cannot be encoded.
  return text
    .toWellFormed()
    .replace(/[^\p{L}\p{N}._:/@+~-]|(?<=-)-/gu, (char) => (char === '-' ? '%2D' : encodeURIComponent(char)));
}

function isKey(key: string): key is Key {
  return (KEYS as readonly string[]).includes(key);
}
