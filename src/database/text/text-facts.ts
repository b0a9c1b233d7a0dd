/** What a text holds of the tokens asked for. Pure, and read for hundreds of rows per question. */

/** What a row holds of the tokens asked for, pruned ones included. */
export interface TextFacts {
  /** How often each stands in it, a column's weight counting as often. Those it does not hold are left out. */
  readonly counts: ReadonlyMap<string, number>;
  /** Tokens in all. */
  readonly length: number;
}

const SPACE = 32;
const NEWLINE = 10;

/** Longer than any token. */
const LENGTHS = 128;

/** Reads texts: tokens separated by spaces, columns by line breaks. */
export function factsReader(
  tokens: readonly string[],
  weights: readonly number[],
): (said: string) => TextFacts {
  const asked = new Set(tokens);
  // Most tokens differ in their first character or their length: those are never cut out of the text.
  const shapes = new Set([...asked].map((token) => token.charCodeAt(0) * LENGTHS + token.length));
  return (said) => {
    const counts = new Map<string, number>();
    let [length, column, begin] = [0, 0, 0];
    for (let i = 0; i <= said.length; i++) {
      const code = i < said.length ? said.charCodeAt(i) : NEWLINE;
      if (code !== SPACE && code !== NEWLINE) continue;
      length++;
      if (shapes.has(said.charCodeAt(begin) * LENGTHS + i - begin)) {
        const token = said.slice(begin, i);
        if (asked.has(token)) counts.set(token, (counts.get(token) ?? 0) + (weights[column] ?? 1));
      }
      if (code === NEWLINE) column++;
      begin = i + 1;
    }
    return { counts, length };
  };
}
