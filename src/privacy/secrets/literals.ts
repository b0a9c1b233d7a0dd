/** Finds the literals of several lists in one pass over a text, without a regular expression: fast however many there are. */

const BITS = 7; // of a character
const MASK = (1 << (3 * BITS)) - 1; // three characters
const ASCII = 1 << BITS;
const ANY = -1;
const OTHER = ASCII - 1; // stands for every character that is not ASCII

/** The text at `at` begins with `literal`. */
export interface Hit {
  readonly at: number;
  readonly literal: string;
}

export interface LiteralList {
  readonly literals: Iterable<string>;
  /** The literals are in lower case, the text in any. */
  readonly ignoreCase: boolean;
}

interface Candidate {
  readonly literal: string;
  readonly list: number;
  readonly ignoreCase: boolean;
  /** Its fourth character, which excludes most candidates at once. */
  readonly fourth: number;
}

interface Table {
  /** A bit for each beginning of three characters, in every case it may have. */
  readonly marked: Uint32Array;
  readonly candidates: ReadonlyMap<number, readonly Candidate[]>;
  /** By their first character, if it is not ASCII. */
  readonly others: ReadonlyMap<number, readonly Candidate[]>;
}

const CROWD = 16;
const CROWD_REACH = 200;

/** A place with so many hits is no text. Detectors that read far from a hit skip it, so that their time stays bounded. */
export function isCrowded(hits: readonly { readonly at: number }[], i: number, crowd = CROWD): boolean {
  const before = hits[i - crowd];
  return before !== undefined && (hits[i]?.at ?? 0) - before.at < CROWD_REACH;
}

/** Returns a function that finds all hits of each list, in order. Where literals of one list match, the longest counts. */
export function literalScanner(lists: readonly LiteralList[]): (text: string) => readonly (readonly Hit[])[] {
  const { marked, candidates, others } = tableOf(lists);
  return (text) => {
    const hits: Hit[][] = lists.map(() => []);
    const { length } = text;
    let key = 0;
    for (let end = 0; end < length; end++) {
      const code = text.charCodeAt(end);
      const bits = code < OTHER ? code : OTHER;
      key = ((key << BITS) | bits) & MASK;
      if (((marked[key >> 5] as number) & (1 << (key & 31))) !== 0)
        addFound(text, end - 2, candidates.get(key), hits);
      if (bits === OTHER) addFound(text, end, others.get(code), hits);
    }
    // A literal is found at its first or its third character.
    return hits.map(inOrder);
  };
}

function inOrder(hits: Hit[]): readonly Hit[] {
  for (let i = 1; i < hits.length; i++)
    if ((hits[i] as Hit).at < (hits[i - 1] as Hit).at) return hits.sort((a, b) => a.at - b.at);
  return hits;
}

function addFound(
  text: string,
  at: number,
  candidates: readonly Candidate[] | undefined,
  hits: readonly Hit[][],
): void {
  if (candidates === undefined || at < 0) return;
  const fourth = at + 3 < text.length ? text.charCodeAt(at + 3) : 0;
  const foldedFourth = folding(fourth);
  for (const { literal, list, ignoreCase, fourth: wanted } of candidates) {
    if (wanted !== ANY && wanted !== (ignoreCase ? foldedFourth : fourth)) continue;
    const isFound = ignoreCase
      ? text.slice(at, at + literal.length).toLowerCase() === literal
      : text.startsWith(literal, at);
    if (isFound && !(ignoreCase && isFull(hits[list], at))) add({ at, literal }, hits[list]);
  }
}

/** A crowd needs no more hits to be one. */
function isFull(hits: readonly Hit[] | undefined, at: number): boolean {
  const before = hits?.[hits.length - CROWD - 1];
  return before !== undefined && at - before.at < CROWD_REACH;
}

function add(hit: Hit, hits: Hit[] | undefined): void {
  if (hits !== undefined && hits[hits.length - 1]?.at !== hit.at) hits.push(hit);
}

function tableOf(lists: readonly LiteralList[]): Table {
  const marked = new Uint32Array((MASK + 1) >> 5);
  const candidates = new Map<number, Candidate[]>();
  const others = new Map<number, Candidate[]>();
  const put = (map: Map<number, Candidate[]>, key: number, candidate: Candidate): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [candidate]);
    else if (!known.some(({ literal, list }) => literal === candidate.literal && list === candidate.list))
      known.push(candidate);
  };
  for (const [list, { literals, ignoreCase }] of lists.entries()) {
    for (const literal of new Set(literals)) {
      const first = literal.charCodeAt(0);
      const candidate = { literal, list, ignoreCase, fourth: fourthOf(literal) };
      if (first >= OTHER) {
        put(others, first, candidate);
        put(others, literal.toUpperCase().charCodeAt(0), candidate);
        continue;
      }
      for (const key of keysOf(literal, ignoreCase)) {
        marked[key >> 5] = (marked[key >> 5] ?? 0) | (1 << (key & 31));
        put(candidates, key, candidate);
      }
    }
  }
  for (const known of [...candidates.values(), ...others.values()])
    known.sort((a, b) => b.literal.length - a.literal.length);
  return { marked, candidates, others };
}

/** The first three characters as numbers, in each case. After a literal of two characters any third may follow. */
function keysOf(literal: string, ignoreCase: boolean): ReadonlySet<number> {
  const bits = (i: number): readonly number[] => {
    const code = Math.min(literal.charCodeAt(i), OTHER);
    return ignoreCase && code >= 97 && code <= 122 ? [code, code - 32] : [code];
  };
  const third = literal.length > 2 ? bits(2) : Array.from({ length: ASCII }, (_, any) => any);
  const keys = bits(0).flatMap((a) =>
    bits(1).flatMap((b) => third.map((c) => (a << (2 * BITS)) | (b << BITS) | c)),
  );
  return new Set(keys);
}

/** Letters that are not ASCII have more than one form. */
function fourthOf(literal: string): number {
  const code = literal.length > 3 ? literal.charCodeAt(3) : ANY;
  return code < OTHER ? code : ANY;
}

/** Only ASCII letters are folded here. */
function folding(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
