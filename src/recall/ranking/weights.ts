/** All numbers that decide what is recalled, each with its reason. */
import type { MemoryKind, MemoryState } from '../../core/index.ts';
import type { MemoryWeights, TurnWeights } from '../../database/index.ts';
import type { BranchNow } from './signals.ts';

/** BM25 weights of title, body, facts, concepts, files, reason, date. A title is a summary; a path repeats folders. */
export const MEMORY_COLUMN_WEIGHTS: MemoryWeights = [2.5, 1, 1, 1.2, 0.8, 1, 0.5];

/** BM25 weights of prompt and answer: the prompt states the topic, the answer is long. */
export const TURN_COLUMN_WEIGHTS: TurnWeights = [1.5, 1];

/** Weights of heading and text of a section. */
export const SECTION_COLUMN_WEIGHTS: readonly number[] = [1.5, 1];

/** Candidates by words, before the other signals. At least 50: the best of a project may be number 40 in BM25. */
export const CANDIDATES = 80;

/** Candidates by meaning: beyond the nearest fifty, a memory without a shared word is unrelated. */
export const NEAREST = 50;

/** Candidates scored with state, kind and age, which do not lift an entry from further down. */
export const WEIGHED = 100;

/** Best hits compared with each other for duplicates. */
export const COLLAPSED = 40;

/** BM25 parameters. Entries are short, so both are lower than the usual 1.2 and 0.75 (bench/recall.ts: 3 to 6 points of R@5). */
export const TEXT = { saturation: 0.6, byLength: 0.15 } as const;

/**
 * Weight of a word in the entry one or two places before or after in the same session: neighbours tell the topic
 * (bench/recall.ts: 10 points of R@10).
 */
export const NEAR_WEIGHTS = [0.4, 0.2] as const;

/** Cosines of the local model are around 0.1 for unrelated texts and above 0.5 for the same topic. */
export const MEANING = {
  /** Weight beside the words, which alone lose little (bench/recall.ts). */
  weight: 0.7,
  /** From this cosine on it is evidence by itself, growing up to `sure`; never more than `most`, because similar is not same. */
  from: 0.45,
  sure: 0.8,
  most: 0.5,
  /** In a search a cosine of 0.2 is worth a line: short queries get no nearer, and the user judges. */
  shown: 0.6,
} as const;

/** Candidates for a search of sessions, which needs many entries per session. */
export const SESSION_CANDIDATES = 200;

/** Weights of the best, second and third entry: a session about a topic mentions it more than once. */
export const SESSION_SHARES = [1, 0.4, 0.2] as const;

/** A turn answers what was said before it; what follows tells half as much about its topic (`npm run bench:past-session`). */
export const TURN_AFTER = 0.5;

/** Sessions whose turns are raised by their neighbours; the turns of all others rank by themselves. */
export const TURN_SESSIONS = 10;

/** Turns listed below memories; more if there are no memories. */
export const TURNS_BELOW = { some: 3, none: 5 } as const;

/** Sections of files that agents load themselves, below memories, or if there are none. */
export const OWN_FILES_BELOW = { some: 3, none: 5 } as const;

/**
 * Weight of a session's complete text beside its best entries (bench/recall.ts: 2 points of R@1, the same from 0.2 to
 * 0.6). A long session contains every word somewhere, so its length counts against it, as in BM25.
 */
export const SESSION_WHOLE = { weight: 0.4, byLength: 0.5 } as const;

/** Two sessions or turns answer the same question if both match it about as well and by nearly the same words. */
export const SAME_QUESTION = {
  score: 0.6,
  words: 0.5,
  /** A session that is far ahead of all others but the first is about the same too (`npm run bench:past-session`). */
  alsoLeads: { most: 2, score: 0.4, ahead: 0.7 },
} as const;

/**
 * Whether a past session clearly leads for a prompt: what each sign adds to the log odds. Fitted on sessions of invented
 * projects (`npm run bench:past-session`); `bias` sets the rate of prompts that get one without need, about one in fifty.
 */
