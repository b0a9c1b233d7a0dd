/** The fields both versions of the format share, as lenient as its own server: what it does not know it ignores. */
import * as v from 'valibot';

const LONGEST_NAME = 500;
/** Its clients cut at 15,000; a pasted log fits, a dump does not. */
export const LONGEST_CONTENT = 200_000;
export const MOST_LISTED = 100;
const MOST_NAMES = 50;

export const name = v.pipe(v.string(), v.minLength(1, 'is empty'), v.maxLength(LONGEST_NAME));
export const optionalName = v.nullish(v.pipe(v.string(), v.maxLength(LONGEST_NAME)));
export const text = v.pipe(
  v.string(),
  v.check((said) => said.trim() !== '', 'is empty'),
  v.maxLength(LONGEST_CONTENT, `is longer than ${LONGEST_CONTENT} characters`),
);

/** `?limit=20` as well as `{"limit": 20}`. */
export function whole(least: number, most: number, otherwise: number): v.GenericSchema<unknown, number> {
  return v.pipe(
    v.nullish(v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/), v.transform(Number))]), otherwise),
    v.number(),
    v.safeInteger(),
    v.minValue(least),
    v.transform((value) => Math.min(value, most)),
  );
}

export const fraction = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\d*\.?\d+$/), v.transform(Number))]),
  v.minValue(0),
  v.maxValue(1),
);

/** One, several, or several with commas between them. */
export const names = v.pipe(
  v.nullish(v.union([v.string(), v.array(v.string())]), []),
  v.transform((given) => (typeof given === 'string' ? given.split(',') : given)),
  v.transform((given) => [...new Set(given.map((one) => one.trim()).filter(Boolean))]),
  v.array(name),
  v.maxLength(MOST_NAMES),
  v.readonly(),
);

/** ISO 8601, or milliseconds (or seconds) since 1970. */
export const moment = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform((given) => new Date(typeof given === 'number' && given < SECONDS_UNTIL ? given * 1000 : given)),
  v.check((date) => !Number.isNaN(date.getTime()) && date.getTime() >= 0, 'is not a time'),
);

/** As milliseconds this is in the year 1973: nobody means that. */
const SECONDS_UNTIL = 1e11;

/** What kinds of memory a type of EverMem's stands for; `undefined`: all of them. */
export function kindsOf(types: readonly string[]): readonly ['preference'] | readonly [] | undefined {
  if (types.length === 0 || types.includes('episodic_memory')) return undefined;
  return types.includes('profile') ? ['preference'] : [];
}
