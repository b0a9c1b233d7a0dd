/** A secret that is recognised by its format, and two ways to write one. */

export interface Rule {
  readonly type: string;
  /** Plain texts, one of which must occur. */
  readonly literals: readonly string[];
  /** Matched at the start of the literal (minus `back`). Group 1, if any, stays; the rest is the secret. */
  readonly pattern: RegExp;
  /** Number of characters of the secret before the literal. */
  readonly back?: number;
  /** The text must contain this somewhere: the programs of a command, because the pattern looks far back for them. */
  readonly command?: RegExp;
  /** The literal is short or common: it counts only at the start of a word. */
  readonly wordStart?: true;
  /** The format alone does not distinguish a secret from a word or a reference: judge the value as this kind. */
  readonly judged?: 'password' | 'token' | 'basic' | 'cookie' | 'prefixed' | 'shaped';
}

export function rule(
  type: string,
  literals: readonly string[],
  pattern: RegExp,
  more: Pick<Rule, 'back' | 'judged' | 'command'> = {},
): Rule {
  return { type, literals, pattern, ...more };
}

/** A rule whose literal counts only at the start of a word. */
export function word(
  type: string,
  literals: readonly string[],
  pattern: RegExp,
  judged?: Rule['judged'],
): Rule {
  return { type, literals, pattern, wordStart: true, ...(judged === undefined ? {} : { judged }) };
}
