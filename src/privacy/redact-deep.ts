/** Redacts every string in a JSON value, keys included. Returns a new value. */
import { secretName } from './_secret-name.ts';
import { isSecretValue } from './_secret-value.ts';
import { addCounts, placeholder, type Counts } from './_span.ts';
import { redact } from './redact.ts';

const MAX_DEPTH = 200; // no real data is deeper, and it would overflow the stack

/** `{ password: 'hunter2' }` → `{ password: '[redacted:password]' }`: here the key shows that the value is secret. */
export function redactDeep<T>(value: T): { readonly value: T; readonly counts: Counts } {
  const counts: Record<string, number> = {};
  // Only strings change, and only into strings: the shape of T stays.
  return { value: walk(value, undefined, 0, counts) as T, counts };
}

function walk(
  value: unknown,
  key: string | undefined,
  depth: number,
  counts: Record<string, number>,
): unknown {
  if (typeof value === 'string') return redactString(value, key, counts);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return count('too-deep', counts);
  if (Array.isArray(value)) return value.map((item: unknown) => walk(item, key, depth + 1, counts));
  const entries = Object.entries(value).map(
    ([name, item]) => [redactString(name, undefined, counts), walk(item, name, depth + 1, counts)] as const,
  );
  return Object.fromEntries(entries);
}

function redactString(text: string, key: string | undefined, counts: Record<string, number>): string {
  const found = redact(text);
  const name = key === undefined ? undefined : secretName(key);
  addCounts(counts, found.counts);
  // Also what is left beside a replaced part, as in `s3cret<private>`.
  if (name !== undefined && isSecretValue(found.text, name.strength, 'quoted', name.final))
    return count(name.type, counts);
  return found.text;
}

function count(type: string, counts: Record<string, number>): string {
  addCounts(counts, { [type]: 1 });
  return placeholder(type);
}
