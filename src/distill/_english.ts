/**
 * What English speakers say when something worth keeping was said: tables of patterns, nothing else.
 * `what` becomes the title; `lead` is put before it. Each pattern is linear: no nested repetition.
 */
import type { MemoryKind } from '../model/index.ts';

export interface Rule {
  readonly kind: MemoryKind;
  /** `person`: only their own words count. */
  readonly who: 'person' | 'agent' | 'anyone';
  readonly pattern: RegExp;
  readonly lead?: string;
  /** Counts only with a reason or an alternative; otherwise it is talk about the next step. */
  readonly needsReason?: boolean;
  /** Said at the end of an answer it stands; earlier it may have been overtaken. */
  readonly atEnd?: boolean;
}

const WE = String.raw`(?:we|i|you and i|the team)(?:'ve| have)?(?: all| both| finally| now| already| also| deliberately)?`;
const WILL = String.raw`(?:'ll| will|'re going to| are going to)`;

export const RULES: readonly Rule[] = [
  // Preferences: how the person wants to be worked with.
  {
    kind: 'preference',
    who: 'person',
    pattern: /^(?:and |so |also,? |ok,? |please,? )*(?<what>(?:always|never) (?!mind\b)[a-z]+ .+)/i,
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: /\byou (?:should|must|need to|have to) (?<what>(?:always|never) .+)/i,
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: /\b(?:make sure|remember|be sure)(?: you)?(?: to)? (?<what>(?:always|never) .+)/i,
  },
  { kind: 'preference', who: 'person', pattern: /^(?:please |and |ok,? )*from now on,? (?<what>.+)/i },
  {
    kind: 'preference',
    who: 'person',
    pattern: /\b(?:i|we)(?:'d| would| really| strongly| generally)* prefer (?<what>.+)/i,
    lead: 'Prefer ',
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: /^(?:please )?(?:don't|do not) ever (?<what>.+)/i,
    lead: 'Never ',
  },
  {
    kind: 'preference',
    who: 'person',
    pattern:
      /^we (?<what>(?:always|never) (?!get|see|have|had|fail|end|seem|hit|know|saw|got|run into)[a-z]+ .+)/i,
  },
  {
    kind: 'preference',
    who: 'person',
    pattern:
      /\b(?:in|for) (?:this|our) (?:repo|repository|project|codebase|team),? we (?<what>(?:only |always |never )?(?:use|write|keep|name|run|put|avoid) .+)/i,
  },
  { kind: 'preference', who: 'person', pattern: /^(?:please )?remember(?: that|:) (?<what>.+)/i },

  // Corrections: the way that was not wanted.
  {
    kind: 'dead_end',
    who: 'person',
    pattern:
      /^(?:no|nope|nah|wrong|stop)(?: no| man| wait| please)*[,.!:;—–-]+\s*(?:no,? |not (?:that|this) way[,.:; —–-]*|not that[,.:; —–-]*|that's (?:wrong|not it|not right)[,.:; —–-]*)*(?<what>.*\b(?:don't|do not|not|instead|use|should|shouldn't|want|must|never|rather|just)\b.*)/i,
  },
  {
    kind: 'dead_end',
    who: 'person',
    pattern: /^(?:that's |this is )?not (?:that|this|the right) way[,.:; —–-]+(?<what>.+)/i,
  },

  // Dead ends: what was tried and given up, with its reason.
  {
    kind: 'dead_end',
    who: 'anyone',
    pattern: /^(?<what>.{8,120}? (?:did not|didn't|does not|doesn't|won't|will not|cannot|can't) work\b.*)/i,
    needsReason: true,
  },
  {
    kind: 'dead_end',
    who: 'anyone',
    pattern:
      /^(?:(?:first|initially|at first),? )?(?:i|we)(?:'ve| have)?(?: first| initially| also)? (?<what>tried .{5,150}?,? but .+)/i,
  },
  {
    kind: 'dead_end',
    who: 'anyone',
    pattern:
      /^(?:so )?(?:(?:i|we)(?:'ve| have)? )?(?<what>(?:reverted|rolled back|backed out|abandoned|discarded|gave up on) .+)/i,
    needsReason: true,
  },
  {
    kind: 'dead_end',
    who: 'anyone',
    pattern: /^(?<what>.{8,120}? (?:is|was|turned out to be) a dead end\b.*)/i,
  },
  {
    kind: 'dead_end',
    who: 'agent',
    pattern:
      /^(?<what>.{8,120}? turned out (?:not to (?:work|help|be (?:possible|feasible|viable))|to be (?:impossible|unworkable|unreliable))\b.*)/i,
  },

  // Decisions.
  {
    kind: 'decision',
    who: 'anyone',
    pattern: new RegExp(String.raw`\b${WE} (?:decided|agreed|chose|opted) to (?<what>.+)`, 'i'),
  },
  {
    kind: 'decision',
    who: 'anyone',
    pattern: new RegExp(String.raw`\b${WE} (?:decided|agreed) that (?<what>.+)`, 'i'),
  },
  {
    kind: 'decision',
    who: 'anyone',
    pattern: new RegExp(String.raw`\b${WE} (?:decided|opted|chose) (?:against|not to) (?<what>.+)`, 'i'),
    lead: 'Decided against: ',
  },
  {
    kind: 'decision',
    who: 'anyone',
    pattern: new RegExp(
      String.raw`\b${WE} (?:settled on|decided on|decided for|opted for|went with|agreed on) (?<what>.+)`,
      'i',
    ),
    lead: 'Use ',
  },
  {
    kind: 'decision',
    who: 'anyone',
    pattern: /\b(?<what>(?:chose|picked|preferred) .{2,80}? (?:over|instead of|rather than) .+)/i,
  },
  { kind: 'decision', who: 'anyone', pattern: /^(?:it was |was )?decided to (?<what>.+)/i },
  {
    kind: 'decision',
    who: 'person',
    pattern:
      /^(?:(?:ok|okay|so|yes|yeah|yep|right|good|great|and|then|alright)[,.! ]+)*let(?:'|’)?s (?:go|stick|stay) with (?<what>.+)/i,
    lead: 'Use ',
  },
  {
    kind: 'decision',
    who: 'agent',
    pattern: /\blet(?:'|’)?s (?:go|stick|stay) with (?<what>.+)/i,
    lead: 'Use ',
    needsReason: true,
  },
  {
    kind: 'decision',
    who: 'person',
    pattern:
      /^(?:(?:ok|okay|so|yes|yeah|yep|right|good|great|and|then|alright)[,.! ]+)*let(?:'|’)?s (?<what>(?:use|keep) .+)/i,
  },
  { kind: 'decision', who: 'agent', pattern: /\blet(?:'|’)?s (?<what>(?:use|keep) .+)/i, needsReason: true },
  {
    kind: 'decision',
    who: 'person',
    pattern: /^(?:(?:ok|okay|so|and|but)[,.! ]+)*let(?:'|’)?s not (?<what>.+)/i,
    lead: 'Decided not to ',
  },
  {
    kind: 'decision',
    who: 'person',
    pattern: new RegExp(String.raw`\bwe${WILL} (?<what>(?:use|keep|stick with|go with|stay with) .+)`, 'i'),
  },
  {
    kind: 'decision',
    who: 'agent',
    pattern: new RegExp(String.raw`\b(?:we|i)${WILL} (?<what>(?:use|keep|stick with|go with) .+)`, 'i'),
    needsReason: true,
  },
  {
    kind: 'decision',
    who: 'agent',
    pattern:
      /^(?:i|we)(?:'ve| have)? (?:deliberately |intentionally )?(?<what>(?:used|kept|left|put|made|went with) .{3,120}? (?:instead of|rather than) .+)/i,
    needsReason: true,
  },
  {
    kind: 'decision',
    who: 'agent',
    pattern: /^(?:i|we)(?:'ve| have)? (?<what>(?:deliberately|intentionally|purposely) .+)/i,
    needsReason: true,
  },
  { kind: 'decision', who: 'person', pattern: /^(?<what>.{8,}?),? (?:that's|that is|it's|is) decided\b/i },
  {
    kind: 'decision',
    who: 'person',
    pattern: /^(?:but |and |so )?we (?:don't|do not) want to (?<what>.+)/i,
    lead: 'Decided not to ',
  },
  {
    kind: 'decision',
    who: 'person',
    pattern: /^(?:but |and |so )?we (?:don't|do not) want (?<what>(?!to |this\b|that\b|it\b|you\b).+)/i,
    lead: 'Not wanted: ',
  },
  {
    kind: 'decision',
    who: 'person',
    pattern: /^(?:but |and |so )?we want to (?<what>(?:keep|use|avoid|stay with|stick with) .+)/i,
  },

  // Open ends.
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern:
      /^(?<what>(?!.{0,60}\b(?:when|if|because|where|untested per)\b)[^;(]{3,100}? (?:(?:is|are) still (?:failing|broken|flaky|unresolved|crashing|missing|open|untested)|still fails?)\b(?!-).*)/i,
  },
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern:
      /^(?<what>[^;]{3,120}?\b(?:not yet|isn't yet|aren't yet|hasn't been|haven't been|yet to be) (?:implemented|supported|handled|covered|tested|done|wired|fixed)\b.*)/i,
  },
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern: /^(?<what>[^;]{3,120}?\bremains? (?:to be done|unfixed|unresolved|open|untested)\b.*)/i,
  },
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern: /\b(?:the )?next step (?:is|will be) (?:to )?(?<what>.+)/i,
  },
  { kind: 'issue', who: 'anyone', atEnd: true, pattern: /\bwe(?:'ll)? still (?:need|have) to (?<what>.+)/i },
  {
    kind: 'issue',
    who: 'person',
    pattern: /\b(?:don't forget to|remind me to|later we (?:need to|should|must|have to)) (?<what>.+)/i,
  },
  { kind: 'issue', who: 'anyone', atEnd: true, pattern: /^(?:todo|fixme)\b[:\s—–-]+(?<what>.+)/i },

  // Discoveries.
  { kind: 'discovery', who: 'agent', pattern: /\b(?:it )?turns out,? (?:that )?(?<what>(?!to\b).+)/i },
  {
    kind: 'discovery',
    who: 'agent',
    pattern:
      /^(?:so |and |ah,? )?(?<what>the (?:root cause|real cause|underlying cause|culprit|real reason)\b.{0,80}? (?:is|was) .+)/i,
  },
  {
    kind: 'discovery',
    who: 'agent',
    pattern: /^(?<what>the reason .{3,100}? (?:is|was)(?: that| because)? .+)/i,
  },
  {
    kind: 'discovery',
    who: 'agent',
    pattern: /\b(?:i|we)(?:'ve| have)? (?:found out|discovered|learned|confirmed) that (?<what>.+)/i,
  },
  {
    kind: 'discovery',
    who: 'agent',
    pattern:
      /^(?:(?:an? )?(?:important|key|critical|main|interesting) (?:finding|discovery|insight)) ?[:—–-]+ ?(?<what>.+)/i,
  },
  {
    kind: 'discovery',
    who: 'agent',
    pattern: /^(?:one|another) thing worth (?:knowing|noting|remembering)\b[: —–-]+(?<what>.+)/i,
  },
];

/** Headings and labels that say what stands under them. */
export const LABELS: readonly { readonly kind: MemoryKind; readonly pattern: RegExp }[] = [
  {
    kind: 'decision',
    pattern:
      /^(?:(?:key|design|architecture|architectural|main|final|technical) )*decisions?(?: made| taken)?$|^decided$|^architecture decisions\b/,
  },
  {
    kind: 'issue',
    pattern:
      /^(?:next steps?|to ?dos?|remaining(?: work| items| issues)?|follow ?ups?|known (?:issues?|limitations?)|open (?:issues?|items?)|still open|not done(?: yet)?|outstanding|left to do|what'?s left)$/,
  },
  {
    kind: 'discovery',
    pattern:
      /^(?:(?:key|main|important|research|key research) )+findings?$|^(?:root |real |underlying )cause$|^gotchas?$|^lessons? learned$/,
  },
  {
    kind: 'dead_end',
    pattern: /^(?:dead ends?|what (?:did not|didn't) work|rejected(?: approaches| alternatives)?)$/,
  },
];

/** Nothing was settled by it. */
export const HEDGE =
  /\?\s*$|\b(?:if (?:we|you|i|it|that|this)|whether|should we|shall we|could|would|might|maybe|perhaps|do you want|would you like|let me know|want me to|your call|either way|for example|e\.g\.)\b/i;

/** The agent tells what it does next; by the time of reading it is over. */
export const NARRATION =
  /^(?:(?:ok|okay|good|great|perfect|excellent|right|now|next|first|first of all|then|so|alright|wait|hmm|actually|finally|yes|also)[,.!:— –-]+)*(?:let me\b|let's (?:see|check|look|run|start|verify|try|test|fix|also)\b|i'll\b|i will\b|i'm going to\b|i need to\b|i should\b|i see\b|i can see\b|i have (?:a|enough|all|everything|extensive)\b|i want to\b|now (?:let|i|update|add|create|run|fix|check|the|for|to|we)\b|next,? (?:i|let|we)\b|time to\b|waiting\b|looking at\b|checking\b|running\b)/i;

/** Starts with a word that points at something said before: as a title it says nothing. */
export const POINTING =
  /^(?:it|its|it's|this|that|these|those|they|them|he|she|there|here|which|what|both|one|so|and|but|or|all of it|everything|the (?:same|above|following|former|latter|change|changes|plan|fix|issue|problem))\b(?!\s*`)/i;

export const DONE_VERBS =
  'added|adapted|built|bumped|changed|cleaned up|consolidated|converted|created|cut|deduplicated|deleted|documented|dropped|enabled|disabled|ensured|exposed|extended|extracted|fixed|hardened|implemented|improved|inlined|integrated|introduced|made|merged|migrated|moved|normalized|normalised|optimized|optimised|ported|refactored|registered|removed|renamed|reorganized|replaced|resolved|restored|restructured|reverted|rewrote|rewired|set up|simplified|split|switched|taught|tightened|unified|updated|upgraded|wired|wrapped|wrote';

export const REFACTOR_WORDS =
  /\b(?:refactor(?:ed|ing)?|renam(?:e|ed)|extract(?:ed)?|mov(?:e|ed) (?!the (?:user|cursor))|restructur(?:e|ed)|reorgani[sz]ed?|consolidat(?:e|ed)|dedup\w*|inlined?|simplif(?:y|ied)|split|clean(?:ed)? up)\b/i;

export const FIX_WORDS = /\b(?:fix(?:es|ed)?|bug|regression|crash(?:es|ed)?|resolved?)\b/i;

/** Words that carry no topic. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'a about after all also always an and any are as at be because been before being but by can could did do does done each every for from had has have how if in instead into is it its just let like make may more most must need never new no not now of off on one only or other our out over own rather same should since so some still such than that the their them then there these they this those through to too under up upon us use used uses using very want was we were what when where which while who why will with without would you your prefer decided added updated fixed removed created changed wanted reason'.split(
    ' ',
  ),
);

/** The same of the languages next to it. */
export const FOREIGN_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'der die das und ist nicht mit für auf ein eine wurde werden ich le la les des est une un dans pour avec sur qui que el los las una para con por se del o os uma não com em do il che di è per sono een het van niet'.split(
    ' ',
  ),
);

/** So common in English, and so rare elsewhere, that their share tells the language. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'the a an and or of to in is are was were it that this for with on as be by not i you we now all from have has'.split(
    ' ',
  ),
);
