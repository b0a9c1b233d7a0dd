/**
 * Compares what a memory contains after some sessions with labels written by hand. Pure. A label and an entry match by the
 * turn they came from and by their words, never by exact text; each is matched once, the best pairs first.
 */
import type { MemoryKind, MemoryState } from '../src/core/index.ts';
import {
  isAmong,
  isDenial,
  labelWords,
  saysDone,
  saysOpen,
  wordForms,
  WordWeights,
  type LabelWord,
} from './label-words.ts';

export interface Label {
  readonly id: string;
  /** For example `s1.2`: the second turn of the first session. */
  readonly turn: string;
  /** The words of the turn that the label is based on. */
  readonly quote: string;
  readonly kind: MemoryKind;
  readonly title: string;
  readonly why?: string;
  /** After the last session. */
  readonly status: 'in-force' | 'open' | 'ended';
  /** The turn that ended it. */
  readonly until?: string;
  /** The label that replaced it. */
  readonly by?: string;
}

export interface LabelledEnd {
  /** Statements that are false. */
  readonly never: readonly string[];
}

/** A memory as it is after the last session. */
export interface Entry {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly state: MemoryState;
  readonly title: string;
  /** Body, reason and facts. */
  readonly text: string;
  /** The exact words of the turn that it is based on. */
  readonly quote?: string;
  /** The turns it came from, named as in labels. */
  readonly turns: readonly string[];
  readonly by?: string;
  readonly personal?: boolean;
}

export interface LabelledTurnText {
  readonly name: string;
  readonly text: string;
}

export interface ScoreInput {
  readonly labels: readonly Label[];
  readonly end: LabelledEnd;
  readonly entries: readonly Entry[];
  /** All turns in order, to know the neighbours of a turn and how common a word is. */
  readonly turns: readonly LabelledTurnText[];
}

export interface Match {
  readonly label: Label;
  readonly entry: Entry;
  readonly score: number;
  readonly kindRight: boolean;
  /** Share of the label's title words that are in the entry's title. */
  readonly titleShare: number;
}

export interface ProjectScore {
  /** Live entries matched with labels that are in force or open. */
  readonly matches: readonly Match[];
  readonly missed: readonly Label[];
  /** In-force labels without an entry of their own, but stated by an entry that matched another label. */
  readonly saidElsewhere: readonly Label[];
  readonly openRight: readonly Match[];
  /** Live entries that present an ended label as current. */
  readonly endedAsCurrent: readonly {
    readonly label: Label;
    readonly entry: Entry;
    readonly score: number;
  }[];
  readonly noise: readonly Entry[];
  /** Live entries without a label of their own that are about the matter of one. */
  readonly sameMatter: readonly Entry[];
  /** Open issues about something that a label says was fixed in the same turn. Part of the noise. */
  readonly fixedListedOpen: readonly { readonly label: Label; readonly entry: Entry }[];
  readonly falseStatements: readonly { readonly statement: string; readonly entry: Entry }[];
  readonly live: readonly Entry[];
  /** Every pair that was compared, best first: for checking the matching by hand. */
  readonly pairs: readonly Pair[];
}

export interface Pair {
  readonly label: Label;
  readonly entry: Entry;
  readonly score: number;
  /** Share of the label's title or quote that the entry contains. */
  readonly covered: number;
  /** Share of the label's title that is in the entry's title. */
  readonly inTitle: number;
  /** Distance of their turns. */
  readonly distance: number;
}

/**
 * Scores from which a label and an entry are the same, by the distance of their turns. Set with pairs that were judged by
 * hand (bench/README.md).
 */
