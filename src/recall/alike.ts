/** Compares short texts word by word, so that a brief says nothing twice. Pure. */

/** Share of a text's words that another one must contain to say the same. */
const SAME_SHARE = 0.9;
/** Less for two texts about one matter: a summary words it in another way. */
const ALIKE_SHARE = 0.7;
const MIN_WORDS = 2;

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}_]+/gu;
const EMPTY_WORDS = new Set(
  'a an the of to in on at for and or is are was were be been it its this that we i you with by as from now so has have had will does do did can'.split(
    ' ',
  ),
);
/** A text that has one of these and another that has none do not say the same. */
const OPPOSITE =
  /\b(?:no|not|never|none|without|don't|doesn't|isn't|can't|stop|nicht|kein\w*|nie|pas|jamais|nunca)\b/i;

/** A text prepared for comparing, because one text may be compared with hundreds. */
export interface Compared {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly isOpposite: boolean;
}

export function compared(text: string): Compared {
  return { text, words: wordsOf(text), isOpposite: OPPOSITE.test(text) };
}

/** Whether two texts are about one matter: `Delete old checkpoints` / `Old checkpoints must be deleted after 30 days` */
export function isAlike(a: Compared, b: Compared): boolean {
  return saysShare(a, b, ALIKE_SHARE) || saysShare(b, a, ALIKE_SHARE);
}

/** Whether a text says all that another one says. */
export function says(text: string, other: string): boolean {
  return saysShare(compared(text), compared(other), SAME_SHARE);
}

function saysShare(known: Compared, asked: Compared, share: number): boolean {
  const { size } = asked.words;
  if (size === 0) return true;
  if (known.isOpposite !== asked.isOpposite) return false;
  if (size < MIN_WORDS) return contains(known.text, asked.text);
  const missing = [...asked.words].filter((word) => !known.words.has(word));
  return missing.length <= size * (1 - share) && !missing.some((word) => /\d/.test(word));
}

/** Whether a text contains another, apart from case and punctuation. */
export function contains(text: string, other: string): boolean {
  const bare = (value: string): string => ` ${(value.toLowerCase().match(WORD) ?? []).join(' ')} `;
  return bare(text).includes(bare(other));
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(WORD) ?? [];
  return new Set(
    words.filter((word) => !EMPTY_WORDS.has(word)).map((word) => word.replace(/(?<=.{3})s$/, '')),
  );
}
