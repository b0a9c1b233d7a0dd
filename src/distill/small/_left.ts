/** Finds what stays open after a turn: what the agent says it did not do, fix or try, and what the user puts off. Pure. */
import type { KeepScore } from '../../models/index.ts';
import { HEDGE, TROUBLE } from '../rules/talk.ts';
import type { Unit } from './units.ts';

/**
 * Returns the sentences about it. "I left it" is about the sentence before it if the agent did other work (`edited`),
 * otherwise about the matter of the turn.
 */
export function leftOpen(
  units: readonly Unit[],
  scores: ReadonlyMap<Unit, KeepScore>,
  edited: boolean,
): ReadonlySet<Unit> {
  return new Set(
    units.flatMap((unit, i) => {
      if (HEDGE.test(unit.text)) return [];
      if (isLikely(unit, scores.get(unit))) return [unit];
      if (unit.who !== 'assistant') return [];
      const isWorth = (scores.get(unit)?.keep ?? 0) >= LIKELY.named;
      if (LEFT_HEADING.test(unit.label) || NOT_YET.test(unit.text)) return isWorth ? [unit] : [];
      const at = unit.text.search(LEFT_IT);
      if (at < 0) return [];
      // "The old format is read as UTF-8; I left that."
      if (at >= NAMED_CHARS) return isWorth ? [unit] : [];
      return matterOf(scores, units[i - 1], edited) ?? [];
    }),
  );
}

/** From so many characters on, the words before "I left it" name the matter. */
const NAMED_CHARS = 40;

/**
 * Words that something is still to do count if the model takes the sentence for an issue, even if it would not keep it:
 * what the user puts off, what the agent says is not done, and what it only calls "still" or "known". `named`: under
 * "Open questions" and the like a list may have anything, so the model must not rule the sentence out.
 */
const LIKELY = { issue: 0.6, putOff: 0.3, notDone: 0.15, toDo: 0.45, named: 0.05 } as const;

function isLikely({ who, text }: Unit, score: KeepScore | undefined): boolean {
  if (!score || score.kinds.issue < LIKELY.issue) return false;
  if (who === 'user') return score.keep >= LIKELY.putOff && LATER.test(text);
  if (NOT_DONE.test(text)) return score.keep >= LIKELY.notDone;
  return score.keep >= LIKELY.toDo && TO_DO.test(text);
}

