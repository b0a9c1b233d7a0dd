/**
 * Decides whether a later statement ends an earlier one, by explicit rules only: both must be about the same thing and the
 * same attribute. In doubt both stay current and are marked as possibly conflicting, because a superseded memory is hidden
 * from most answers. Pure.
 */
import { evidenceOf, RULE_KINDS, USER_MAKER, type MemoryKind } from '../../core/index.ts';
import { mayEnd } from '../may-end.ts';
import type { Value } from './_numbers.ts';
import type { Phrase } from './_phrases.ts';
import { isFiller } from './_stance.ts';
import { likeness, shared, type Rejected, type Statement } from './statement.ts';
import { areEqual, areOtherThings, isNarrower } from './subject.ts';
import { CONTRADICTION } from './thresholds.ts';

/** `ended`: the later one supersedes the earlier one; `doubt`: they may conflict. */
type Verdict = 'ended' | 'doubt' | undefined;

/** Kinds that a removal or a revert ends, and kinds that report one. */
const ENDED: readonly MemoryKind[] = [...RULE_KINDS, 'feature', 'refactor'];
const ENDING: readonly MemoryKind[] = [...RULE_KINDS, 'feature', 'refactor', 'bugfix'];

/** Tells whether the later statement says that the earlier one is over. */
export function contradicts(earlier: Statement, later: Statement): boolean {
  return verdictOn(earlier, later) === 'ended';
}

/** Tells whether it also has the right to: an agent's claim does not end a rule of the user. */
export function replaces(earlier: Statement, later: Statement): boolean {
  const { kind, title } = later.memory;
  const ending = { evidence: evidenceOf(later.memory), kind, text: title };
  return contradicts(earlier, later) && mayEnd(earlier.memory, ending);
}

/** Tells whether two statements that are both in force may conflict. */
export function mayConflict(earlier: Statement, later: Statement): boolean {
  return areBeliefs(earlier, later) && verdictOn(earlier, later) !== undefined;
}

function verdictOn(earlier: Statement, later: Statement): Verdict {
  if (!mayRelate(earlier, later)) return undefined;
  if (!areBeliefs(earlier, later)) {
    const isPossible = ENDED.includes(earlier.memory.kind) && ENDING.includes(later.memory.kind);
    return isPossible ? rejects(later, earlier, (rejection) => rejection.ends) : undefined;
  }
  return strongest([
    () => rejects(later, earlier, () => true),
    () => assertsAgain(earlier, later),
    () => changesValue(earlier, later),
    () => isDenied(earlier, later),
    () => hasOtherObject(earlier, later),
    () => saysOtherwise(earlier, later),
  ]);
}

/** The index finds only titles that share this part of their words: others would depend on what is compared by chance. */
function mayRelate({ words: a }: Statement, { words: b }: Statement): boolean {
  const both = shared(a, b);
  return both > 0 && both * CONTRADICTION.sharedOf >= Math.min(a.size, b.size);
}

function areBeliefs(a: Statement, b: Statement): boolean {
  return isBelief(a) && isBelief(b);
}

/** A statement of the user without a kind is stored as a discovery: "Cache TTL is 60 s". */
function isBelief({ memory: { kind, provenance } }: Statement): boolean {
  return RULE_KINDS.includes(kind) || (kind === 'discovery' && provenance.by === USER_MAKER);
}

function strongest(rules: readonly (() => Verdict)[]): Verdict {
  let found: Verdict;
  for (const rule of rules) {
    const verdict = rule();
    if (verdict === 'ended') return verdict;
    found ??= verdict;
  }
  return found;
}

/** "Use pnpm instead of npm for installs" after "npm for installs"; "Removed the cache" after "Added a cache". */
function rejects(later: Statement, earlier: Statement, counts: (rejection: Rejected) => boolean): Verdict {
  return strongest(later.rejected.filter(counts).map((one) => () => isTakenBack(one, earlier, later)));
}

/** "Use npm" after "use pnpm instead of npm": the purpose must be the same. */
function assertsAgain(earlier: Statement, later: Statement): Verdict {
  return strongest(earlier.rejected.map((one) => () => isTakenBack(one, later, earlier)));
}