const SAME_FROM = { turn: 0.38, neighbour: 0.46, elsewhere: 0.52 };
/** A short entry ("Use pg-boss then") is covered by many labels: it must also cover this much of one. */
const COVERED_FROM = { turn: 0.28, neighbour: 0.35, elsewhere: 0.35 };
/** An entry of the label's own turn is about the same matter from here on, for example its symptom or its test. */
const MATTER_FROM = 0.2;
/** An entry states another label too if it covers this much of the label's title. */
const SAID_FROM = 0.6;
const SAID_FAR_FROM = 0.8;
/** An entry that repeats a short quote must also contain this much of the label's title. */
const TITLE_FROM = 0.12;
const QUOTE_WORDS = 6;
/** How many words at the start of a title make the whole of it a denial: "No Redis in …", "Never use …". */
const DENIAL_WORDS = 3;
/** A title with fewer content words is in many labels by chance, and counts less. */
const FULL_TITLE_WORDS = 3;
const KIND_BONUS = 0.04;
/** Few things are open at a time, so two open issues with common words are probably the same. */
const OPEN_BONUS = 0.12;
/** Two that quote the same words of a turn are probably the same; alone it is not enough. */
const QUOTE_BONUS = 0.15;
const TITLE_PREFERENCE = 0.1;
const FALSE_FROM = 0.6;
const FALSE_TITLE_FROM = 0.5;
const CARRIES_FROM = 0.5;

const RULES: readonly MemoryKind[] = ['decision', 'preference', 'pattern'];
const WORK: readonly MemoryKind[] = ['bugfix', 'feature', 'refactor'];

export function isLive({ state }: Entry): boolean {
  return state === 'current' || state === 'open';
}

export function scoreProject({ labels, end, entries, turns }: ScoreInput): ProjectScore {
  const live = entries.filter(isLive);
  const compare = new Comparison(turns);
  const pairs = labels
    .flatMap((label) => live.map((entry) => compare.pair(label, entry)))
    .toSorted((a, b) => preference(b) - preference(a));
  const same = pairs.filter(
    (pair) =>
      isSame(pair) &&
      !isFixOf(pair) &&
      !compare.statesReplacement(
        pair,
        labels.find(({ id }) => id === pair.label.by),
      ),
  );
  // An entry is about the past or the present, whichever it matches best.
  const first = new Map<Entry, Pair>();
  for (const pair of same) if (!first.has(pair.entry)) first.set(pair.entry, pair);
  const isPast = (entry: Entry): boolean => first.get(entry)?.label.status === 'ended';

  const present = same.filter(({ label, entry }) => label.status !== 'ended' && !isPast(entry));
  const assigned = bestFirst(present.filter((pair) => !listsFixedAsOpen(pair)));
  const matches = assigned.map((pair) => matchOf(pair, present));
  const matched = new Set(matches.map(({ label }) => label));
  const endedAsCurrent = bestFirst(
    same.filter(({ label, entry }) => label.status === 'ended' && isPast(entry)),
  );

  const missed = labels.filter((label) => label.status !== 'ended' && !matched.has(label));
  const taken = new Set(matches.map(({ entry }) => entry));
  const matter = new Set(
    pairs
      .filter((pair) => pair.label.status !== 'ended' || isFixOf(pair))
      .filter((pair) => !isPast(pair.entry) && !listsFixedAsOpen(pair))
      .filter((pair) => isSame(pair) || isSameMatter(pair))
      .map(({ entry }) => entry),
  );
  const noise = live.filter((entry) => !taken.has(entry) && !matter.has(entry));
  const fixedListedOpen = bestFirst(
    present.filter((pair) => listsFixedAsOpen(pair) && noise.includes(pair.entry)),
  );
  return {
    matches,
    missed,
    saidElsewhere: missed.filter(
      (label) => label.status === 'in-force' && matches.some(({ entry }) => compare.says(entry, label)),
    ),
    openRight: matches.filter(({ label, entry }) => label.status === 'open' && isPresentedAsOpen(entry)),
    endedAsCurrent,
    noise,
    sameMatter: live.filter((entry) => !taken.has(entry) && matter.has(entry)),
    fixedListedOpen,
    falseStatements: live.flatMap((entry) =>
      end.never
        .filter((statement) => compare.states(entry, statement, noise.includes(entry) ? [] : labels))
        .map((statement) => ({ statement, entry })),
    ),
    live,
    pairs,
  };
}