export const LEADING = {
  bias: -7,
  /** `words`: how much of the prompt it contains; `lead`: how far behind the next is; `mass`: how many telling words it has. */
  weights: { words: 2, lead: 4.4, mass: 2.8 },
  /** A lead over a handful of sessions says little: this many make it half of what it is over many. */
  fewSessions: 3,
  /** Turns of a session that count as one topic: longer sessions contain every word somewhere. */
  turns: 12,
  /** In a longer session, a turn is about the prompt if it has this share of the best turn's words. */
  matching: 0.5,
  /** The conclusion follows a little after the last turn that matches. */
  after: 2,
  /** A turn that changes a decision says it itself. */
  afterChange: 1,
} as const;

/** A decision of a turn was changed later if a memory with this share of the turn's matching words was replaced. */
export const CHANGED_LATER = { share: 0.75, memories: 20 } as const;

/**
 * A later turn of another session is about the same if what was said around both is alike (`like`, from 0 to 1), and it
 * matches the query: then it may have changed what was said before. `turns`: those looked at; `chars`: of each prompt and
 * answer. Chosen by `npm run bench:amended`.
 */
export const SAID_LATER = { like: 0.12, turns: 20, chars: 2000, memories: 20, titleTokens: 40 } as const;

/** In a search it is listed beside one of the `first` turns, if it has this share of its score. */
export const BESIDE = { first: 2, score: 0.3, compared: 30 } as const;

/** The end of a past session: two or three turns, of long ones the beginning and the end. */
export const PAST_SESSION = {
  budgetTokens: 300,
  promptTokens: 90,
  answerTokens: 150,
  topicTokens: 20,
  wordsNamed: 8,
} as const;

/** The rarest words of a prompt decide; more only cost time. */
export const MAX_QUERY_WORDS = 24;

export const COVERAGE = {
  /** Added rows without any of the words: with a handful of memories every word looks common. */
  pseudoRows: 200,
  /** Weight of a word that no memory contains: counts against all of them, but less than a known rare word counts for one. */
  unknownWord: 0.6,
  /** Power of a word's weight in evidence: two common words may be chance, one rare word hardly (bench/gate.ts). */
  rarityPower: 2,
  /** Relative weight of a word of every coding session (`fix`, `test`, `file`). */
  weakWord: 0.3,
  /** All parts of an identifier found, but not the identifier itself. */
  partsOnly: 0.85,
  /** Folders and extensions shared with another file: every file has them. */
  pathPartsOnly: 0.3,
  /** Word weight that must be covered completely; of the rest of a longer prompt only a share. */
  fullUpTo: 3,
  shareBeyond: 0.25,
  /** Least factor of the place in the BM25 order. */
  orderFloor: 0.7,
} as const;

/**
 * Cap for a single shared word, or for words of every coding session: no evidence, unless the query has no other strong
 * word or it is a name (an identifier, a path, an error code). Below every floor of injection.
 */
export const LONE_WORD_CAP = 0.3;

/** Below the floor nothing is returned. */
export const FLOOR = {
  /** Low, because the user searched and judges the result. */
  search: 0.12,
  /** A memory is injected if it is more likely relevant than not, by the gate's evidence. */
  prompt: 0.5,
} as const;

/**
 * The gate: what each sign adds to the log odds that a memory is relevant to a prompt. Fitted by `npm run bench:gate-fit`
 * on invented projects that the small model was not trained on; bench/README.md has the results. `bias` sets the rate of
 * false injections: about one in twenty prompts without a relevant memory.
 */
