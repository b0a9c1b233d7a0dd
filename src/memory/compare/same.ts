/** Decides whether two memories say the same. Symmetric, and independent of other memories. Pure. */
import { RULE_KINDS } from '../../core/index.ts';
import { likeness, shared, type Statement } from './statement.ts';
import { haveSameSubject } from './subject.ts';
import { CJK_FACTOR, SAME } from './thresholds.ts';

export function isSame(a: Statement, b: Statement): boolean {
  const belief = areRules(a, b);
  if (a.memory.kind !== b.memory.kind && !belief) return false;
  if (a.hash === b.hash) return true;
  if (a.words.size < SAME.words || b.words.size < SAME.words) return false;
  const factor = a.isCjk && b.isCjk ? CJK_FACTOR : 1;
  const title = likeness(a.words, b.words);
  if (title < SAME.titleAtLeast * factor || haveOtherFiles(a, b)) return false;
  if (!haveSameSubject(a.subject, b.subject) || a.stance.negative !== b.stance.negative) return false;
  if (nameOtherThing(a, b)) return false;
  if (belief && title >= SAME.title * factor) return true;
  return likeness(a.text, b.text) >= (belief ? SAME.text : SAME.workText) * factor;
}

/** Compares memories that two tools made of the same turn: half of the title's words are enough. */
export function isSameOfTurn(a: Statement, b: Statement): boolean {
  const belief = areRules(a, b);
  if (a.memory.kind !== b.memory.kind && !belief) return false;
  if (a.hash === b.hash) return true;
  if (!haveSameSubject(a.subject, b.subject) || a.stance.negative !== b.stance.negative) return false;
  return likeness(a.words, b.words) >= SAME.titleAtLeast;
}

/** Tells whether the titles differ in one name each: "Use Redis for the session store", "use Postgres for the …". */
function nameOtherThing(a: Statement, b: Statement): boolean {
  const [mine, theirs] = [onlyWord(a, b), onlyWord(b, a)];
  return mine !== undefined && theirs !== undefined && isName(a, mine) && isName(b, theirs);
}

function onlyWord({ words }: Statement, other: Statement): string | undefined {
  const [word, ...more] = [...words].filter((one) => !other.words.has(one));
  return more.length === 0 ? word : undefined;
}

/** Tells whether a word of a title is written with a capital, not as the first word. */
function isName({ memory: { title } }: Statement, word: string): boolean {
  const at = title.toLowerCase().indexOf(word);
  return at > 0 && /\p{Lu}/u.test(title.charAt(at));
}

/** Tells whether both name files and have none in common. */
function haveOtherFiles(a: Statement, b: Statement): boolean {
  return a.files.size > 0 && b.files.size > 0 && shared(a.files, b.files) === 0;
}

/** Distillers use the kinds of rules interchangeably for the same statement. */
function areRules(a: Statement, b: Statement): boolean {
  return RULE_KINDS.includes(a.memory.kind) && RULE_KINDS.includes(b.memory.kind);
}
