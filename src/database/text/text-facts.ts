/** Counts the tokens of a query in a text. Pure; runs for hundreds of rows per query. */

/** The tokens of a query in a row, including those the search left out. */
export interface TextFacts {
  /** Occurrences of each token, multiplied by the weight of the column. Tokens without occurrences are left out. */
  readonly counts: ReadonlyMap<string, number>;
  /** The number of all tokens. */
  readonly length: number;
}

const SPACE = 32;
const NEWLINE = 10;

/** Longer than any token. */
const LENGTHS = 128;

/** Returns a function that reads texts with tokens separated by spaces and columns by line breaks. */
export function factsReader(
  tokens: readonly string[],
  weights: readonly number[],
): (said: string) => TextFacts {
  const asked = new Set(tokens);
  // Tokens with another first character or length are skipped without copying them.
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