export const GATE = {
  models: {
    /** Without vectors. */
    byWords: { bias: -3.06, weights: { title: 4.65, aside: -0.73, length: 3.62, many: -0.4 } },
    /** `many` was not fitted: in recorded projects, all with many memories, more of them mislead than in invented ones. */
    withMeaning: {
      bias: -3.77,
      weights: { title: 2.62, lasting: 0.15, meaning: 5.19, aside: -0.77, length: 2.46, many: -0.4 },
    },
    /** For a memory that the small model has read with the prompt. */
    reading: {
      bias: 0.28,
      weights: { title: 1, meaning: 1.8, aside: -0.2, length: -0.52, read: 0.38 },
    },
  },
  /** Kinds that state a decision or a finding, not just work that was done or is to be done. */
  lasting: new Set<MemoryKind>(['decision', 'preference', 'dead_end', 'pattern', 'discovery']),
  /** Best hits checked: further down nothing was ever above the floor, and each costs a tenth of a millisecond. */
  checked: 30,
  /**
   * Memories of a project. Up to the few, what the small model reads decides; from the many on, words and meaning do, and
   * nothing is read: in three recorded projects they find more at fewer false injections (docs/research/gate.md).
   */
  size: { few: 60, many: 120 },
  /** Words of a long prompt; the rest is a pasted log. */
  longPrompt: 400,
  /** Weight of a search phrase's word relative to the title: there are many, and any may match by chance. */
  conceptShare: 0.3,
} as const;

/**
 * Memories that the small model reads with a prompt: few and short, because each takes tens of milliseconds. A slow machine
 * reads the first three or four in time. `words`: the weight of the score by words beside the nearness in meaning; `from`:
 * the least sum of both. `promptChars`: about as much of a prompt as the model sees, 48 word pieces.
 */
export const READING = { most: 6, words: 0.5, from: 0.05, chars: 320, promptChars: 200 } as const;

/** Most memories injected with a prompt; more are noise. */
export const PROMPT_LIMIT = { first: 3, later: 2 } as const;

/** Share of the best evidence that other memories need: much weaker ones only distract. */
export const PROMPT_NEAR_BEST = 0.75;

/** Resolved and superseded memories rank lower, but can still be found. */
export const STATE_FACTOR: Readonly<Record<MemoryState, number>> = {
  current: 1,
  open: 1,
  resolved: 0.75,
  superseded: 0.4,
};

/** Kinds that constrain the next step rank before work that was done. */
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

/** Memories of another project are rarely meant; personal ones often are. */
export const PROJECT_FACTOR = { own: 1, personal: 0.97, other: 0.7 } as const;

/** Memories of another branch: `unknown` may be merged into this tree or not, `unmerged` is not, but may be asked for. */
export const BRANCH_FACTOR: Readonly<Record<BranchNow, number>> = { here: 1, unknown: 0.95, unmerged: 0.88 };

/** Memories about changed files may be outdated, but most are not: this only decides between equal ones. */
export const STALE = { changed: 0.95, gone: 0.9 } as const;

/** Best hits whose files are checked on disk; no more are shown. */
export const LOOKED_AT = 20;

/** A memory that agents opened ranks higher, per session and in all: a little, because use leads to more use. */
export const OPENED = { each: 0.02, most: 0.05 } as const;

/** Old memories fade slowly, by at most the fading share; half of it after the half-life. */
export const RECENCY = { fadingShare: 0.15, halfLifeDays: 60 } as const;

/** Share of the gap to 1 that a file named in both query and memory closes. */
export const FILE_OVERLAP_BOOST = 0.35;

/** Share of common words from which two memories count as duplicates. */
export const DUPLICATE_OVERLAP = 0.7;

