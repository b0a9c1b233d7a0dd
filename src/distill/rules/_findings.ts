/**
 * Finds what an agent discovered, by the form of a sentence: it names something of the project, gives a cause or a
 * contrast, and states a fault or a fact. Sentences are scored, because one weak sign proves nothing. Pure.
 */
import type { StoredTurn } from '../../core/index.ts';
import { NO_STATEMENT, PRAISE } from './_english-talk.ts';
import { ABOUT_TEXT, HEDGE, NAMED, NARRATION, POINTING } from './_english.ts';
import { marksIn } from './_shorten.ts';
import { spoken, type Sentence } from './sentences.ts';
import { isVague, matterOf, titleOf, topicsOf } from './title.ts';

export interface Finding {
  readonly title: string;
  readonly source: Sentence;
  readonly score: number;
  /** It states a cause. */
  readonly cause: boolean;
}

/** Three signs and a name: with less, every second sentence of an explanation would match. */
const ENOUGH = 4;
/** A sentence followed by this many announced steps was an intermediate thought. */
const STEPS_AFTER = 3;
/** Topic words; a title with fewer could not be found again. */
const MIN_TOPICS = 3;
/** With this many topic words, a final `them` refers to something in the title. */
const ENOUGH_TO_POINT = 5;
/** A shorter or longer text does not state one fact. */
const LENGTH = { min: 30, max: 420 } as const;

/** The best finding of an answer, if any. */
export function findingOf(turn: StoredTurn, said: readonly Sentence[]): Finding | undefined {
  const asked = turn.origin === 'person' ? turn.prompt : '';
  if (LESSON.test(asked)) return undefined;
  const bonus = (isSought(turn, asked) ? 0 : -1) + (isLookedInto(turn) ? 1 : 0);
  const steps = said.flatMap(({ text }, at) => (NARRATION.test(text) ? [at] : []));
  const settled = steps.at(-STEPS_AFTER) ?? -1;
  let best: Finding | undefined;
  said.forEach((source, at) => {
    const overtaken = at < settled ? 1 : 0;
    const score = scoreOf(source, said[at - 1]) + bonus - overtaken;
    if (score < ENOUGH || (best !== undefined && score <= best.score)) return;
    const title = factOf(source.text);
    if (
      title === undefined ||
      topicsOf(title).size < MIN_TOPICS ||
      (/\b(?:it|them|this|that)\W*$/i.test(title) && topicsOf(title).size < ENOUGH_TO_POINT) ||
      isVague(title)
    )
      return;
    best = { title, source, score, cause: CAUSE.test(source.text) };
  });
  return best;
}

const MAX_ASKED = 1500;

function isSought(turn: StoredTurn, asked: string): boolean {
  return turn.origin === 'task' || spoken(asked).trim() === '' || SEEKING.test(asked.slice(0, MAX_ASKED));
}

/** Files were read or a command was run, so the answer is about the project. */
function isLookedInto(turn: StoredTurn): boolean {
  return turn.tools.some(
    (tool) => tool.read.length > 0 || (tool.command !== undefined && tool.status !== 'denied'),
  );
}