/** Sums, in the words of the issue. `of` is what the count is a part of. */
export interface Measure {
  readonly count: number;
  readonly of: number;
}

export interface Total {
  readonly projects: number;
  readonly inForce: Measure;
  readonly saidElsewhere: Measure;
  readonly openRight: Measure;
  readonly endedAsCurrent: Measure;
  readonly noise: Measure;
  /** The part of the noise that presents something ended. */
  readonly noiseEnded: Measure;
  readonly fixedListedOpen: Measure;
  readonly kindRight: Measure;
  readonly titleCarries: Measure;
  readonly titleShare: number;
  readonly falseStatements: Measure;
}

export function total(
  scored: readonly { readonly input: ScoreInput; readonly score: ProjectScore }[],
): Total {
  const sum = (pick: (one: ProjectScore) => number): number =>
    scored.reduce((all, { score }) => all + pick(score), 0);
  const labels = (status: Label['status']): number =>
    scored.reduce(
      (all, { input }) => all + input.labels.filter((label) => label.status === status).length,
      0,
    );
  const matched = scored.flatMap(({ score }) => score.matches);
  const live = sum((score) => score.live.length);
  return {
    projects: scored.length,
    inForce: {
      count: matched.filter(({ label }) => label.status === 'in-force').length,
      of: labels('in-force'),
    },
    saidElsewhere: { count: sum((score) => score.saidElsewhere.length), of: labels('in-force') },
    openRight: { count: sum((score) => score.openRight.length), of: labels('open') },
    endedAsCurrent: { count: sum((score) => score.endedAsCurrent.length), of: labels('ended') },
    noise: { count: sum((score) => score.noise.length), of: live },
    noiseEnded: {
      count: sum(
        ({ noise, endedAsCurrent }) =>
          noise.filter((entry) => endedAsCurrent.some((ended) => ended.entry === entry)).length,
      ),
      of: live,
    },
    fixedListedOpen: { count: sum((score) => score.fixedListedOpen.length), of: live },
    kindRight: { count: matched.filter(({ kindRight }) => kindRight).length, of: matched.length },
    titleCarries: {
      count: matched.filter(({ titleShare }) => titleShare >= CARRIES_FROM).length,
      of: matched.length,
    },
    titleShare:
      matched.length === 0 ? 0 : matched.reduce((all, one) => all + one.titleShare, 0) / matched.length,
    falseStatements: {
      count: sum(({ falseStatements }) => new Set(falseStatements.map(({ statement }) => statement)).size),
      of: scored.reduce((all, { input }) => all + input.end.never.length, 0),
    },
  };
}

function isSame(pair: Pair): boolean {
  return margin(pair) >= 0 && pair.covered >= COVERED_FROM[nearness(pair)];
}

function isSameMatter({ distance, score, covered }: Pair): boolean {
  return distance === 0 && score >= MATTER_FROM && covered >= MATTER_FROM;
}

/** An entry that says how an issue was fixed, or that the ending turn itself made, does not present it as current. */
function isFixOf({ label, entry }: Pair): boolean {
  if (label.status !== 'ended') return false;
  return (label.kind === 'issue' && WORK.includes(entry.kind)) || entry.turns[0] === label.until;
}

/** How far a pair is above the score from which it is the same. Between equal words the nearer turn wins. */
function margin(pair: Pair): number {
  return pair.score - SAME_FROM[nearness(pair)];
}

/** Of two labels that an entry contains, the one in its title comes first. */
function preference(pair: Pair): number {
  return margin(pair) + pair.inTitle * TITLE_PREFERENCE;
}

function nearness({ distance }: Pair): keyof typeof SAME_FROM {
  if (distance === 0) return 'turn';
  return distance === 1 ? 'neighbour' : 'elsewhere';
}

