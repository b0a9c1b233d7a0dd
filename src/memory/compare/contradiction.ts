/**
 * Decides whether a later statement contradicts an earlier one, by explicit rules only. In doubt both stay current,
 * because a superseded memory is hidden from most answers. Pure.
 */
import { BELIEFS } from './same.ts';
import { likeness, shared, type Statement } from './statement.ts';
import { CONTRADICTION } from './thresholds.ts';

export function contradicts(earlier: Statement, later: Statement): boolean {
  if (!BELIEFS.includes(earlier.memory.kind) || !BELIEFS.includes(later.memory.kind)) return false;
  return (
    rejects(later, earlier) ||
    assertsAgain(earlier, later) ||
    isDenied(earlier, later) ||
    hasOtherNumber(earlier, later) ||
    hasOtherObject(earlier, later)
  );
}

/** "Use pnpm instead of npm for installs" after "npm for installs". */
function rejects(later: Statement, earlier: Statement): boolean {
  return later.rejected.some((thing) => {
    if (!isUpheld(thing, earlier)) return false;
    const about = without(earlier.upheld, thing);
    if (about.size === 0 || shared(about, later.upheld) > 0) return true;
    // "Switched from npm to pnpm" names no purpose, so it applies to every use.
    return later.upheld.size <= 1 && isObject(thing, earlier);
  });
}

/** "Use npm" after "use pnpm instead of npm": the subject must be the same. */
function assertsAgain(earlier: Statement, later: Statement): boolean {
  return earlier.rejected.some((thing) => {
    if (!isUpheld(thing, later)) return false;
    const about = without(later.upheld, thing);
    return about.size === 0 || shared(about, earlier.upheld) > 0;
  });
}

/** "We no longer rotate refresh tokens" after "refresh tokens rotate on every use". */
function isDenied(earlier: Statement, later: Statement): boolean {
  if (earlier.stance.negative === later.stance.negative) return false;
  if (earlier.rejected.length > 0 || later.rejected.length > 0) return false;
  if (earlier.numbers !== later.numbers && later.numbers !== '') return false;
  const both = shared(earlier.upheld, later.upheld);
  const shorter = Math.min(earlier.upheld.size, later.upheld.size);
  if (both < CONTRADICTION.deniedWords || both < shorter * CONTRADICTION.denied) return false;
  return likeness(earlier.upheld, later.upheld) >= CONTRADICTION.deniedLikeness;
}

/** "Tokens live 15 minutes", "tokens live 30 minutes". */
function hasOtherNumber(earlier: Statement, later: Statement): boolean {
  const change = onlyChange(earlier, later);
  if (!change || !/\d/.test(change.from) || !/\d/.test(change.to)) return false;
  return change.both >= CONTRADICTION.changedNumber && earlier.stance.negative === later.stance.negative;
}

const LEAD = /\b(?:use|uses|using|used|adopt|adopts|choose|chose|via|with|to)\s+(?:the |a |an )?$/i;

/** "Deploy to Fly", "deploy to Render". */
function hasOtherObject(earlier: Statement, later: Statement): boolean {
  const change = onlyChange(earlier, later);
  if (!change || change.both < CONTRADICTION.changedObject) return false;
  if (earlier.stance.negative || later.stance.negative) return false;
  return followsLead(earlier, change.from) && followsLead(later, change.to);
}

/** Returns the word in which two titles differ, if there is only one. */
function onlyChange(
  earlier: Statement,
  later: Statement,
): { readonly from: string; readonly to: string; readonly both: number } | undefined {
  const from = [...without(earlier.words, later.words)];
  const to = [...without(later.words, earlier.words)];
  if (from.length !== 1 || to.length !== 1) return undefined;
  return { from: from[0] ?? '', to: to[0] ?? '', both: earlier.words.size - 1 };
}

function followsLead({ memory }: Statement, word: string): boolean {
  const at = memory.title.toLowerCase().replaceAll('`', '').indexOf(word);
  return at > 0 && LEAD.test(memory.title.replaceAll('`', '').slice(0, at));
}

function isUpheld(thing: ReadonlySet<string>, statement: Statement): boolean {
  if (statement.stance.negative) return false;
  return shared(thing, statement.upheld) === thing.size;
}

/** Tells whether it is the object: "install with npm", not "use npm scripts for builds". */
function isObject(thing: ReadonlySet<string>, { memory, upheld }: Statement): boolean {
  if (upheld.size <= thing.size + 1) return true;
  const [first = ''] = thing;
  const object = new RegExp(
    String.raw`\b(?:use|uses|using|with|via|through|by|run|adopt|choose)\s+(?:the )?\S*${first.replace(/\W/g, '.')}\S*(?=\s+(?:for|in|on|to|at|because|as|when|everywhere)\b|[,.;:()]|\s*$)`,
    'i',
  );
  return object.test(memory.title.replaceAll('`', ''));
}

function without(set: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...set].filter((word) => !other.has(word)));
}
