/** Finds the memories that a turn ends explicitly: by rejecting the work before it, or by naming what is gone or done. Pure. */
import {
  type Evidence,
  evidenceOf,
  type Memory,
  type MemoryKind,
  type StoredTurn,
  WORK_KINDS,
} from '../../core/index.ts';
import { mayEnd } from '../../memory/index.ts';
import { ownSentences } from './said.ts';
import { HEDGE, TROUBLE } from './talk.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import { topicsOf } from './title.ts';

const MAY_GO: readonly MemoryKind[] = [...WORK_KINDS, 'decision', 'pattern'];

/** Returns a check for the memories that the turn ends; nothing if it ends none. */
export function endingsOf(
  turn: StoredTurn,
  previous: StoredTurn | undefined,
): ((memory: Memory) => boolean) | undefined {
  const own = ownSentences(turn);
  const answer = sentencesOf(turn.answer, false);
  const rejected = previous !== undefined && isRejection(own, answer, previous) ? previous.id : undefined;
  const dropped = named(own, GONE);
  const gone = named(answer, GONE);
  const done = named(answer, DONE);
  if (rejected === undefined && dropped.length + gone.length + done.length === 0) return undefined;
  return (memory) => {
    if (memory.provenance.turn === turn.id) return false;
    if (memory.provenance.turn === rejected)
      return WORK_KINDS.includes(memory.kind) && evidenceOf(memory) !== 'said';
    if (memory.kind === 'issue') return done.some((name) => isAbout(memory, name));
    const isOver = (names: readonly string[], evidence: Evidence): boolean =>
      names.some((text) => isAbout(memory, text) && mayEnd(memory, { evidence, text }));
    return MAY_GO.includes(memory.kind) && (isOver(dropped, 'said') || isOver(gone, 'claimed'));
  };
}

const REJECTS =
  /^(?:(?:hm+|ok|sorry|well|but|uhm?|hold on|wait)[,. ]+)*(?:no(?=[,.! ]|$)(?! (?:worries|problem|rush|idea|need))|nope|nah|not quite|careful|that's (?:wrong|not (?:it|right))|that is wrong|wrong\b|(?:it |this |that )?(?:still|didn't|doesn't|did not|does not) (?:fails?|failing|broken|work|help|crash\w*|the same|happens?|stutters?|eats)|(?:this|that|it) made it worse|(?:please )?(?:revert|undo|roll) (?:that|it|this|the)|ne,? so nicht|nein\b|non mais|nee\b|no, así no|não é isso)/i;
const CONCEDES =
  /^(?:(?:you're right|you are right|right|sorry|stimmt|du hast recht|tu as raison|tienes razón|você tem razão)[,.:!–— -]+)?(?:(?:and )?(?:that was (?:wrong|not it)|my (?:first attempt|mistake|fix)|so my fix|took it out|(?:i(?:'ve| have)? )?(?:reverted|rolled back|undone|undid|removed it|took it out)|das war falsch|zurückgenommen|rückgängig))/i;

/** The user rejects the work, or the agent takes it back. "no" after a question of the agent only answers it. */
function isRejection(own: readonly Sentence[], answer: readonly Sentence[], previous: StoredTurn): boolean {
  if (answer.slice(0, 1).some(({ text }) => CONCEDES.test(text))) return true;
  const asked = /\?\s*$/.test(previous.answer.trimEnd());
  return !asked && own.slice(0, 2).some(({ text }) => REJECTS.test(text));
}

/** "scrap the trap", "SwiftData is gone", "we no longer use Redis": the name of what is over. */
const GONE =
  /(?:^|[,;] (?:and )?)(?:scrap|drop|ditch|revert|remove|removed|dropped|reverted|get rid of|we no longer use|no longer using|stop using) (?:the |our |all )?(?<what>[^,;:.]{3,60}?)(?= (?:again|completely|entirely|for|from|in|and)\b|[,;:.]|$)|(?:^|[,;] )(?:the )?(?<which>[^,;:]{3,50}?) (?:is|are|goes|ist) (?:gone|removed|reverted|out|dropped|wieder raus)\b/gi;
/** "the 2024 backfill of `trips_daily` is complete" */
const DONE =
  /(?:^|[,;] )(?:the )?(?<what>[^,;:]{6,80}?) (?:is|are|has been|have been) (?:now )?(?:complete|completed|done|finished|merged|deployed|resolved|solved|fixed|implemented|ported)\b/gi;

function named(said: readonly Sentence[], pattern: RegExp): readonly string[] {
  return said
    .filter(({ text }) => !HEDGE.test(text))
    .flatMap(({ text }) => [...text.matchAll(pattern)])
    .map(({ groups }) => groups?.['what'] ?? groups?.['which'] ?? '')
    .filter((name) => name !== '' && !TROUBLE.test(name));
}

/** Names it by two words of its title, or by a proper name. All words of the name must be in the title. */
function isAbout({ title }: Memory, name: string): boolean {
  const words = topicsOf(name.replace(/[`*]/g, ''));
  const topics = topicsOf(title.replace(/[`*]/g, ''));
  if (words.size === 0 || [...words].some((word) => !topics.has(word))) return false;
  return words.size > 1 || /[A-Z0-9`_-]/.test(name);
}
