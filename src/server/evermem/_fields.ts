/** The fields that both versions of the format share. Like EverMem's server, they ignore what they do not know. */
import * as v from 'valibot';
import { given, TidemarkError, type MemoryKind } from '../../core/index.ts';

const MAX_NAME = 500;
/** EverMem clients cut at 15,000 characters. */
const MAX_CONTENT = 200_000;
export const MAX_LISTED = 100;
const MAX_NAMES = 50;
const DEFAULT_HITS = 10;

interface Scope {
  /** The client's group names; none means everything that is shared with the caller. */
  readonly groups: readonly string[];
  /** Only echoed; the key identifies the caller. */
  readonly user: string;
  /** Default: all. An empty list stands for a type that Tidemark does not have. */
  readonly kinds?: readonly MemoryKind[] | undefined;
}

/** A page of memories. */
export interface Listing extends Scope {
  readonly limit: number;
  readonly offset: number;
}

/** A search. */
export interface Question extends Scope {
  readonly text: string;
  readonly limit: number;
  /** The lowest score that is returned. */
  readonly floor?: number;
  readonly by?: 'words';
}

export const name = v.pipe(v.string(), v.minLength(1, 'is empty'), v.maxLength(MAX_NAME));
export const optionalName = v.nullish(v.pipe(v.string(), v.maxLength(MAX_NAME)));
export const text = v.pipe(
  v.string(),
  v.check((content) => content.trim() !== '', 'is empty'),
  v.maxLength(MAX_CONTENT, `is longer than ${MAX_CONTENT} characters`),
);

/** An integer, also as text in a query. Values above `most` count as `most`. */
export function integer(least: number, most: number, otherwise: number): v.GenericSchema<unknown, number> {
  return v.pipe(
    v.nullish(v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/), v.transform(Number))]), otherwise),
    v.number(),
    v.safeInteger(),
    v.minValue(least),
    v.transform((value) => Math.min(value, most)),
  );
}

/** One name, a list, or names with commas between them. */
export const names = v.pipe(
  v.nullish(v.union([v.string(), v.array(v.string())]), []),
  v.transform((value) => (typeof value === 'string' ? value.split(',') : value)),
  v.transform((list) => [...new Set(list.map((one) => one.trim()).filter(Boolean))]),
  v.array(name),
  v.maxLength(MAX_NAMES),
  v.readonly(),
);

/** ISO 8601, or milliseconds or seconds since 1970. */
export const moment = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform((value) => new Date(typeof value === 'number' && value < SECONDS_UNTIL ? value * 1000 : value)),
  v.check((date) => !Number.isNaN(date.getTime()) && date.getTime() >= 0, 'is not a time'),
);

/** Smaller numbers are seconds: as milliseconds they would be before 1973. */
const SECONDS_UNTIL = 1e11;

/** The fields of a search in both versions. */
export const SearchFields = {
  query: text,
  top_k: v.nullish(integer(-1, MAX_LISTED, DEFAULT_HITS)),
  radius: v.nullish(
    v.pipe(
      v.union([v.number(), v.pipe(v.string(), v.regex(/^\d*\.?\d+$/), v.transform(Number))]),
      v.minValue(0),
      v.maxValue(1),
    ),
  ),
  memory_types: names,
};

/** `method`: the retrieval method; only `keyword` makes a difference. A `top_k` of -1 asks for all. */
export function questionOf(
  { query, top_k, radius, memory_types }: v.InferOutput<v.ObjectSchema<typeof SearchFields, undefined>>,
  method: string | null | undefined,
  scope: Pick<Scope, 'groups' | 'user'>,
): Question {
  const topK = top_k ?? DEFAULT_HITS;
  return {
    ...scope,
    kinds: kindsOf(memory_types),
    text: query,
    limit: topK < 1 ? MAX_LISTED : topK,
    ...given({ floor: radius ?? undefined }),
    ...(method === 'keyword' ? { by: 'words' as const } : {}),
  };
}

/** Throws if the request names neither a group nor a user. `missing`: the message and the hint. */
export function scopeOf(
  groups: readonly string[],
  user: string | null | undefined,
  [message, hint]: readonly [message: string, hint: string],
): Pick<Scope, 'groups' | 'user'> {
  if (groups.length === 0 && !user) throw new TidemarkError('invalid', message, { hint });
  return { groups: [...new Set(groups)], user: user || '' };
}

/** Returns the memory kinds of EverMem's types; undefined means all. */
export function kindsOf(types: readonly string[]): Scope['kinds'] {
  if (types.length === 0 || types.includes('episodic_memory')) return undefined;
  return types.includes('profile') ? ['preference'] : [];
}
