/** Cuts long texts in an answer: a page must stay usable whatever a memory holds. */

/** In a list a text is looked over, not read. */
export const LISTED_TEXT = 2000;
/** A long book chapter: what a browser still lays out at once. */
export const WHOLE_TEXT = 200_000;

/** Every string in a JSON value, cut to `limit` characters, with a word on how much is missing. */
export function clip<T>(value: T, limit: number): T {
  return clipped(value, limit) as T; // strings stay strings, and nothing else is touched
}

function clipped(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return clipText(value, limit);
  if (Array.isArray(value)) return value.map((item) => clipped(item, limit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clipped(item, limit)]));
}

function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // Half of a surrogate pair is no character: it would not survive JSON.
  const kept = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… (${(text.length - kept.length).toLocaleString('en')} more characters)`;
}
