/** Every number that decides whether two memories are one, at odds, or problem and fix; each with its reason. */

/**
 * Jaccard similarity of word sets (stems and names, no stop words). Too low loses a memory inside another, which cannot
 * be seen; too high only leaves two entries, which recall collapses. So all of these lean high.
 */
export const SAME = {
  /** Titles so alike say the same whatever stands below them: one word in seven may differ. */
  title: 0.85,
  /** Titles less alike than this are of two things, however much of the text agrees. */
  titleAtLeast: 0.5,
  /** Between the two the whole text has to agree: title, body and files. */
  text: 0.65,
  /** Work is an event: the same kind of fix on another day is another fix, unless nearly every word returns. */
  workText: 0.75,
  /** One word is a subject, not a statement. Titles this short merge only when they are equal. */
  words: 2,
} as const;

/** Pairs of characters overlap: one changed character in ten takes two pairs of nine with it. */
export const CJK_FACTOR = 0.8;

export const CONTRADICTION = {
  /** "We rotate tokens" and "we no longer rotate tokens": the denial speaks of nothing else than what it denies. */
  denied: 0.8,
  deniedLikeness: 0.5,
  deniedWords: 2,
  /** All words but the number agree, and there are at least this many of them. */
  changedNumber: 2,
  /** "Deploy to Fly", "deploy to Render": the object of the same verb in the same words. */
  changedObject: 1,
} as const;

export const RESOLUTION = {
  /** Words of the title that the fix speaks of: three in four. */
  named: 0.75,
  /** With a file in common half of them do. */
  namedWithFile: 0.5,
  /** Fewer shared words are chance. */
  words: 2,
} as const;

/** How many other turns an entry names; more would make its comment longer than its text. */
export const MOST_ALSO = 8;