/** "The backfill isn't started", "the others have none yet". */
const NOT_DONE =
  /\b(?:is|are|was|were|has|have|does|do|did)(?:n't| not)(?: been)? (?:\w+ )?(?:started|done|built|fixed|restored|migrated|covered|tested|updated|handled|moved|converted|checked)\b|\bnone yet\b/i;

/** Returns the sentence that "it" means: the one `before`, or the best one of a turn without work. */
function matterOf(
  scores: ReadonlyMap<Unit, KeepScore>,
  before: Unit | undefined,
  edited: boolean,
): Unit | undefined {
  return [...scores]
    .filter(([unit, { keep }]) => keep >= MATTER.keep && !HEDGE.test(unit.text))
    .filter(
      ([unit, score]) => (unit === before && unit.who === 'assistant') || (!edited && isProblem(unit, score)),
    )
    .toSorted(([, a], [, b]) => openness(b) - openness(a))[0]?.[0];
}

/** From which probabilities on a sentence may be the matter: to be kept, a fault that the user reports, a finding of the agent. */
const MATTER = { keep: 0.03, said: 0.3, found: 0.5 } as const;

function isProblem({ who, text }: Unit, { kinds }: KeepScore): boolean {
  if (who === 'user') return TROUBLE.test(text) || TO_DO.test(text) || kinds.issue >= MATTER.said;
  return kinds.issue + kinds.discovery + kinds.bugfix + kinds.dead_end >= MATTER.found;
}

/** Of two sentences with the same probability the one that is more likely an issue wins. */
function openness({ keep, kinds }: KeepScore): number {
  return keep * (0.5 + kinds.issue);
}

/** Something is still to do. */
export const TO_DO =
  /\b(?:still (?:\w+ ){0,2}(?:fail\w*|miss\w*|need\w*|broken|breaks?|open|wrong|slow\w*|leak\w*|un\w+|crash\w*|flak\w*|lacks?|not|no|to|hangs?|loses?|lost|red|errors?|throws?|pending|old|hard-?coded|stale|empty|duplicate\w*|twice|manual\w*)\b|not yet|to-?do|known|missing|remains?|pending|remind me)\b|(?<!\p{L})(?:noch|fehl(?:t|en)|offen|pas encore|todavía|aún|falta|pendiente|ainda|pendente|ещё не|пока не|ancora|manca)(?!\p{L})|まだ|まま|未|还没|尚未|아직/iu;

/** The user puts it off. */
export const LATER =
  /\b(?:not (?:now|today|tonight|yet|this (?:week|sprint|release|season))|later|tomorrow|next (?:week|month|sprint|release|year)|(?:my|the|our) (?:list|backlog)|remind me|don't (?:let me )?forget|till then|until then|after (?:the )?(?:release|summer|holidays?|demo|launch))\b|(?<!\p{L})(?:morgen|später|nächste woche|demain|plus tard|mañana|más tarde|amanhã|mais tarde|domani|più tardi|завтра|потом|позже|volgende week)(?!\p{L})|来週|明日|後で|下周|明天|以后|다음 주|나중/iu;

/** A sentence that names what is left. */
const NOT_YET =
  /\b(?:not yet (?:tried|tested|done|fixed|verified)|untested|left (?:it |them )?(?:failing|open|unfixed)|(?:has|have|still has) the same (?:problem|bug|fault))\b/i;

/** A heading of what is left: "Still open", "Known gaps", "Nicht geändert", "Em aberto". */
const LEFT_HEADING = new RegExp(
  [
    String.raw`^(?:still|not|left|noch|nog|niet|nicht|nie|non|no|pas|não|ancora|todavía|aún|ainda) (?:open|missing|to do|done|yet|covered|solved|fixed|tested|built|handled|in yet|as (?:is|it is)|alone|offen|te doen|gedaan|erledigt|geändert|gemacht|gelöst|fatto|risolto|hecho|resuelto|fait|traité|résolu|feito|resolvido|pendiente|zrobione)(?!\p{L})`,
    String.raw`^(?:what (?:remains|is left|doesn't work|does not work|isn't there|is missing)|open(?: (?:issues|points|questions|ends))?$|to[- ]?do(?!\p{L})|next steps|remaining|known (?:issues|gaps?|problems?|limits?|limitations?|and unchanged))`,
    String.raw`^(?:one|a|two|the)(?: other| more| known)? (?:gap|limitation|test (?:still )?fails|tests (?:still )?fail|problem (?:that|i can't|left))`,
    String.raw`^(?:offen|kvar|pendientes?|pendentes?|em aberto|o que (?:ficou|falta)|lo que (?:queda|falta)|queda|falta|da fare|in sospeso|resta|reste (?:à faire|ouvert)|en suspens|zostało|pozostało|не сделано|осталось|не решено|открыто)(?!\p{L})`,
    '^(?:残|未|まだ|今後|待办|遗留|还没|尚未|남은|미완|미해결|아직)',
  ].join('|'),
  'iu',
);

const IT = String.raw`(?:it|this|that|these|those|them|any(?:thing)?|either|a (?:line|thing))\b`;
const DONE = '(?:changed|touched|fixed|started|done|built|exists?)';
/** Says that something was left, without naming it. */
const LEFT_IT = new RegExp(
  [
    String.raw`\bI(?:'ve| have| did)?(?:n't| not)(?: yet)? \w+ ${IT}`,
    String.raw`\bI(?:'ve| have)?(?: only| just)? left ${IT}`,
    String.raw`^(?:so far )?(?:nothing|none of ${IT}).*\b${DONE}\b`,
    String.raw`^not ${DONE}\b|\bstopped at the diagnosis|^left (?:alone|as (?:is|it is)|untouched)`,
    String.raw`(?<!\p{L})(?:nichts|nicht) (?:geändert|angefasst|behoben|gebaut|gemacht|umgesetzt)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:rien|pas|pas encore) (?:touché|changé|modifié|corrigé)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:nada|niente|nessuna modifica)[^.]{0,20}(?:alterad|cambiad|mexi|toccat|cambiat|fatt)`,
    String.raw`(?<!\p{L})no (?:lo )?he (?:tocado|cambiado|corregido)|não (?:mexi|alterei|corrigi|mudei)`,
    String.raw`(?<!\p{L})non (?:ho|l'ho) (?:toccato|cambiato|corretto|modificato)|niets? (?:aangepast|veranderd|gewijzigd)`,
    String.raw`(?<!\p{L})не (?:трогал|менял|исправ|чинил)|nie (?:poprawi|zmieni|rusza)`,
    '(?:変え|触っ|直し|変更し|修正し|付け|対応し)て(?:い)?(?:ません|ない)',
    '(?:没有?|未|尚未|还没)(?:动|改|修|处理)|(?:건드리|수정하|바꾸|고치)지 않았',
  ].join('|'),
  'iu',
);
