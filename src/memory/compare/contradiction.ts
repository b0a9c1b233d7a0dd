/**
 * Decides whether a later statement ends an earlier one, by explicit rules only: both must be about the same thing and the
 * same attribute. In doubt both stay current, because a superseded memory is hidden from most answers. Pure.
 */
import { evidenceOf, RULE_KINDS, USER_MAKER, type MemoryKind } from '../../core/index.ts';
import { mayEnd } from '../may-end.ts';
import type { Value } from './_numbers.ts';
import type { Phrase } from './_phrases.ts';
import { isFiller } from './_stance.ts';
import { likeness, shared, type Rejected, type Statement } from './statement.ts';
import { areEqual, areOtherThings, isNarrower } from './subject.ts';
import { CONTRADICTION } from './thresholds.ts';

/** Kinds that a removal or a revert ends, and kinds that report one. */
const ENDED: readonly MemoryKind[] = [...RULE_KINDS, 'feature', 'refactor'];
const ENDING: readonly MemoryKind[] = [...RULE_KINDS, 'feature', 'refactor', 'bugfix'];

/** Tells whether the later statement says that the earlier one is over. */
export function contradicts(earlier: Statement, later: Statement): boolean {
  if (!mayRelate(earlier, later)) return false;
  if (!areBeliefs(earlier, later)) {
    const isPossible = ENDED.includes(earlier.memory.kind) && ENDING.includes(later.memory.kind);
    return isPossible && rejects(later, earlier, (rejection) => rejection.ends);
  }
  return (
    rejects(later, earlier, () => true) ||
    assertsAgain(earlier, later) ||
    changesValue(earlier, later) ||
    isDenied(earlier, later) ||
    hasOtherObject(earlier, later)
  );
}

