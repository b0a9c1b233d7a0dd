/** Applies the table of rules to a text: one search for all literals, then only the patterns that can match there. */
import { isSecretValue } from './_secret-value.ts';
import type { Span } from './_span.ts';
import { RULES, type Rule } from './rules.ts';

const LITERALS = [...new Set(RULES.flatMap((rule) => rule.literals))].sort((a, b) => b.length - a.length);
const ANY_LITERAL = new RegExp(LITERALS.map(escape).join('|'), 'g');
/** Filled on demand: a hook handles one event, and most texts contain no literal. */
const rulesByLiteral = new Map<string, readonly Rule[]>();
const MIN_DIFFERENT = 4; // `ghp_xxxxxxxx…` is a placeholder, not a token
const TAIL = 16;

export function knownFormatSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  const rejected = new Map<Rule, number>();
  ANY_LITERAL.lastIndex = 0;
  for (let hit = ANY_LITERAL.exec(text); hit !== null; hit = ANY_LITERAL.exec(text)) {
    ANY_LITERAL.lastIndex = hit.index + 1;
    for (const rule of rulesOf(hit[0])) {
      if (hit.index < (rejected.get(rule) ?? 0)) continue;
      const span = spanAt(text, hit.index, rule, rejected);
      if (span === undefined) continue;
      spans.push(span);
      ANY_LITERAL.lastIndex = Math.max(span.end, hit.index + 1);
      break;
    }
  }
  return spans;
}

/** A longer literal hides the shorter one it begins with, so it has the rules of both. */
function rulesOf(literal: string): readonly Rule[] {
  const known = rulesByLiteral.get(literal);
  if (known) return known;
  const rules = RULES.filter((rule) => rule.literals.some((own) => literal.startsWith(own)));
  rulesByLiteral.set(literal, rules);
  return rules;
}

/** `rejected`: the end of a rule's last match that was not a secret; it is not searched again from within. */
function spanAt(text: string, at: number, rule: Rule, rejected: Map<Rule, number>): Span | undefined {
  const from = at - (rule.back ?? 0);
  if (from < 0 || (rule.wordStart === true && !beginsWord(text, from))) return undefined;
  rule.pattern.lastIndex = from;
  const match = rule.pattern.exec(text);
  if (match === null) return undefined;
  const kept = match[1]?.length ?? 0;
  const secret = match[0].slice(kept);
  if (new Set(secret.slice(-TAIL)).size < MIN_DIFFERENT && rule.judged === undefined) return undefined;
  if (rule.judged !== undefined && !passes(secret, rule.judged, match[1] ?? '')) {
    rejected.set(rule, from + match[0].length);
    return undefined;
  }
  return { start: from + kept, end: from + match[0].length, type: rule.type };
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
    case 'basic':
      return isUserAndPassword(value);
    case 'cookie':
      return /(?:^|=)(?=[^;=]{0,64}\d)[^;]{6,}/.test(value) && !/[${}<>()]/.test(value);
  }
}

/** base64 of `user:password`. */
function isUserAndPassword(value: string): boolean {
  try {
    return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(atob(value));
  } catch {
    return false;
  }
}

function escape(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
