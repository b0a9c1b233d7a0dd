/** The numbers that decide whether two memories are the same, contradict each other, or are issue and fix. */

/**
 * Jaccard similarity of word sets (stems and names, no stop words). A value that is too low hides a memory inside another;
 * one that is too high only leaves two entries, which recall collapses. So all of these are rather high.
 */
export const SAME = {
  /** Titles this similar say the same, whatever the bodies are: one word in seven may differ. */
  title: 0.85,
  /** Titles less similar than this are about different things, whatever the bodies are. */
  titleAtLeast: 0.5,
  /** Between the two, title, body and files together must be this similar. */
  text: 0.65,
  /** Work is an event: a similar fix on another day is another fix, unless nearly every word is the same. */
  workText: 0.75,
  /** Titles with fewer words merge only if they are equal: one word is a subject, not a statement. */
  words: 2,
} as const;

/** Pairs of characters overlap: one changed character in ten changes two pairs of nine. */
export const CJK_FACTOR = 0.8;

export const CONTRADICTION = {
  /** One word of this many of the shorter title must be shared, as in the index (`src/database/_similar-titles.ts`). */
  sharedOf: 3,
  /** "We rotate tokens" and "we no longer rotate tokens": the shared part of the shorter title. */
  denied: 0.8,
  deniedLikeness: 0.5,
  deniedWords: 2,
  /** Pairs of characters that may be in one title only: "期为", "期改". */
  cjkSlack: 2,
  /** The share of what is said about a rejected thing that both titles say: "for sessions". */
  purpose: 0.5,
  /** The least number of other words, which must all be the same, when only a number differs. */
  changedNumber: 2,
  /** The same when only the object differs: "deploy to Fly", "deploy to Render". */
  changedObject: 1,
} as const;

export const RESOLUTION = {
  /** The share of the words of the title that the fix contains. */
  named: 0.75,
  /** The share with a file in common. */
  namedWithFile: 0.5,
  /** Fewer shared words are coincidence. */
  words: 2,
} as const;

/** The number of other turns an entry names; more would make its comment longer than its text. */
export const MOST_ALSO = 8;
