/** Every number that decides what is recalled, each with its reason. Nothing else in recall holds a weight. */
import type { MemoryKind, MemoryState } from '../../core/index.ts';
import type { MemoryWeights, TurnWeights } from '../../database/index.ts';
import type { BranchNow } from './signals.ts';

/** BM25 per column: title, body, facts, concepts, files, reason, date. A title is a summary; a path is long and repeats folders. */
export const MEMORY_COLUMN_WEIGHTS: MemoryWeights = [2.5, 1, 1, 1.2, 0.8, 1, 0.5];

/** The prompt says what a turn was about; the answer is long and wanders. */
export const TURN_COLUMN_WEIGHTS: TurnWeights = [1.5, 1];

/** How deep candidates are taken before the finer signals speak (at least 50: what BM25 puts at 40 may be the best of the project, or stand beside it). */
export const CANDIDATES = 80;

/** How many by meaning: what is not among the nearest fifty and shares no word with the question is nothing like it. */
export const NEAREST = 50;

/** So many of the best by their words are looked at whole: state, kind and age move an entry, but not from further down. */
export const WEIGHED = 100;

/** So many of the best are compared with each other for saying the same. */
export const COLLAPSED = 40;

/**
 * How full text orders: how soon more of the same word stops to count, and how much a long entry is held against it.
 * Entries are short, so both are lower than BM25's usual 1.2 and 0.75 (bench/recall.ts: 3 to 6 points of R@5).
 */
export const TEXT = { saturation: 0.6, byLength: 0.15 } as const;

/**
 * What a word counts that stands in the entry one or two places before or after in the same session, beside one in the
 * entry itself: what was said around it tells what it is about (bench/recall.ts: 10 points of R@10).
 */
export const NEAR_WEIGHTS = [0.4, 0.2] as const;

/** Nearness in meaning: cosines of the local model lie around 0.1 for strangers and above 0.5 for what speaks of the same. */
export const MEANING = {
  /** Beside the words: they are the backbone, and alone they lose little (bench/recall.ts). */
  weight: 0.7,
  /** From this cosine on it is evidence by itself, growing up to `sure`; never more than `most`, for like is not same. */
  from: 0.45,
  sure: 0.8,
  most: 0.5,
  /** For a person who searches and judges for themselves, a cosine of 0.2 is worth a line: short questions come no nearer. */
  shown: 0.6,
} as const;

/**
 * How close to 1 a model's cosines lie, beside the default one's: gte-small puts half of all pairs of texts above 0.78 and
 * one in twenty above 0.85, where the default has 0.09 and 0.38 (20,000 pairs of bench/recall.ts). Times 4.2 the distances
 * from 1 are the same, so one set of numbers fits both. Models not named here are taken as they are.
 */
export const COSINE_SPREAD: Readonly<Record<string, number>> = { 'local:gte-small': 4.2 };

/** How deep entries and turns are taken for sessions: many of one session are needed, not one of many. */
export const SESSION_CANDIDATES = 200;

/** A session that speaks of something says it more than once: what its best, second and third entry count. */
export const SESSION_SHARES = [1, 0.4, 0.2] as const;

/** Turns listed below memories: a hint that more was said; where nothing is remembered, they are the answer. */
export const TURNS_BELOW = { some: 3, none: 5 } as const;

/**
 * What a session says as a whole, beside its best entries and turns (bench/recall.ts: 2 points of R@1, on a plateau from
 * 0.2 to 0.6). A long session holds every word of a question somewhere, so its length counts against it, as in BM25.
 */
export const SESSION_WHOLE = { weight: 0.4, byLength: 0.5 } as const;

/** A prompt's rarest words decide; the rest of a long one only costs time. */
export const MAX_QUERY_WORDS = 24;

export const COVERAGE = {
  /** A handful of memories makes every word look common; as if there were this many more without any of the words. */
  pseudoRows: 200,
  /** Weight of a word that no memory holds: it speaks against all of them, but less than a known rare word speaks for one. */
  unknownWord: 0.6,
  /**
   * Evidence counts a word by this power of its weight: in a project that always speaks of the same things, two common
   * words in common are chance, one rare word hardly (bench/gate.ts).
   */
  rarityPower: 2,
  /** Weight of a word found in every coding session (`fix`, `test`, `file`), relative to one that is not. */
  weakWord: 0.3,
  /** All parts of an identifier found, but not the identifier itself. */
  partsOnly: 0.85,
  /** Folders and endings shared with another file: every file has them. */
  pathPartsOnly: 0.3,
  /** Up to this much word weight must be covered in full; of what a longer prompt says beyond it, only a share. */
  fullUpTo: 3,
  shareBeyond: 0.25,
  /** Least share of the text score that the place in the BM25 order cannot take away. */
  orderFloor: 0.7,
} as const;

