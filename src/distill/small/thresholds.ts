/** The probabilities from which an answer of the small model counts. Chosen on projects that it was not trained on. */
export const THRESHOLDS = {
  /** A sentence is chosen. */
  keep: 0.2,
  /** A task or an order for the moment that the user gives. */
  task: 0.9,
  /** A remark about a line of a file. */
  line: 0.9,
  /** A sentence that the rules find too, added to the model's probabilities: it is stated explicitly. */
  stated: { keep: 0.65, kind: 0.5 },
  /**
   * Reports of the user that the agent did not fix at once, and reports of the agent alone. In a turn that changed nothing it
   * describes much that is no problem: there the model must take a sentence for an issue, as it is `analysed`.
   */
  issue: { said: 0.5, found: 0.5, analysed: 0.7 },
  /** A finding of the agent stays open although the turn reports work; from `keep` on it is a memory of its own. */
  open: { issue: 0.65, keep: 0.6 },
  /** A memory of one sentence that the user said. */
  alone: 0.65,
  /** The best sentence of a memory that only the agent reports: of one sentence, of several. */
  reported: { alone: 0.6, several: 0.5 },
  /** A second memory of a turn: by the same speaker, a second rule of the user, by the other speaker. A weaker one becomes part of the first. */
  second: { same: 0.8, rule: 0.7, other: 0.5 },
  /** The agent's report of work: it fixes the issue of the same turn, or of the turn before. */
  fix: 0.15,
  /** Ends a memory: by a new memory, by a new open issue, by a sentence that became none. */
  end: { add: 0.3, issue: 0.9, only: 0.4 },
  /**
   * Added to the log odds that an end needs when `most` memories are compared with a turn, nothing up to `few`: for a memory
   * of the same session and of an earlier one, by what it is and by who ends it, and for one that is not named best.
   */
  crowd: {
    few: 12,
    most: 24,
    session: { issue: 1, user: 2, agent: 2, sentence: 2 },
    later: { issue: 2, user: 1, agent: 5, sentence: 5 },
    unnamed: 4,
  },
  /** Says the same about the same. */
  same: 0.85,
} as const;