/** The brief: shares of its tokens by section. Tokens left by a section go to the next ones. */
export const BRIEF = {
  budgetTokens: 1500,
  /** The client cuts a hook's output at 10,000 UTF-16 units; the rest is room for its JSON. */
  maxUnits: 9500,
  share: {
    previous: 0.19,
    open: 0.18,
    rules: 0.25,
    deadEnds: 0.1,
    facts: 0.05,
    branches: 0.04,
    claims: 0.04,
    work: 0.04,
    earlier: 0.02,
  },
  most: {
    open: 6,
    nextSteps: 4,
    /** Work of the previous session. */
    done: 3,
    rules: 10,
    /** Rules for every project come first: a project with many rules must not push them out. */
    everywhere: 5,
    /** Repeated rules come first, but must leave room for decisions. */
    standingFirst: 4,
    deadEnds: 4,
    facts: 6,
    /** Their code is not here. */
    branches: 3,
    /** They are not confirmed: the agent may look them up. */
    claims: 4,
    /** With the previous one, ten. */
    earlier: 9,
    work: 6,
    topics: 2,
  },
  /** Tokens per entry, enough for what and why. */
  entryTokens: 55,
  /** Below this, a brief has a shorter introduction and shorter entries. */
  shortBelow: 250,
  requestTokens: 40,
  summaryTokens: 70,
  earlierTokens: 30,
  /** Columns of a terminal; a Chinese character takes two. */
  topicColumns: 60,
  /** Bonus for memories about files of the previous session. */
  overlapBonus: 0.5,
  /** A decision of another branch may not apply here. */
  branchMalus: { here: 0, unknown: 0.2, unmerged: 0.4 },
  /** A memory about changed files may not apply either. */
  staleMalus: 0.1,
  halfLifeDays: 30,
  /** Memories considered; older ones have been superseded or forgotten in practice. */
  candidates: 200,
} as const;

/**
 * The moments to search at, for memories that a brief does not list. `least`: with fewer the brief is as good as complete.
 * `commonShare`: a folder with more of them is the root of the code. Four words tell a topic. A brief with fewer
 * tokens than `leastBudget` needs them for rules.
 */
export const MOMENTS = {
  leastBudget: 800,
  least: 3,
  most: 6,
  words: 4,
  shortestWord: 4,
  commonShare: 0.7,
  deepest: 4,
} as const;

/** Limits of a resumed session, which gets only changes. */
export const RESUME = { budgetTokens: 500, most: 6, titleTokens: 30, candidates: 100 } as const;

/** Limits of a prompt's injection: complete entries, but no long texts. */
export const PROMPT = { budgetTokens: 700, entryTokens: 260, minWords: 3, minCjkChars: 6 } as const;

/**
 * Limits at the first read of a file. An agent reads many files, so all reads of a session share `sessionTokens`; a
 * compaction starts again. `floor`: a decision that names ten files is about the work, not about this file.
 */
export const READ = {
  sessionTokens: 600,
  most: 3,
  budgetTokens: 450,
  entryTokens: 200,
  /** Shorter entries lose what they are about. */
  leastTokens: 60,
  /** About what the introduction and the fence cost. */
  frameTokens: 60,
  floor: 0.3,
} as const;

/** Limits at an edit, which interrupts the work: few memories, and only those that constrain the change. */
export const EDIT = {
  most: 3,
  budgetTokens: 450,
  entryTokens: 200,
  leastTokens: 60,
  floor: 0,
  /** Memories considered per file name. */
  candidates: 100,
  /** The memory names the end of the path. */
  pathEnd: 0.9,
  /** The memory names only the file; another folder may have one too. */
  nameOnly: 0.7,
  /** A memory about four files is worth half of one about this file alone. */
  spread: 0.5,
  /** Dead ends come first, because they save the most work. */
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
  /** It may not apply to this tree. */
  otherBranch: 0.8,
  fadingShare: 0.2,
} as const;

/**
 * Stopping a known mistake. `candidates`: the newest dead ends, and the newest rules of each kind that forbid something; a
 * hook has 150 ms. `tokens`: the memory in the reason, as a line of a brief. `prompts`: an order may be followed by a
 * question and its answer. `talkChars`: of a prompt or an answer; the rest is a pasted text.
 */
export const STOP = {
  candidates: 200,
  tokens: 120,
  prompts: 3,
  talkChars: 8000,
} as const;