/**
 * One shared word is no evidence, nor are words of every coding session, unless the query has no other telling word or
 * the one is a name (an identifier, a path, an error code). The score then stays below every floor of injection.
 */
export const LONE_WORD_CAP = 0.3;

/** Below the floor nothing is returned. */
export const FLOOR = {
  /** A person searched and will judge for themselves. */
  search: 0.12,
  /** A prompt gets what more likely belongs to it than not, by the gate's own measure. */
  prompt: 0.5,
} as const;

/**
 * The gate: signs that a memory belongs to a prompt, and what each adds to the logarithm of the odds. Fitted by
 * `npm run bench:gate-fit` on the 865 prompts of the development parts and on 687 more of sessions that may not be kept here,
 * rounded; bench/README.md tells how well a fit does on what it has not seen. `bias` sets the floor: there about one in
 * twenty prompts without a relevant memory gets one, of what rules made one in thirty.
 */
export const GATE = {
  /** Of what a model or a person wrote down: a title that says it, and phrases to come upon it by. */
  told: {
    /** Without vectors. */
    byWords: {
      bias: -3.1,
      weights: {
        title: 7.55,
        names: 0.5,
        file: 0.3,
        holds: 0.15,
        session: 0.2,
        meaning: 0,
        aside: -0.95,
        length: 2.1,
      },
    },
    /** With them names, files and the rest of the session say nothing more. Fitted for gte-small, weights do no better with it than these. */
    withMeaning: {
      bias: -3.45,
      weights: {
        title: 5.4,
        names: 0,
        file: 0,
        holds: 0.15,
        session: 0,
        meaning: 4.85,
        aside: -0.65,
        length: 1.45,
      },
    },
  },
  /** Of what was distilled by rules: sentences out of prompts and answers. */
  byRules: {
    byWords: {
      bias: -2.9,
      weights: {
        title: 8.05,
        names: 0.8,
        file: 0.6,
        holds: 0.2,
        session: 0.7,
        meaning: 0,
        aside: -1.25,
        length: 1.2,
      },
    },
    withMeaning: {
      bias: -3.1,
      weights: {
        title: 5.95,
        names: 0.4,
        file: 0,
        holds: 0.25,
        session: 0.45,
        meaning: 4.5,
        aside: -0.95,
        length: 0.65,
      },
    },
  },
  /** What was settled or found out; the rest was merely done, or is to be. */
  holds: new Set<MemoryKind>(['decision', 'preference', 'dead_end', 'pattern', 'discovery']),
  /** So much of another title says that the session was about it; what goes beyond speaks for that other entry alone. */
  beside: 0.15,
  /** So many of the surest are looked at: further down nothing was ever above the floor, and each costs a tenth of a millisecond. */
  looked: 30,
  /** From so many words on a prompt is long: what goes beyond is a pasted log. */
  longPrompt: 400,
  /** A word of the concepts counts so much of one in the title: there are many more of them, and any may be said by chance. */
  conceptShare: 0.3,
  /** A name in the text counts half of one in the title. */
  nameInText: 0.5,
  /** Of a long text the beginning. */
  chars: 4000,
} as const;

/** How many a prompt gets at most: what is not among the strongest few is noise. */
export const PROMPT_LIMIT = { first: 3, later: 2 } as const;

/** Once the best is above the floor, others come with it that reach this share of its score: a much weaker one only dilutes. */
export const PROMPT_NEAR_BEST = 0.75;

/** What no longer holds sinks, but can still be found by who asks for it. */
export const STATE_FACTOR: Readonly<Record<MemoryState, number>> = {
  current: 1,
  open: 1,
  resolved: 0.75,
  superseded: 0.4,
};

/** What binds the next step comes before what merely happened. */
export const KIND_FACTOR: Readonly<Record<MemoryKind, number>> = {
  decision: 1,
  preference: 1,
  dead_end: 1,
  issue: 0.98,
  bugfix: 0.97,
  pattern: 0.97,
  discovery: 0.95,
  feature: 0.93,
  refactor: 0.9,
};

/** Knowledge of another project is rarely what was meant; the user's own always may be. */
export const PROJECT_FACTOR = { own: 1, personal: 0.97, other: 0.7 } as const;