function kindBonus(label: Label, entry: Entry): number {
  if (label.status === 'open' && entry.kind === 'issue' && entry.state === 'open') return OPEN_BONUS;
  return isOfKind(label, entry) ? KIND_BONUS : 0;
}

/** Decisions, preferences and patterns overlap. */
function isOfKind(label: Label, entry: Entry): boolean {
  return label.kind === entry.kind || (RULES.includes(label.kind) && RULES.includes(entry.kind));
}

/** Each label and each entry once, the best pairs first. */
function bestFirst(pairs: readonly Pair[]): readonly Pair[] {
  const taken = new Set<Label | Entry>();
  const chosen: Pair[] = [];
  for (const pair of pairs) {
    if (taken.has(pair.label) || taken.has(pair.entry)) continue;
    taken.add(pair.label).add(pair.entry);
    chosen.push(pair);
  }
  return chosen;
}

/** An open issue does not remember that something was fixed or built: it says the opposite. */
function listsFixedAsOpen({ label, entry }: Pair): boolean {
  return entry.kind === 'issue' && entry.state === 'open' && WORK.includes(label.kind);
}

function isPresentedAsOpen(entry: Entry): boolean {
  if (entry.kind === 'issue') return entry.state === 'open' || saysOpen(`${entry.title}\n${entry.text}`);
  return saysOpen(entry.title) || saysOpen(entry.text);
}

function matchOf({ label, entry, score }: Pair, same: readonly Pair[]): Match {
  return {
    label,
    entry,
    score,
    kindRight: isKindRight(label, entry, same),
    titleShare: titleShare(label.title, entry.title),
  };
}

/** A cause and its fix may be labelled twice: then an entry that states both may have the kind of either. */
function isKindRight(label: Label, entry: Entry, same: readonly Pair[]): boolean {
  if (isOfKind(label, entry)) return true;
  const causeAndFix: readonly MemoryKind[] = ['bugfix', 'discovery'];
  if (!causeAndFix.includes(label.kind) || !causeAndFix.includes(entry.kind)) return false;
  return same.some((pair) => pair.entry === entry && pair.label.kind === entry.kind);
}

/** Returns the share of the content words of the label's title that are in the entry's title. */
export function titleShare(wanted: string, title: string): number {
  const words = labelWords(wanted);
  const forms = wordForms(title);
  return words.length === 0 ? 0 : words.filter((word) => isAmong(word, forms)).length / words.length;
}

/** Numbers and identifiers: a statement about another one is another statement. */
function isName(word: LabelWord): boolean {
  return word.length > 1 || /\d/.test(word[0] ?? '');
}

interface LabelText {
  readonly title: readonly LabelWord[];
  readonly quote: readonly LabelWord[];
  readonly inQuote: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

interface EntryText {
  readonly title: readonly LabelWord[];
  readonly quote: readonly LabelWord[];
  readonly inQuote: ReadonlySet<string>;
  readonly inTitle: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

class Comparison {
  readonly #weights: WordWeights;
  readonly #order: ReadonlyMap<string, number>;
  readonly #labels = new Map<Label, LabelText>();
  readonly #entries = new Map<Entry, EntryText>();

  constructor(turns: readonly LabelledTurnText[]) {
    this.#weights = new WordWeights(turns.map(({ text }) => text));
    this.#order = new Map(turns.map(({ name }, i) => [name, i]));
  }

