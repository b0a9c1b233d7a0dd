/** Applies the tables of formats to a text: one search for all literals, then only the patterns that can match there. */
import { issuers, type Issuer } from './issuers.ts';
import { isCrowded, type Hit } from '../secrets/literals.ts';
import { isRandom, isSecretValue, variety } from '../secrets/secret-value.ts';
import { shapeOf } from '../secrets/shape.ts';
import type { Span } from '../secrets/span.ts';
import { wrapsOf, type Wraps } from '../secrets/wrapped.ts';
import type { Rule } from './_rule.ts';
import { RULES } from './rules.ts';

/** Built on demand: most hooks start without a text to redact. */
let all: readonly Rule[] | undefined;
/** Filled on demand: a hook handles one event, and most texts contain no literal. */
const rulesByLiteral = new Map<string, readonly Rule[]>();
const MIN_DIFFERENT = 4; // `ghp_xxxxxxxx…` is a placeholder, not a token
const MIN_VARIETY = 0.15; // changes of kind a character; names stay below
const TAIL = 16;
const RUN = /[\w.+/=~$:-]+/y;
const MAX_RUN = 512;
const MIN_RUN = 6; // the piece before the end of the line

export function formatLiterals(): readonly string[] {
  return allRules().flatMap((rule) => rule.literals);
}

/** `hits`: places of the literals. */
export function knownFormatSpans(text: string, hits: readonly Hit[]): readonly Span[] {
  const spans: Span[] = [];
  const rejected = new Map<Rule, number>();
  const runs: Runs = { end: 0, wraps: undefined };
  let next = 0;
  const missing = new Map<Rule, boolean>();
  for (const [i, hit] of hits.entries()) {
    if (hit.at < next) continue;
    next = hit.at + 1;
    for (const rule of rulesOf(hit.literal)) {
      if (hit.at < (rejected.get(rule) ?? 0)) continue;
      if (rule.command !== undefined && (isCrowded(hits, i) || isMissing(text, rule, missing))) continue;
      const span = spanAt(text, hit.at, rule, rejected, runs);
      if (span === undefined) continue;
      spans.push(span);
      next = Math.max(span.end, next);
      break;
    }
  }
  return spans;
}

function allRules(): readonly Rule[] {
  all ??= [...RULES, ...issuers().map(prefixRule)];
  return all;
}

/** The program of the rule does not occur in the text. */
function isMissing(text: string, rule: Rule, missing: Map<Rule, boolean>): boolean {
  const known = missing.get(rule) ?? rule.command?.test(text) === false;
  missing.set(rule, known);
  return known;
}

/** A longer literal hides the shorter one it begins with, so it has the rules of both. */
function rulesOf(literal: string): readonly Rule[] {
  const known = rulesByLiteral.get(literal);
  if (known) return known;
  const rules = allRules().filter((rule) => rule.literals.some((own) => literal.startsWith(own)));
  rulesByLiteral.set(literal, rules);
  return rules;
}

/** `rejected`: the end of a rule's last match that was not a secret; it is not searched again from within. */
function spanAt(
  text: string,
  at: number,
  rule: Rule,
  rejected: Map<Rule, number>,
  runs: Runs,
): Span | undefined {
  const from = at - (rule.back ?? 0);
  if (from < 0 || (rule.wordStart === true && !beginsWord(text, from))) return undefined;
  rule.pattern.lastIndex = from;
  const match = rule.pattern.exec(text);
  if (match === null) return rule.back === undefined ? wrappedAt(text, from, rule, runs) : undefined;
  const kept = match[1]?.length ?? 0;
  const secret = match[0].slice(kept);
  if (new Set(secret.slice(-TAIL)).size < MIN_DIFFERENT && rule.judged === undefined) return undefined;
  if (rule.judged !== undefined && !passes(secret, rule.judged, match[1] ?? '')) {
    rejected.set(rule, from + match[0].length);
    return undefined;
  }
  const end = from + match[0].length;
  return { start: from + kept, end: wrapsOf(text, end)?.end ?? end, type: rule.type };
}

/** Ends of the runs of token characters, so that a long run is read once and not for each literal within it. */
interface Runs {
  end: number;
  wraps: Wraps | undefined;
}

/** A token that is cut by the end of a line matches once its pieces are joined. */
function wrappedAt(text: string, from: number, rule: Rule, runs: Runs): Span | undefined {
  if (from >= runs.end) {
    RUN.lastIndex = from;
    runs.end = RUN.test(text) ? RUN.lastIndex : from + 1;
    runs.wraps = wrapsOf(text, runs.end);
  }
  const { wraps } = runs;
  if (wraps === undefined || runs.end - from < MIN_RUN || runs.end - from > MAX_RUN) return undefined;
  rule.pattern.lastIndex = 0;
  const match = rule.pattern.exec(text.slice(from, runs.end) + wraps.text);
  if (match === null || match[0].length <= runs.end - from || match[1] !== undefined) return undefined;
  return { start: from, end: wraps.end, type: rule.type };
}

/** Also true after `\n` and `%22`, whose last letter or digit is not part of the word. */
function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !/[A-Za-z0-9]/.test(text.charAt(at - 1))) return true;
  return /(?:\\[nrt]|%[0-9A-Fa-f]{2})$/.test(text.slice(Math.max(0, at - 3), at));
}

function passes(value: string, kind: NonNullable<Rule['judged']>, before: string): boolean {
  switch (kind) {
    case 'password':
      return isSecretValue(value, 'password', 'env') && !/^(?:[A-Za-z]{1,5}|\d{1,5})$/.test(value);
    case 'token':
      // After a scheme or a quote it is text; otherwise it may be code.
      return isSecretValue(
        value.replace(/[,;)\]}]{1,4}$/, ''),
        'token',
        /["'`]$|[a-z] +$/i.test(before) ? 'quoted' : 'line',
      );
    case 'prefixed':
      return (isRandom(value) || variety(value) >= MIN_VARIETY) && !isSnakeCase(value);
    case 'shaped':
      return shapeOf(value) !== 'none';
    case 'basic':
      return isUserAndPassword(value);
    case 'cookie':
      return /(?:^|=)(?=[^;=]{0,64}\d)[^;]{6,}/.test(value) && !/[${}<>()]/.test(value);
  }
}

/** `test_maxpool_2d_with_strides`: mostly words. */
function isSnakeCase(value: string): boolean {
  const parts = value.split(/[_-]/);
  return (
    parts.length > 3 &&
    parts.every((part) => part.length < 15) &&
    parts.filter((part) => /^[a-z]{2,14}$/.test(part)).length >= parts.length * 0.75
  );
}

/** base64 of `user:password`. */
function isUserAndPassword(value: string): boolean {
  try {
    return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(atob(value));
  } catch {
    return false;
  }
}

/** A prefix must be followed by something that was drawn at random, because some prefixes also begin names. */
function prefixRule({ type, prefixes, body }: Issuer): Rule {
  const literal = prefixes.map((prefix) => prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?:${literal})${body.source}`, 'y');
  return { type, literals: prefixes, pattern, wordStart: true, judged: 'prefixed' };
}