/** Compares a thing that one statement rejects with another statement, which may uphold it. */
function isTakenBack(rejection: Rejected, upholding: Statement, rejecting: Statement): Verdict {
  const { words: thing } = rejection;
  if (upholding.stance.negative) return undefined;
  const phrase = upholding.phrases.find(({ words }) => shared(thing, words) === thing.size);
  if (!phrase || areOtherThings(upholding.subject, rejecting.subject, thing)) return undefined;
  const purpose = purposes(rejection, upholding, rejecting);
  if (purpose === 'other') return undefined;
  const isWhole = phrase.words.size === thing.size;
  const isSure = isWhole && purpose === 'same' && !isNarrower(rejecting.subject, upholding.subject);
  return isSure ? 'ended' : 'doubt';
}

/** Compares what two statements say beside the thing: "for sessions", "in the gateway". */
function purposes(
  { words: thing, replaced }: Rejected,
  upholding: Statement,
  rejecting: Statement,
): 'same' | 'other' | 'unknown' {
  const about = without(wordsOf(upholding.phrases), thing);
  const context = without(wordsOf(rejecting.phrases), thing);
  const [mine, theirs] = [purposeOf(upholding, thing), purposeOf(rejecting, thing)];
  const both = shared(about, context);
  if (mine.size > 0 && theirs.size > 0 && shared(mine, theirs) === 0) return 'other';

  const added = rejecting.phrases.filter(
    ({ words }) => shared(words, context) > 0 && shared(words, about) === 0,
  );
  const limits = added.filter(({ role }) => role !== 'other').length;
  // "Sessions are stored in Postgres instead of Redis": the place is what replaces it.
  const isLimited = limits > (replaced && added.length === 1 && both > 0 ? 1 : 0);
  if (both === 0) {
    // "Switched from npm to pnpm" names no purpose, so it applies to every use.
    if (limits === 0 && added.length <= 1) return 'same';
    return about.size === 0 ? 'unknown' : 'other';
  }
  const isPart = mine.size > 0 && [...theirs].some((word) => !mine.has(word));
  return isLimited || isPart || both < about.size * CONTRADICTION.purpose ? 'unknown' : 'same';
}

function purposeOf({ phrases }: Statement, thing: ReadonlySet<string>): ReadonlySet<string> {
  return without(wordsOf(phrases.filter(({ role }) => role === 'purpose')), thing);
}

function wordsOf(phrases: readonly Phrase[]): ReadonlySet<string> {
  return new Set(phrases.flatMap(({ words }) => [...words]).filter((word) => !isFiller(word)));
}

/** "Tokens live 30 minutes" after "tokens live 15 minutes"; "TTL 60 → 600 s" after "the TTL is 60 s". */
function changesValue(earlier: Statement, later: Statement): Verdict {
  if (earlier.stance.negative !== later.stance.negative) return undefined;
  if (areOtherThings(earlier.subject, later.subject)) return undefined;
  const was = earlier.subject.values.filter(({ former }) => !former);
  const now = later.subject.values.filter(({ former }) => !former);
  const gone = was.filter((value) => !now.some((other) => areSame(value, other)));
  const fresh = now.filter((value) => !was.some((other) => areSame(value, other)));
  const isChange = gone.some((a) => fresh.some((b) => haveOneUnit(a, b)));
  if (!isChange) return undefined;

  const both = shared(earlier.about, later.about);
  const [less, more] = [without(earlier.about, later.about).size, without(later.about, earlier.about).size];
  const former = later.subject.values.filter((value) => value.former);
  if (former.some((value) => gone.some((other) => areSame(value, other)))) {
    if (both === 0) return undefined;
    if ((less === 0 || more === 0) && !isNarrower(later.subject, earlier.subject)) return 'ended';
    return likeness(earlier.about, later.about) >= CONTRADICTION.doubtLikeness ? 'doubt' : undefined;
  }
  const slack = later.isCjk ? CONTRADICTION.cjkSlack : 0;
  const isEqual = Math.min(less, more) === 0 && Math.max(less, more) <= slack;
  const isSure =
    gone.length === fresh.length && [...gone, ...fresh].every(({ sure }) => sure) && former.length === 0;
  if (isEqual && isSure && both >= CONTRADICTION.changedNumber && haveSameNames(earlier, later))
    return 'ended';
  if (both === 0 || Math.min(less, more) > 0) return undefined;
  return likeness(earlier.about, later.about) >= CONTRADICTION.doubtLikeness ? 'doubt' : undefined;
}