/** Work of another branch: `unknown` may be in this tree or not, `unmerged` is not, but may be what somebody asks about. */
export const BRANCH_FACTOR: Readonly<Record<BranchNow, number>> = { here: 1, unknown: 0.95, unmerged: 0.88 };

/**
 * What was said of files that are not as they were may not hold any more; most of it does (a file changes for many
 * reasons), so among equals the one that was not touched comes first, and that is all.
 */
export const STALE = { changed: 0.95, gone: 0.9 } as const;

/** So many of the best are looked up on disk: more are not shown, and each costs a look at its files. */
export const LOOKED_AT = 20;

/**
 * What was of use before: of those shown, about one in four is opened or echoed (`expected`; the first few showings say
 * little, hence a prior of four). Never more than five in a hundred either way: use breeds use, and must not decide.
 */
export const USE = { expected: 0.25, prior: 4, slope: 0.2, least: 0.95, most: 1.05 } as const;

/**
 * An echo: at least three telling words of a memory, or a quarter of them (of no more than twenty: an answer does not
 * repeat a chapter). A word in more than two in a hundred memories, or in more than a handful, tells nothing.
 */
export const ECHO = { least: 3, share: 0.25, counted: 20, commonFrom: 5, commonShare: 0.02 } as const;

/** "In March" is often said of what was written down in April: a named time sinks the rest, and leaves nothing out. */
export const OTHER_TIME = { factor: 0.5, toldLater: 0.9, toldWithinDays: 7 } as const;

/** Old knowledge fades slowly and never to nothing: half of the fading share is gone after the half-life. */
export const RECENCY = { fadingShare: 0.15, halfLifeDays: 60 } as const;

/** A file named in the query that the memory speaks of closes this share of the gap to 1. */
export const FILE_OVERLAP_BOOST = 0.35;

/** Share of common words from which two memories say the same. */
export const DUPLICATE_OVERLAP = 0.7;

/** The brief: how its tokens are shared out, in its order. What a section leaves goes to those after it. */
export const BRIEF = {
  budgetTokens: 1500,
  /** The client cuts a hook's output at 10,000 UTF-16 units; the rest is room for its JSON. */
  maxUnits: 9500,
  share: { previous: 0.22, open: 0.2, standing: 0.25, deadEnds: 0.1, earlier: 0.13 },
  most: {
    open: 6,
    nextSteps: 4,
    standing: 8,
    /** What was said again and again comes first, but decisions must come too. */
    standingFirst: 4,
    deadEnds: 4,
    /** With the previous one, ten. */
    earlier: 9,
    recent: 15,
    topics: 2,
  },
  /** Tokens of one entry: enough for what and why. */
  entryTokens: 55,
  summaryTokens: 70,
  earlierTokens: 30,
  /** Columns of a terminal; a Chinese character takes two. */
  topicColumns: 60,
  /** Standing knowledge about files that were just worked on comes before newer knowledge about others by this much. */
  overlapBonus: 0.5,
  /** What was decided on another branch may not hold here; on an unmerged one it hardly does. */
  branchMalus: { here: 0, unknown: 0.2, unmerged: 0.4 },
  /** What its files have left behind may not hold either. */
  staleMalus: 0.1,
  halfLifeDays: 30,
  /** Standing entries looked at; older ones than these many have been superseded or forgotten in practice. */
  candidates: 200,
} as const;

/** What a prompt may get: whole entries, but not a chapter. */
export const PROMPT = { budgetTokens: 700, entryTokens: 260, minWords: 3, minCjkChars: 6 } as const;

/** What a file that is about to be changed may bring: it interrupts the work, so little, and only what binds. */
export const EDIT = {
  most: 3,
  budgetTokens: 450,
  entryTokens: 200,
  /** Memories of the same file name looked at. */
  candidates: 100,
  /** The path is right as far as it is told. */
  pathEnd: 0.9,
  /** Only the name was said; another folder may have one too. */
  nameOnly: 0.7,
  /** A memory of four files is worth half of one that speaks of this file alone. */
  spread: 0.5,
  /** What failed here before comes first: nothing else saves so much work. */
  kind: {
    dead_end: 1,
    decision: 0.95,
    issue: 0.85,
    preference: 0.8,
    pattern: 0.75,
    bugfix: 0,
    feature: 0,
    refactor: 0,
    discovery: 0,
  } satisfies Readonly<Record<MemoryKind, number>>,
  /** It may not hold in this tree. */
  otherBranch: 0.8,
  fadingShare: 0.2,
} as const;
