/** Finds what a short prompt is about without naming it: the findings of the turn before. Pure. */
import type { Memory, StoredTurn } from '../../core/index.ts';
import type { DistillInput } from '../distiller.ts';
import { TROUBLE } from '../rules/talk.ts';
import { topicsOf, wordsOf } from '../rules/title.ts';
import type { Scored } from './_choose.ts';
import { LATER } from './_left.ts';

/** A longer prompt may be about something else. */
const GO_AHEAD_WORDS = 20;
/** A prompt with so many topic words, none of them said in the turn before, is about something else. */
const OWN_TOPICS = 3;

/** Returns the findings of the turn before if the user says "fix it" now: the agent's report of the fix ends them. */
export function foundBefore({ turn, previous, related }: DistillInput): readonly Memory[] {
  if (previous === undefined || turn.tools.length === 0) return []; // without a tool call nothing was fixed
  if (!isGoAhead(turn, previous) || LATER.test(previous.prompt)) return [];
  const found = related.filter(({ provenance }) => provenance.turn === previous.id);
  // A finding that led to nothing else is often the cause of the fault.
  const isCause = found.length === 1 && previous.tools.every(({ edited }) => edited.length === 0);
  return found.filter(({ kind }) => kind === 'issue' || (kind === 'discovery' && isCause));
}

/** Returns the open issues of the turn before: the user's "works again" ends them. */
export function issuesBefore({ previous, related }: DistillInput): readonly Memory[] {
  return related.filter(({ kind, provenance }) => kind === 'issue' && provenance.turn === previous?.id);
}

/** "Works again." */
export function saysItWorks({ unit: { who, text } }: Scored): boolean {
  return who === 'user' && WORKS.test(text) && !TROUBLE.test(text);
}

const WORKS =
  /^(?:(?:yes|ok(?:ay)?|great|thanks|thx|perfect|nice|cool|and)[,.! ]+)*(?:(?:it|that|this|everything|all of it|now it|the \w+) )?(?:works|worked|is fixed|fixed|solved|is back)(?=[\s,.!]*$|[,.!]| (?:again|now|fine|great|like)\b)|^(?:funcionou|funciona|funktioniert|geht|läuft|ça marche|funziona|заработал\p{L}*|работает|werkt)(?!\p{L})|^(?:直りました|動きました|好了|可以了|됩니다|돼요)/iu;

function isGoAhead({ prompt, origin }: StoredTurn, { prompt: asked, answer }: StoredTurn): boolean {
  if (origin !== 'person' || wordsOf(prompt).length > GO_AHEAD_WORDS || /\?\s*$/.test(prompt)) return false;
  const topics = [...topicsOf(prompt)];
  const known = topicsOf(`${asked}\n${answer}`);
  return topics.length < OWN_TOPICS || topics.some((word) => known.has(word));
}