  pair(label: Label, entry: Entry): Pair {
    const distance = this.#distance(label, entry);
    return { label, entry, distance, ...this.#score(label, entry, distance) };
  }

  /** How well each covers the other: the label's title or quote by the entry, the entry's title by the label. */
  #score(label: Label, entry: Entry, distance: number): Pick<Pair, 'score' | 'covered' | 'inTitle'> {
    if (this.#contradicts(label, entry)) return { score: 0, covered: 0, inTitle: 0 };
    const of = this.#label(label);
    const given = this.#entry(entry);
    const titleIn = this.#weights.share(of.title, given.all);
    const inQuote = this.#weights.share(of.quote, given.all);
    // "Use what the db guy says" repeats the quote and says nothing of the label.
    const saysIt = titleIn >= TITLE_FROM || of.quote.length >= QUOTE_WORDS;
    const covered = saysIt ? Math.max(titleIn, inQuote) : titleIn;
    const full = Math.min(1, given.title.length / FULL_TITLE_WORDS);
    const covers = this.#weights.share(given.title, of.all) * full;
    const quoted = distance === 0 ? this.#quoted(of, given) * QUOTE_BONUS : 0;
    return {
      score: covered / 2 + covers / 2 + kindBonus(label, entry) + quoted,
      covered,
      inTitle: this.#weights.share(of.title, given.inTitle),
    };
  }

  /** How much the two quotes have in common, from 0 to 1. One may be a part of the other. */
  #quoted(of: LabelText, given: EntryText): number {
    if (given.quote.length === 0) return 0;
    return Math.max(
      this.#weights.share(of.quote, given.inQuote),
      this.#weights.share(given.quote, of.inQuote),
    );
  }

  /**
   * Whether an entry that looks like an ended label states what replaced it ("12 minutes, no longer 8"), or a part of it that
   * did not change. The words by which the two labels differ decide.
   */
  statesReplacement({ label, entry }: Pair, by: Label | undefined): boolean {
    if (label.status !== 'ended' || by === undefined) return false;
    const { inTitle } = this.#entry(entry);
    const ended = this.#label(label);
    const replaced = this.#label(by);
    const ofOld = ended.title.filter((word) => !isAmong(word, wordForms(by.title)));
    const ofNew = replaced.title.filter((word) => !isAmong(word, wordForms(label.title)));
    const share = this.#weights.share(ofNew, inTitle);
    const old = this.#weights.share(ofOld, inTitle);
    return (share > 0 && share >= old) || (ofOld.length > 0 && old === 0);
  }

