/**
 * Decides who may end a memory. The only such rule: distillers, notes of the agent and the comparison of memories all ask
 * here. What the user decided or ruled ends by the user's own words, never by a claim of the agent. Pure.
 */
import { type Evidence, isOfUser, type Memory, type MemoryKind, RULE_KINDS } from '../core/index.ts';
import { titleWords } from '../database/index.ts';

/** The statement that would end it. */
export interface Ending {
  readonly evidence: Evidence;
  /** Missing if it becomes no memory. */
  readonly kind?: MemoryKind | undefined;
  readonly text: string;
  /** The user asked for this change in the same turn, or agreed to it. */
  readonly asked?: boolean;
}

export function mayEnd(target: Memory, { evidence, kind, text, asked = false }: Ending): boolean {
  if (evidence === 'quoted') return false;
  if (kind === 'dead_end' && RULE_KINDS.includes(target.kind) && supports(text, target.title)) return false;
  if (!isOfUser(target) || evidence === 'said') return true;
  // A request names a decision by its subject; a rule for all work needs the user's own words about the rule.
  return asked && target.kind !== 'preference';
}

/** "Backoff without jitter failed" supports "always use jitter": what was tried is the opposite of the rule. */
function supports(tried: string, rule: string): boolean {
  const [mine, theirs] = [new Set(titleWords(rule)), new Set(titleWords(tried))];
  const [denied, without] = [deniedWords(rule), deniedWords(tried)];
  return [...mine].some((word) => theirs.has(word) && denied.has(word) !== without.has(word));
}

/** Words that deny what follows them, up to the next mark. */
const DENIAL =
  /(?:\b(?:without|w\/o|no|not|never|don't|do not|avoid|skip|skipping|stop|instead of|rather than|lack of|lacking|ohne|kein\p{L}*|nie|statt|sans|pas de|jamais|sin|sem|nunca|без|никогда)(?!\p{L})|n't\b|不要|没有|禁止)(?<what>[^,;:.!?。，]{0,60}?)(?=\b(?:but|and|because|failed|fails|made|led|caused)\b|[,;:.!?。，]|$)/giu;

function deniedWords(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(DENIAL)].flatMap(({ groups }) => titleWords(groups?.['what'] ?? '')));
}
