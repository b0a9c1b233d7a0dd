/**
 * Tells whether two titles are about the same thing. Names with a number (`db1`, "Phase 2", `#412`), names of code and
 * environments identify a thing; the values beside them do not. Pure.
 */
import { numbersOf, type Value } from './_numbers.ts';

export interface Subject {
  /** Names with a number. */
  readonly names: ReadonlySet<string>;
  readonly numbered: Numbered;
  readonly values: readonly Value[];
  /** Names of code and capitalised short names: `user_id`, `src/a.ts`, `AuthService`, CSV. */
  readonly code: ReadonlySet<string>;
  /** Environments and platforms: staging, iOS, docs. */
  readonly scopes: ReadonlySet<string>;
  /** The title without its values. */
  readonly rest: string;
  readonly title: string;
}

const CODE =
  /`[^`]+`|(?<![\p{L}\p{N}_])(?:[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*|[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+|[\w@.-]*\/[\w@./-]+|[\p{L}\p{N}_-]+\.\p{Ll}{1,4}|\p{Lu}{2,})(?![\p{L}\p{N}_])/gu;

/** A rule for one of them says nothing about another. */
const SCOPES = [
  'staging production prod development dev preview sandbox qa ci local locally docs documentation frontend backend',
  'client server-side mobile desktop ios android web windows macos linux e2e admin public internal weekdays weekends',
  'produktion entwicklung lokal doku recette développement producción desarrollo produção продакшен стейджинг прод',
]
  .join(' ')
  .split(' ');
const SCOPE = new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${SCOPES.join('|')})(?![\p{L}\p{N}_])`, 'giu');
const CJK_SCOPE = /生产环境|测试环境|预发|开发环境|线上|本番|ステージング|開発環境|检查环境/gu;
const SAME_SCOPE: Readonly<Record<string, string>> = {
  prod: 'production',
  dev: 'development',
  locally: 'local',
  documentation: 'docs',
};

export function subjectOf(title: string): Subject {
  const { names, values, rest } = numbersOf(title);
  const found = [...title.matchAll(SCOPE), ...title.matchAll(CJK_SCOPE)].map(([word]) => word.toLowerCase());
  return {
    names,
    numbered: familiesOf(names),
    values,
    code: new Set([...rest.matchAll(CODE)].map(([name]) => name.replaceAll('`', '').toLowerCase())),
    scopes: new Set(found.map((word) => SAME_SCOPE[word] ?? word)),
    rest,
    title: title.toLowerCase().replaceAll('`', ''),
  };
}

/**
 * Tells whether each title names a thing that the other does not: `cache-3` and `cache-18`, staging and production.
 * Names in `apart` do not count: the thing that one of them rejects.
 */
export function areOtherThings(a: Subject, b: Subject, apart?: ReadonlySet<string>): boolean {
  if (areOfOtherScopes(a, b)) return true;
  if (apart === undefined) return differ(a.names, b.names) || nameOtherCode(a, b);
  const rest = (names: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...names].filter((name) => !apart.has(name)));
  return differ(rest(a.names), rest(b.names));
}

/** Tells whether the first is about a part of what the second is about: "docs", "staging", `shard-2`. */
export function isNarrower(a: Subject, b: Subject): boolean {
  return [...a.scopes].some((scope) => !b.scopes.has(scope)) || (a.names.size > 0 && b.names.size === 0);
}

/** Tells whether two titles can say the same: the same things with the same values. */
export function haveSameSubject(a: Subject, b: Subject): boolean {
  if (nameOtherCode(a, b) || !areEqual(a.names, b.names) || !areEqual(a.scopes, b.scopes)) return false;
  return areEqual(new Set(currentValues(a)), new Set(currentValues(b)));
}

/**
 * Tells whether two memories with nearly the same words are about the same thing: `cache-3` is not `cache-18`, wherever the
 * name is written.
 */
export function areAboutSame(a: Words, b: Words): boolean {
  if (!haveSameSubject(subjectOf(a.title), subjectOf(b.title))) return false;
  return !numberOtherThings(numberedThings(a.body), numberedThings(b.body));
}

type Words = Readonly<Record<'title' | 'body', string>>;

/** Names that end with a number, by the rest of the name: `cache-3` → cache: 3. Types (`i32`) and versions are none. */
export type Numbered = ReadonlyMap<string, ReadonlySet<string>>;

export function numberedThings(text: string): Numbered {
  return familiesOf(numbersOf(text).names);
}

/** Tells whether two texts number things of one sort differently, and none the same: `cache-3` and `cache-18`. */
export function numberOtherThings(a: Numbered, b: Numbered): boolean {
  return [...a].some(([family, ids]) => {
    const theirs = b.get(family);
    return theirs !== undefined && ![...ids].some((id) => theirs.has(id));
  });
}

function familiesOf(names: ReadonlySet<string>): Numbered {
  const found = new Map<string, Set<string>>();
  for (const name of names) {
    const { family, id } = /^(?<family>#|[\p{L} ]{2,})(?<id>\d+)$/u.exec(name)?.groups ?? {};
    if (family === undefined || id === undefined) continue;
    found.set(family, (found.get(family) ?? new Set()).add(id));
  }
  return found;
}

export function areOfOtherScopes(a: Subject, b: Subject): boolean {
  return differ(a.scopes, b.scopes);
}

function currentValues({ values }: Subject): readonly string[] {
  return values.filter(({ former }) => !former).map(({ amount, dimension }) => `${amount} ${dimension}`);
}

function nameOtherCode(a: Subject, b: Subject): boolean {
  const lacks = (one: Subject, other: Subject): boolean =>
    [...one.code].some((name) => !other.title.includes(name));
  return lacks(a, b) && lacks(b, a);
}

function differ(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].some((name) => !b.has(name)) && [...b].some((name) => !a.has(name));
}

export function areEqual(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}
