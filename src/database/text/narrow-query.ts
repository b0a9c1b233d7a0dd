/**
 * The words of a question → what full text is asked. Finding a row is quick, scoring it takes ten times as long, so a
 * question of words that many rows hold is narrowed to rows that hold several of them. Pure.
 */

/** A token and how many of the rows in question hold it. */
export interface Counted {
  readonly token: string;
  readonly count: number;
}

export interface Narrowed {
  /** Expressions whose rows are taken together. */
  readonly together: readonly string[];
  /** What is asked as well where those bring too little. */
  readonly otherwise?: string;
}

/** So many rows are scored without a second thought: some seven milliseconds. Most questions hold words of fewer. */
const SCORED_ROWS = 12_000;

/** Where the rare words stand in fewer rows than this, something better may hold the common ones alone. */
const ENOUGH_ROWS = 2000;

/** `tokens`: the rarest first. `column`: the one that sums up the rest. */
export function narrowed(tokens: readonly Counted[], rows: number, column: string): Narrowed {
  if (sum(tokens) <= SCORED_ROWS) return { together: [anyOf(tokens)] };
  const fits = tokens.findIndex((_, i) => sum(tokens.slice(0, i + 1)) > SCORED_ROWS);
  const rare = tokens.slice(0, fits);
  const common = tokens.slice(fits);
  // Both together score every row with a rare word as if all words had been asked for.
  const withRare = rare.length === 0 ? [] : [`(${anyOf(rare)}) AND (${anyOf(common)})`, anyOf(rare)];
  if (sum(rare) >= ENOUGH_ROWS) return { together: withRare };
  return { together: [...withRare, several(common, rows, column)], otherwise: rarestWithAny(common) };
}

/** Any of the tokens. */
export function anyOf(tokens: readonly Pick<Counted, 'token'>[]): string {
  return tokens.map(quoted).join(' OR ');
}

/** As many of the common words at once as make few rows; of a single one, the rows that have it where it counts most. */
function several(common: readonly Counted[], rows: number, column: string): string {
  const [rarest, ...others] = common;
  if (!rarest) return '';
  if (others.length === 0) return `${column} : ${quoted(rarest)}`;
  const together = [rarest];
  let expected = rarest.count;
  for (const other of others) {
    if (expected <= SCORED_ROWS) break;
    together.push(other);
    expected *= other.count / Math.max(1, rows);
  }
  return together.map(quoted).join(' AND ');
}

function rarestWithAny([rarest, ...others]: readonly Counted[]): string {
  if (!rarest) return '';
  return others.length === 0 ? quoted(rarest) : `${quoted(rarest)} AND (${anyOf(others)})`;
}

function sum(tokens: readonly Counted[]): number {
  return tokens.reduce((total, { count }) => total + count, 0);
}

function quoted({ token }: Pick<Counted, 'token'>): string {
  return `"${token.replaceAll('"', '""')}"`;
}
