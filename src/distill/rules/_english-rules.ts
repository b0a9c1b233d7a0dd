/**
 * Patterns of English statements worth storing. `what` becomes the title; `lead` is put before it. Each pattern is
 * linear: no nested repetition.
 */
import { PERSON_RULES, type Rule } from './_english-person.ts';
export type { Rule } from './_english-person.ts';
import { THE_REST } from './_english-talk.ts';
import { OPENING } from './_english.ts';

const WE = String.raw`(?:we|i|you and i|the team)(?:'ve| have)?(?: all| both| finally| now| already| also| deliberately)?`;
const WILL = String.raw`(?:'ll| will|'re going to| are going to)`;

export const RULES: readonly Rule[] = [
  ...PERSON_RULES,

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
    pattern: /^(?:i|we)(?:'ve| have)?(?: also| first)? (?<what>considered .{3,150}?,? but .+)/i,
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
    pattern: new RegExp(String.raw`\b${WE} (?:decided|agreed)(?: [a-z]+){0,4}? that (?<what>.+)`, 'i'),
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
  {
    kind: 'decision',
    who: 'anyone',
    pattern: /\b(?<what>[\w\x60-][^,.;—–]{4,80} (?:is|was|are|were) (?:chosen|preferred|picked) over .+)/i,
  },
  {
    kind: 'decision',
    who: 'agent',
    named: true,
    pattern:
      /^(?:you're|you are) (?:absolutely |totally |completely )?right[,.!]? ?[—–:,-]+ (?<what>(?!sorry|my |i\b|i'|let)(?=[^?]*\b(?:should|must|needs? to|better|more appropriate|cleaner|preferable|not belong)\b)[^?]{25,})/i,
  },
  {
    kind: 'discovery',
    who: 'agent',
    named: true,
    pattern:
      /^(?:you're|you are) (?:absolutely |totally |completely )?right[,.!]? ?[—–:-]+ (?<what>(?!sorry|my |i\b|i'|let)[^?]{45,})/i,
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
      /^(?:(?:ok|okay|so|yes|yeah|yep|right|good|great|and|then|alright)[,.! ]+)*let(?:'|’)?s (?<what>(?:use|keep) (?!going\b|[a-z]+ing (?:on|at|through|and|with|until|to)\b|what|whatever|up\b).+)/i,
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
    pattern: /^(?:but |and |so )?we (?:don't|do not) want to (?<what>(?!know|see|hear|think)[a-z].+)/i,
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

  {
    kind: 'decision',
    who: 'person',
    pattern: new RegExp(
      String.raw`${OPENING}(?:just |instead,? )?(?<what>use .{2,60}?,? (?:instead of|rather than|and not|not) .+)`,
      'i',
    ),
  },
  {
    kind: 'decision',
    who: 'person',
    inShort: true,
    inList: true,
    pattern: /^(?<what>(?:use|name|call|keep|put|store|default to|stick (?:to|with)) .{6,})/i,
  },
  {
    kind: 'decision',
    who: 'person',
    inShort: true,
    pattern: new RegExp(String.raw`${OPENING}go (?:with|for) (?<what>.+)`, 'i'),
    lead: 'Use ',
  },

  // Open issues.
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern:
      /^(?<what>(?!.{0,60}\b(?:when|if|because|where|untested per)\b)[^;(]{3,100}? (?:(?:is|are) still (?:failing|broken|flaky|unresolved|crashing|missing|open|untested)|still fails?)\b(?!-| (?:gracefully|safely|fast|loudly|silently)).*)/i,
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
  {
    kind: 'issue',
    who: 'anyone',
    atEnd: true,
    pattern: /^(?:but |however,? |also,? |and |so )*we(?:'ll)? still (?:need|have) to (?<what>.+)/i,
  },
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern: new RegExp(String.raw`${THE_REST}(?<what>.{12,})`, 'i'),
  },
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern:
      /^(?:so )?(?<what>the (?:(?:main|only|last|one|two|three|other|\d+) )*(?:remaining|failing|missing|outstanding) (?:\w+ ){0,2}(?:issues?|problems?|failures?|bugs?|errors?|blockers?|gaps?|tests?|warnings?|crash(?:es)?|work|pieces?|parts?|tasks?|steps?) (?:is|are|requires?|needs?|comes?|happens?) .{12,})/i,
  },
  {
    kind: 'issue',
    who: 'person',
    pattern: /\b(?:don't forget to|remind me to|later we (?:need to|should|must|have to)) (?<what>.+)/i,
  },
  {
    kind: 'issue',
    who: 'agent',
    atEnd: true,
    pattern:
      /^(?<what>.{8,160}?\b(?:should|must|needs? to|has to|have to) (?:be )?[a-z]+ (?:\S+ ){0,4}?before (?:the )?(?:next|release|releasing|deploy\w*|merg\w*|we (?:ship|deploy|merge|release|upgrade))\b.*)/i,
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