/** The user wants an explanation or a text: the answer is not about the project. */
const LESSON =
  /^\W*(?:(?:can|could) you |please )*(?:explain|summari[sz]e|describe|translate|tell me (?:about|what)|what(?:'s| is| are) (?:the difference|an? )|what does\b|how do(?:es)? (?:i|one|you|\w+ work)|write (?:a|an|me)|draft|compare)\b/i;
/** The user looks for something, or something is wrong. */
const SEEKING =
  /\b(?:why|where|how come|investigate|debug|trace|look (?:at|into)|check|find|figure out|review|consider|reproduce|diagnose|understand|audit|fail\w*|errors?|crash\w*|slow|wrong|broken|stuck|hangs?|flaky|noise|stops?|stopped|restart\w*|bugs?|issues?|problems?|race|weird|strange|isn't|doesn't|not work\w*|not good)\b/i;

const CAUSE =
  /^because\b|\b(?:root cause|(?:the|this|that) (?:\w+ )?(?:bug|problem|issue|failure|crash|cause|culprit|bottleneck|error|hang|leak|regression|mismatch|gap|difference) (?:is|was|comes?|came|lies|happens|occurs|sits)\b|(?:comes?|came|stems?) from|caused by|due to|that(?:'s| is) (?:why|the (?:reason|bottleneck|cause|bug))|which is why|turns out|it's (?:an? )?(?:\w+ )?(?:race|deadlock|n\+1|leak|regression|bug|mismatch|ordering problem))/i;
const REASON =
  /\b(?:because|since|therefore|which means|meaning|hence|as a result|otherwise|so that)\b|[,;] so\b|: (?=[a-z\x60])/i;
const DELIBERATE = /\b(?:on purpose|by design|deliberately|intentionally|load-bearing)\b/i;
/** Denies an assumption. A description of how code works is not a finding yet. */
const DENIAL =
  /, not\b|\b(?:does|do|did|is|are|was|were|has|have|can)(?:n't| not)\b|\b(?:no longer|never|cannot)\b/i;
const HARMLESS =
  /\b(?:negligible|harmless|gracefully|correctly|as expected|(?:actually|already) correct|technically true|no action|nothing to (?:do|fix)|is (?:fine|safe|clean)|are (?:fine|safe|clean)|just because|out of scope|pre-existing|(?:not|n't) (?:caused by|related to) (?:my|our|this|these)|unrelated)\b/i;
const CONTRASTS =
  /, not\b|\bnot [\w-]+[ -](?:based|only)\b|\b(?:instead of|rather than|whereas|even though|although|no longer|already|never|only|still|twice|both)\b|[,;] (?:but|while|yet)\b| (?:but|while) |\b(?:is|are|was|does|do|did|has|have|were)(?: not|n't)\b/gi;
const FAULT =
  /\b(?:race|deadlocks?|leaks?|bottleneck|mismatch\w*|missing|duplicat\w*|redundan\w*|stale|outdated|wrong\w*|broken|fail(?:s|ed|ing|ures?)?|crash\w*|hangs?|timeouts?|times? out|expire[sd]?|exhaust\w*|overflow\w*|collisions?|noise|ignor(?:es?|ed)|lost|dropped|swallow\w*|unset|unregistered|(?:not|\w+n't)(?: \w+)? (?:registered|set|called|consulted|supported|used|checked|handled|propagated|restored|closed)|conflicts?|regressions?|flak\w+|bugs?|brittle|synthetic|polls?|polling|never (?:called|set|read|used))\b/i;
/** The sentence before announces the finding. */
const ANNOUNCED =
  /^(?:found it|got it|confirmed|i found (?:it|the)|here(?:'s| is) (?:the|what)|the (?:problem|issue|cause|bug))\b/i;
const NO_FACT =
  /^(?:[(✅"“]|(?:file|lines?|location|purpose|status|base|head|same|still|also|not|no|yes|more|less|weakness|strength|add|use|keep|remove|make|fix|store|record|move|rename|replace|update|run|consider|avoid|ensure|drop)\b|i\b|i'|we\b|we'|you\b|you'|your\b|option\b|want\b|good\b|great\b|perfect\b|done\b|thanks\b|to (?:fix|answer|test)\b|let's\b|please\b|sorry\b|(?:pros|cons|fix|recommendation|suggestion)\b)/i;

function scoreOf(source: Sentence, before: Sentence | undefined): number {
  const { text } = source;
  if (text.length < LENGTH.min || text.length > LENGTH.max || text.endsWith('?')) return 0;
  if (
    NARRATION.test(text) ||
    NO_FACT.test(text) ||
    ABOUT_TEXT.test(text) ||
    HEDGE.test(text) ||
    PRAISE.test(text) ||
    text.endsWith(':')
  )
    return 0;
  if (!CAUSE.test(text) && !FAULT.test(text) && !DELIBERATE.test(text) && !DENIAL.test(text)) return 0;
  const announced =
    before !== undefined && before.paragraph === source.paragraph && ANNOUNCED.test(before.text);
  return (
    (CAUSE.test(text) ? 2 : 0) +
    (REASON.test(text) ? 1 : 0) +
    Math.min(text.match(CONTRASTS)?.length ?? 0, 2) +
    (DELIBERATE.test(text) ? 1 : 0) +
    (FAULT.test(text) ? 1 : 0) +
    (NAMED.test(text) ? 1 : 0) +
    (source.strong ? 2 : 0) +
    (announced ? 1 : 0) -
    (source.bullet ? 1 : 0) -
    (HARMLESS.test(text) ? 2 : 0) -
    (/\bI\b/.test(text) ? 2 : 0)
  );
}

/** The self-contained clause: `It's checked in a.ts on purpose: the body is raw there` → `The body is raw there`. */
function factOf(text: string): string | undefined {
  const bare = text.replace(LEADING, '').trim();
  const matter = matterOf(bare);
  if (matter !== bare && !POINTING.test(matter)) return titleOf(matter);
  const main =
    /^(?:since|when|once|after|while|as|given that) [^,]{5,120}, (?:so |then )?(?<main>.{30,})/i.exec(bare);
  const clause = main?.groups?.['main'];
  if (clause !== undefined && !POINTING.test(clause) && !NO_FACT.test(clause)) return titleOf(clause);
  if (!POINTING.test(bare) && !NO_STATEMENT.test(bare)) return titleOf(bare);
  const [colon] = marksIn(bare, /[:;—–] +/g);
  const rest = colon ? bare.slice(colon.index + colon[0].length) : '';
  return rest.length >= LENGTH.min && !POINTING.test(rest) && !NO_STATEMENT.test(rest)
    ? titleOf(rest)
    : undefined;
}

const LEADING =
  /^(?:(?:so|and|but|because|also|interesting|interestingly|actually|confirmed|indeed|unfortunately|regardless|however|apparently|fortunately|essentially|basically|what i know so far)\b[:,—– -]*)+/i;
