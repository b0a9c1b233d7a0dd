/** Finds the value of a name that is itself a value: `name: DB_PASSWORD` and `value: X`, in either order. */

const REACH = 320;
const BEFORE =
  /(?:\b(?:name|key|id|field|label|variable|param|parameter|header|option|setting|title|env|property|entry|secret|attribute|type)\w{0,6}\\{0,3}["']?\s{0,4}[:=]\s{0,8}\\{0,3}["']?|\b(?:add_argument|add_option|option|argument|flag)\(\s{0,4}["']|\b(?:variable|resource|output|secret|property|entry|add|setting|param|data)\s{1,4}\\{0,3}["'])$/i;
const VALUE =
  /(?:^|[\s,;{"'<(-])(?:\w{0,12}value|default|result|val|content|contents|plaintext|secretstring|current|text)\\{0,3}["']?\s{0,4}(?:=>|[:=>])\s{0,8}(\\{0,3}["'`])?/i;
const HAS_VALUE = /val|default|result|content|plaintext|secretstring|current|text/i; // far cheaper than the patterns
const ANOTHER =
  /\b(?:name|key|variable|resource|id)\w{0,6}\\{0,3}["']?\s{0,4}[:=]|[}\]]\s{0,4},?\s{0,8}[{[]|\n\s{0,8}\n/i;
const ELEMENT = /^\s{0,4}<\/[\w:]{1,20}>\s{0,40}<[\w:]{1,20}(?:\s[^>\n]{0,80})?>\s{0,4}/;
// `<property name="password">X</property>`
const INSIDE = /^["'](?:\s[^<>\n]{0,80})?>(?=[^<\n]{3,200}<\/)/;
const VALUE_FIRST =
  /(?:\w{0,12}value|val|content|default)\\{0,3}["']?\s{0,4}[:=]\s{0,8}(\\{0,3}["']?)([^"'\n,{}]{3,200})\1\s{0,4},?\s{0,40}[-{]?\s{0,4}\\{0,3}["']?(?:name|key|\w{0,12}key|variable|id)\\{0,3}["']?\s{0,4}[:=]\s{0,8}\\{0,3}["']?$/i;

export interface PairedRange {
  readonly start: number;
  readonly end: number;
  /** A quote opens right before `start`. */
  readonly isQuoted: boolean;
}

/** The name is `text.slice(start, end)`. */
export function pairedRange(text: string, start: number, end: number): PairedRange | undefined {
  const before = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(end, end + REACH);
  const element = before.endsWith('>') ? ELEMENT.exec(after) : null;
  if (element !== null) return upTo(text, end + element[0].length, /[<\n]/);
  if (!BEFORE.test(before.slice(-64))) return undefined;
  const inside = INSIDE.exec(after);
  if (inside !== null) return upTo(text, end + inside[0].length, /[<\n]/);
  const value = HAS_VALUE.test(after) ? VALUE.exec(after) : null;
  if (value !== null && !ANOTHER.test(after.slice(0, value.index + 1))) {
    const at = end + value.index + value[0].length;
    return value[1] === undefined ? upTo(text, at, /[\s<,;}]/) : { start: at, end: at, isQuoted: true };
  }
  const first = HAS_VALUE.test(before) ? VALUE_FIRST.exec(before) : null;
  if (first?.[2] === undefined) return undefined;
  const from = Math.max(0, start - REACH) + first.index + first[0].indexOf(first[2], first[0].search(/[:=]/));
  return { start: from, end: from + first[2].trimEnd().length, isQuoted: false };
}

function upTo(text: string, from: number, stop: RegExp): PairedRange | undefined {
  const rest = text.slice(from, from + REACH);
  const length = rest.search(stop);
  const end = from + (length < 0 ? rest.length : length);
  return end > from ? { start: from, end, isQuoted: false } : undefined;
}