  says(entry: Entry, label: Label): boolean {
    if (this.#contradicts(label, entry)) return false;
    const { title, quote } = this.#label(label);
    const { all } = this.#entry(entry);
    const distance = this.#distance(label, entry);
    const share = Math.max(this.#weights.share(title, all), this.#weights.share(quote, all));
    return share >= (distance <= 1 ? SAID_FROM : SAID_FAR_FROM);
  }

  /**
   * Whether an entry makes a false statement: it contains nearly all of its words, most of them in the title, denies it
   * neither more nor less, fits its kind or state, and no true label explains those words better.
   */
  states(entry: Entry, statement: string, labels: readonly Label[]): boolean {
    const { claim, fits, isDeadEnd = false } = claimOf(statement);
    if (!fits(entry)) return false;
    const words = labelWords(claim);
    const { all, inTitle } = this.#entry(entry);
    if (words.length === 0 || this.#found(words, all) < FALSE_FROM) return false;
    if (this.#found(words, inTitle) < FALSE_TITLE_FROM) return false;
    if (words.some((word) => isName(word) && !isAmong(word, inTitle))) return false;
    const denies = entry.kind === 'dead_end' ? !isDeadEnd : isDenial(entry.title);
    if (isDenial(claim) !== denies) return false;
    const entryTitle = labelWords(entry.title);
    const byStatement = this.#weights.share(entryTitle, wordForms(claim));
    return !labels.some(
      (label) =>
        label.status !== 'ended' &&
        !this.#contradicts(label, entry) &&
        this.#weights.share(entryTitle, this.#label(label).all) > byStatement &&
        isDenial(label.title) === isDenial(entry.title),
    );
  }

  /**
   * A label that forbids something is not remembered by an entry without any denial: "Use Redis". The user's own words may
   * have none ("floats for money give me nightmares").
   */
  #contradicts(label: Label, entry: Entry): boolean {
    if (!RULES.includes(label.kind) || !RULES.includes(entry.kind)) return false;
    const start = label.title.split(/\s+/).slice(0, DENIAL_WORDS).join(' ');
    if (!isDenial(start) || isDenial(`${entry.title}\n${entry.text}`)) return false;
    return this.#weights.share(this.#label(label).quote, this.#entry(entry).all) < SAID_FROM;
  }

  /** The share of words, counted or weighed, whichever is more. */
  #found(words: readonly LabelWord[], forms: ReadonlySet<string>): number {
    const count = words.filter((word) => isAmong(word, forms)).length;
    return Math.max(count / words.length, this.#weights.share(words, forms));
  }

  /** Turns between the label and the nearest turn of the entry. */
  #distance({ turn }: Label, { turns }: Entry): number {
    const at = this.#order.get(turn) ?? Number.NaN;
    const all = turns.map((name) => Math.abs((this.#order.get(name) ?? Number.NaN) - at));
    return Math.min(...all.filter((far) => !Number.isNaN(far)), Number.MAX_SAFE_INTEGER);
  }

  #label(label: Label): LabelText {
    const known = this.#labels.get(label);
    if (known) return known;
    const made = {
      title: labelWords(label.title),
      quote: labelWords(label.quote),
      inQuote: wordForms(label.quote),
      all: wordForms(`${label.title}\n${label.quote}\n${label.why ?? ''}`),
    };
    this.#labels.set(label, made);
    return made;
  }

  #entry(entry: Entry): EntryText {
    const known = this.#entries.get(entry);
    if (known) return known;
    const made = {
      title: labelWords(entry.title),
      quote: labelWords(entry.quote ?? ''),
      inQuote: wordForms(entry.quote ?? ''),
      inTitle: wordForms(entry.title),
      all: wordForms(`${entry.title}\n${entry.text}`),
    };
    this.#entries.set(entry, made);
    return made;
  }
}

interface Claim {
  readonly claim: string;
  /** Says that something is a dead end. Any other claim about a dead end is denied by it. */
  readonly isDeadEnd?: boolean;
  /** Whether the kind and state of an entry allow it to make this claim. */
  readonly fits: (entry: Entry) => boolean;
}

const DEAD_END =
  /^(?:dead end|sackgasse|impasse|callejón sin salida|beco sem saída|тупик|死路|行き止まり)\s*[:：]\s*/i;

const PREFIXES: readonly (readonly [RegExp, (entry: Entry) => boolean])[] = [
  [
    /^(?:open(?: issue)?|offen|ouvert|abierto|aberto|pendiente|открыто|未解决|未解決|未対応|オープン)\s*[:：]\s*/i,
    ({ kind, state }) => kind === 'issue' && state === 'open',
  ],
  [DEAD_END, ({ kind }) => kind === 'dead_end'],
  [/^(?:rule|regel|règle|regla|regra|правило|规则|ルール)\s*[:：]\s*/i, ({ kind }) => RULES.includes(kind)],
  [
    /^(?:decision|entscheidung|décision|decisión|decisão|решение|决定|決定)\s*[:：]\s*/i,
    ({ kind }) => RULES.includes(kind),
  ],
];

function claimOf(statement: string): Claim {
  const prefix = PREFIXES.find(([pattern]) => pattern.test(statement));
  if (prefix) {
    const isDeadEnd = prefix[0] === DEAD_END;
    return { claim: statement.replace(prefix[0], ''), fits: prefix[1], isDeadEnd };
  }
  const isOpenIssue = (entry: Entry): boolean => entry.kind === 'issue' && entry.state === 'open';
  if (saysDone(statement))
    return {
      claim: statement,
      fits: (entry) => !isOpenIssue(entry) && (entry.kind === 'bugfix' || saysDone(entry.title)),
    };
  if (saysOpen(statement))
    return { claim: statement, fits: (entry) => isOpenIssue(entry) || saysOpen(entry.title) };
  return { claim: statement, fits: () => true };
}
