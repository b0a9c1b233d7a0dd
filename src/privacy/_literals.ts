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
  /** Its fourth character, which excludes most candidates at once. */
  readonly fourth: number;
}

/** The lists with or without regard to case. */
interface Table {
  /** A bit for each beginning of three characters. */
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
  const exact = tableOf(lists, false);
  const folded = tableOf(lists, true);
  return (text) => {
    const hits: Hit[][] = lists.map(() => []);
    const { marked: isExact } = exact;
    const { marked: isFolded } = folded;
    const { length } = text;
    let key = 0;
    let foldedKey = 0;
    for (let end = 0; end < length; end++) {
      const code = text.charCodeAt(end);
      const bits = code < OTHER ? code : OTHER;
      key = ((key << BITS) | bits) & MASK;
      foldedKey = ((foldedKey << BITS) | (bits >= 65 && bits <= 90 ? bits + 32 : bits)) & MASK;
      if (((isExact[key >> 5] as number) & (1 << (key & 31))) !== 0)
        addExact(text, end - 2, exact.candidates.get(key), hits);
      if (((isFolded[foldedKey >> 5] as number) & (1 << (foldedKey & 31))) !== 0)
        addFolded(text, end - 2, folded.candidates.get(foldedKey), hits);
      if (bits === OTHER) addFolded(text, end, folded.others.get(code), hits);
    }
    // A literal is found at its first or its third character.
    return hits.map((own) => own.sort((a, b) => a.at - b.at));
  };
}

function addExact(
  text: string,
  at: number,
  candidates: readonly Candidate[] | undefined,
  hits: readonly Hit[][],
): void {
  if (candidates === undefined || at < 0) return;
  const fourth = at + 3 < text.length ? text.charCodeAt(at + 3) : 0;
  for (const candidate of candidates) {
    if (candidate.fourth !== ANY && candidate.fourth !== fourth) continue;
    const { literal, list } = candidate;
    if (text.startsWith(literal, at)) add({ at, literal }, hits[list]);
  }
}

function addFolded(
  text: string,
  at: number,
  candidates: readonly Candidate[] | undefined,
  hits: readonly Hit[][],
): void {
  if (candidates === undefined || at < 0) return;
  const fourth = at + 3 < text.length ? folding(text.charCodeAt(at + 3)) : 0;
  for (const candidate of candidates) {
    if (candidate.fourth !== ANY && candidate.fourth !== fourth) continue;
    const { literal, list } = candidate;
    if (text.slice(at, at + literal.length).toLowerCase() === literal) add({ at, literal }, hits[list]);
  }
}

function add(hit: Hit, hits: Hit[] | undefined): void {
  if (hits !== undefined && hits[hits.length - 1]?.at !== hit.at) hits.push(hit);
}

function tableOf(lists: readonly LiteralList[], ignoreCase: boolean): Table {
  const marked = new Uint32Array((MASK + 1) >> 5);
  const candidates = new Map<number, Candidate[]>();
  const others = new Map<number, Candidate[]>();
  const put = (map: Map<number, Candidate[]>, key: number, candidate: Candidate): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [candidate]);
    else if (!known.some(({ literal, list }) => literal === candidate.literal && list === candidate.list))
      known.push(candidate);
  };
  for (const [list, { literals, ignoreCase: isOwn }] of lists.entries()) {
    if (isOwn !== ignoreCase) continue;
    for (const literal of new Set(literals)) {
      const first = literal.charCodeAt(0);
      const candidate = { literal, list, fourth: fourthOf(literal) };
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

/** The first three characters as a number. After a literal of two characters any third may follow. */
function keysOf(literal: string, ignoreCase: boolean): ReadonlySet<number> {
  const bits = (i: number): number => {
    const code = Math.min(literal.charCodeAt(i), OTHER);
    return ignoreCase ? folding(code) : code;
  };
  const start = (bits(0) << (2 * BITS)) | (bits(1) << BITS);
  if (literal.length > 2) return new Set([start | bits(2)]);
  return new Set(Array.from({ length: ASCII }, (_, any) => start | any));
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