/** Tells whether it also has the right to: an agent's claim does not end a rule of the user. */
export function replaces(earlier: Statement, later: Statement): boolean {
  const { kind, title } = later.memory;
  const ending = { evidence: evidenceOf(later.memory), kind, text: title };
  return contradicts(earlier, later) && mayEnd(earlier.memory, ending);
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

/** "Use pnpm instead of npm for installs" after "npm for installs"; "Removed the cache" after "Added a cache". */
function rejects(later: Statement, earlier: Statement, counts: (rejection: Rejected) => boolean): boolean {
  return later.rejected.some((one) => counts(one) && isTakenBack(one, earlier, later));
}

/** "Use npm" after "use pnpm instead of npm": the purpose must be the same. */
function assertsAgain(earlier: Statement, later: Statement): boolean {
  return earlier.rejected.some((one) => isTakenBack(one, later, earlier));
}

/** Compares a thing that one statement rejects with another statement, which may uphold it. */
function isTakenBack(rejection: Rejected, upholding: Statement, rejecting: Statement): boolean {
  const { words: thing } = rejection;
  if (upholding.stance.negative) return false;
  const phrase = upholding.phrases.find(({ words }) => shared(thing, words) === thing.size);
  if (!phrase || areOtherThings(upholding.subject, rejecting.subject, thing)) return false;
  return (
    phrase.words.size === thing.size &&
    haveSamePurpose(rejection, upholding, rejecting) &&
    !isNarrower(rejecting.subject, upholding.subject)
  );
}

/** Tells whether two statements say the same beside the thing: "for sessions", "in the gateway". */
function haveSamePurpose(
  { words: thing, replaced }: Rejected,
  upholding: Statement,
  rejecting: Statement,
): boolean {
  const about = without(wordsOf(upholding.phrases), thing);
  const context = without(wordsOf(rejecting.phrases), thing);
  const [mine, theirs] = [purposeOf(upholding, thing), purposeOf(rejecting, thing)];
  const both = shared(about, context);
  if (mine.size > 0 && theirs.size > 0 && shared(mine, theirs) === 0) return false;

  const added = rejecting.phrases.filter(
    ({ words }) => shared(words, context) > 0 && shared(words, about) === 0,
  );
  const limits = added.filter(({ role }) => role !== 'other').length;
  // "Switched from npm to pnpm" names no purpose, so it applies to every use.
  if (both === 0) return limits === 0 && added.length <= 1;
  // "Sessions are stored in Postgres instead of Redis": the place is what replaces it.
  const isLimited = limits > (replaced && added.length === 1 ? 1 : 0);
  const isPart = mine.size > 0 && [...theirs].some((word) => !mine.has(word));
  return !isLimited && !isPart && both >= about.size * CONTRADICTION.purpose;
}

function purposeOf({ phrases }: Statement, thing: ReadonlySet<string>): ReadonlySet<string> {
  return without(wordsOf(phrases.filter(({ role }) => role === 'purpose')), thing);
}

function wordsOf(phrases: readonly Phrase[]): ReadonlySet<string> {
  return new Set(phrases.flatMap(({ words }) => [...words]).filter((word) => !isFiller(word)));
}

/** "Tokens live 30 minutes" after "tokens live 15 minutes"; "TTL 60 → 600 s" after "the TTL is 60 s". */
function changesValue(earlier: Statement, later: Statement): boolean {
  if (earlier.stance.negative !== later.stance.negative) return false;
  if (areOtherThings(earlier.subject, later.subject)) return false;
  const was = earlier.subject.values.filter(({ former }) => !former);
  const now = later.subject.values.filter(({ former }) => !former);
  const gone = was.filter((value) => !now.some((other) => areSame(value, other)));
  const fresh = now.filter((value) => !was.some((other) => areSame(value, other)));
  const isChange = gone.some((a) => fresh.some((b) => haveOneUnit(a, b)));
  if (!isChange) return false;

  const both = shared(earlier.about, later.about);
  const [less, more] = [without(earlier.about, later.about).size, without(later.about, earlier.about).size];
  const former = later.subject.values.filter((value) => value.former);
  if (former.some((value) => gone.some((other) => areSame(value, other))))
    return both > 0 && (less === 0 || more === 0) && !isNarrower(later.subject, earlier.subject);
  const slack = later.isCjk ? CONTRADICTION.cjkSlack : 0;
  const isEqual = Math.min(less, more) === 0 && Math.max(less, more) <= slack;
  const isSure =
    gone.length === fresh.length && [...gone, ...fresh].every(({ sure }) => sure) && former.length === 0;
  return isEqual && isSure && both >= CONTRADICTION.changedNumber && haveSameNames(earlier, later);
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
function isDenied(earlier: Statement, later: Statement): boolean {
  if (earlier.stance.negative === later.stance.negative) return false;
  if (earlier.rejected.length > 0 || later.rejected.length > 0) return false;
  if (areOtherThings(earlier.subject, later.subject)) return false;
  const both = shared(earlier.about, later.about);
  const shorter = Math.min(earlier.about.size, later.about.size);
  if (both < CONTRADICTION.deniedWords || both < shorter * CONTRADICTION.denied) return false;
  if (likeness(earlier.about, later.about) < CONTRADICTION.deniedLikeness) return false;
  const hasOtherValue = later.subject.values.some(
    (value) => !earlier.subject.values.some((other) => areSame(value, other)),
  );
  return !hasOtherValue && haveSameNames(earlier, later);
}

const LEAD =
  /(?:^|[^\p{L}])(?:use|uses|using|used|adopt|adopts|choose|chose|via|with|to|on|in|mit|auf|in|bei|avec|sur|dans|vers|con|en|com|em|с|на|в)\s+(?:the |a |an |der |die |das |le |la |el )?$|[用到在]\s*$/iu;
/** Something is deployed to one place and merged into one branch. */
const ONE_PLACE =
  /^(?:deploy|host|ship|publish|release|merge|store|deployen|déployer|desplegar|деплоить|部署)(?:ed|s|d)?(?![\p{L}])/iu;

/** "Deploy to Fly", "deploy to Render". */
function hasOtherObject(earlier: Statement, later: Statement): boolean {
  if (earlier.stance.negative || later.stance.negative) return false;
  const [from, ...gone] = without(earlier.words, later.words);
  const [to, ...fresh] = without(later.words, earlier.words);
  if (from === undefined || to === undefined || gone.length > 0 || fresh.length > 0) return false;
  if (/\d/.test(from + to) || earlier.words.size - 1 < CONTRADICTION.changedObject) return false;
  if (earlier.subject.scopes.size + later.subject.scopes.size > 0) return false;
  if (areOtherThings(earlier.subject, later.subject, new Set())) return false;
  if (!followsLead(earlier, from) || !followsLead(later, to)) return false;
  const isOne = earlier.words.size === 2 && ONE_PLACE.test(later.memory.title);
  return isOne || later.stance.changed;
}

function followsLead({ memory }: Statement, word: string): boolean {
  const title = memory.title.toLowerCase().replaceAll('`', '');
  const at = title.indexOf(word);
  return at > 0 && LEAD.test(title.slice(0, at));
}

function without(set: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...set].filter((word) => !other.has(word)));
}
