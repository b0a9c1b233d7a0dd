/** Cuts long texts in an answer: the page must stay usable however long a memory is. */
import { wholeWords } from '../core/index.ts';

/** Cuts every string in a JSON value to `limit` characters, and says how many are missing. */
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
  // Half of a surrogate pair would not survive JSON.
  const kept = wholeWords(text.slice(0, limit).replace(/[\ud800-\udbff]$/, ''), text);
  return `${kept}… (${(text.length - kept.length).toLocaleString('en')} more characters)`;
}