function areSame(a: Value, b: Value): boolean {
  if (a.dimension === '' || b.dimension === '') return a.number === b.number || a.amount === b.amount;
  return a.amount === b.amount && a.dimension === b.dimension;
}

function haveOneUnit(a: Value, b: Value): boolean {
  return a.dimension === b.dimension || a.dimension === '' || b.dimension === '';
}

function haveSameNames(a: Statement, b: Statement): boolean {
  return areEqual(a.subject.names, b.subject.names) && areEqual(a.subject.scopes, b.subject.scopes);
}

/** "We no longer rotate refresh tokens" after "refresh tokens rotate on every use". */
function isDenied(earlier: Statement, later: Statement): Verdict {
  if (earlier.stance.negative === later.stance.negative) return undefined;
  if (earlier.rejected.length > 0 || later.rejected.length > 0) return undefined;
  if (areOtherThings(earlier.subject, later.subject)) return undefined;
  const both = shared(earlier.about, later.about);
  const shorter = Math.min(earlier.about.size, later.about.size);
  const alike = likeness(earlier.about, later.about);
  if (both < CONTRADICTION.deniedWords || both < shorter * CONTRADICTION.doubtDenied) return undefined;
  if (alike < CONTRADICTION.deniedLikeness) return undefined;
  const hasOtherValue = later.subject.values.some(
    (value) => !earlier.subject.values.some((other) => areSame(value, other)),
  );
  const isSure = both >= shorter * CONTRADICTION.denied && !hasOtherValue && haveSameNames(earlier, later);
  return isSure ? 'ended' : 'doubt';
}

const LEAD =
  /(?:^|[^\p{L}])(?:use|uses|using|used|adopt|adopts|choose|chose|via|with|to|on|in|mit|auf|in|bei|avec|sur|dans|vers|con|en|com|em|с|на|в)\s+(?:the |a |an |der |die |das |le |la |el )?$|[用到在]\s*$/iu;
/** Something is deployed to one place and merged into one branch. */
const ONE_PLACE =
  /^(?:deploy|host|ship|publish|release|merge|store|deployen|déployer|desplegar|деплоить|部署)(?:ed|s|d)?(?![\p{L}])/iu;

/** "Deploy to Fly", "deploy to Render". */
function hasOtherObject(earlier: Statement, later: Statement): Verdict {
  if (earlier.stance.negative || later.stance.negative) return undefined;
  const [from, ...gone] = without(earlier.words, later.words);
  const [to, ...fresh] = without(later.words, earlier.words);
  if (from === undefined || to === undefined || gone.length > 0 || fresh.length > 0) return undefined;
  if (/\d/.test(from + to) || earlier.words.size - 1 < CONTRADICTION.changedObject) return undefined;
  if (earlier.subject.scopes.size + later.subject.scopes.size > 0) return undefined;
  if (areOtherThings(earlier.subject, later.subject, new Set())) return undefined;
  if (!followsLead(earlier, from) || !followsLead(later, to)) return undefined;
  const isOne = earlier.words.size === 2 && ONE_PLACE.test(later.memory.title);
  return isOne || later.stance.changed ? 'ended' : 'doubt';
}

/** "Input delay follows ping: 1 frame below 60 ms" after "input delay is 2 frames": only a doubt. */
function saysOtherwise(earlier: Statement, later: Statement): Verdict {
  const [mine, theirs] = [headOf(earlier), headOf(later)];
  if (mine.length < CONTRADICTION.headWords || mine.join(' ') !== theirs.join(' ')) return undefined;
  if (!haveSameNames(earlier, later)) return undefined;
  const haveValues = earlier.subject.values.length > 0 && later.subject.values.length > 0;
  return haveValues ? 'doubt' : undefined;
}

function headOf({ phrases }: Statement): readonly string[] {
  return [...(phrases[0]?.words ?? [])].slice(0, CONTRADICTION.headWords);
}

function followsLead({ memory }: Statement, word: string): boolean {
  const title = memory.title.toLowerCase().replaceAll('`', '');
  const at = title.indexOf(word);
  return at > 0 && LEAD.test(title.slice(0, at));
}

function without(set: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...set].filter((word) => !other.has(word)));
}
