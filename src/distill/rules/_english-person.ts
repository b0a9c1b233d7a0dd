/**
 * Patterns of what users tell an agent in English: corrections, preferences, corrected facts. Applied only to the user's
 * own text. Each pattern is linear: no nested repetition.
 */
import type { MemoryKind } from '../../core/index.ts';
import { OPENING } from './_english.ts';

export interface Rule {
  readonly kind: MemoryKind;
  /** `person`: only the user's own text counts. */
  readonly who: 'person' | 'agent' | 'anyone';
  readonly pattern: RegExp;
  readonly lead?: string;
  /** Counts only with a reason or an alternative; otherwise it announces the next step. */
  readonly needsReason?: boolean;
  /** Counts only at the end of an answer; earlier it may be outdated. */
  readonly atEnd?: boolean;
  /** Counts only in a short prompt: in a long one it is part of the task. */
  readonly inShort?: boolean;
  /** Counts only as an item of a list. */
  readonly inList?: boolean;
  /** Counts only if it is clear without the conversation. */
  readonly named?: boolean;
}

export const PERSON_RULES: readonly Rule[] = [
  // Corrections: the rejected way.
  {
    kind: 'dead_end',
    who: 'person',
    pattern:
      /^(?:no|nope|nah|wrong|stop)(?: no| man| wait| please)*[,.!:;—–-]+\s*(?:no,? |not (?:that|this) way[,.:; —–-]*|not (?:like )?(?:that|this)[,.:; —–-]*|that's (?:wrong|not it|not right)[,.:; —–-]*)*(?<what>(?!\s|always\b|never\b|i\b|i'm\b|it\b|that\b|there\b)(?=.*\b(?:don't|do not|instead|use|should|shouldn't|must|never|rather than|just [a-z]+|not .{2,60} but)\b).+)/i,
  },
  {
    kind: 'dead_end',
    who: 'person',
    pattern: /^(?:that's |this is )?not (?:that|this|the right) way[,.:; —–-]+(?<what>.+)/i,
  },

  // Preferences: how the user wants to work.
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(String.raw`${OPENING}(?<what>(?:always|never) (?!mind\b)[a-z]+ .+)`, 'i'),
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
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(String.raw`${OPENING}from now on,? (?<what>.+)`, 'i'),
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(String.raw`${OPENING}(?<what>(?!i\b|we\b)[a-z].{5,120}?),? from now on\b`, 'i'),
  },
  {
    kind: 'preference',
    who: 'person',
    pattern:
      /(?:^|[,;:.!—–-] ?|\b(?:and|but|so|then) )(?:i|we)(?:'d| would| really| strongly| generally| much)* prefer (?<what>.+)/i,
    lead: 'Prefer ',
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(String.raw`${OPENING}(?:don't|do not) ever (?<what>.+)`, 'i'),
    lead: 'Never ',
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(String.raw`${OPENING}(?<what>stop (?!being\b)[a-z]+ing .+)`, 'i'),
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(String.raw`${OPENING}(?<what>call me (?!back\b|when\b|if\b)\S.{0,40})`, 'i'),
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(
      String.raw`${OPENING}(?<what>(?:answer|reply|respond|talk|speak|write)(?: to)?(?: me)?(?: only)? in (?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|turkish|chinese|japanese|korean|bullet points|full sentences)\b.*)`,
      'i',
    ),
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
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(
      String.raw`${OPENING}(?:remember|note|keep in mind|bear in mind)(?: that\b|:|,) ?(?<what>.+)`,
      'i',
    ),
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(
      String.raw`(?:${OPENING}we (?:must|should) (?=only )|\bwe (?:must|should) (?!only ))(?<what>(?:never|always|only) .+)`,
      'i',
    ),
  },
  {
    kind: 'preference',
    who: 'person',
    pattern: new RegExp(
      String.raw`${OPENING}(?<what>(?!(?:you|i|we|it|this|that|there|they|he|she|what|which|who)\b)(?!.{0,60}\b(?:we|you|i|it)\b)[\w\x60'./ -]{2,60}? (?:must (?:not|never|always|only)|mustn't|should (?:never|always|only)|may (?:never|only)) .+)`,
      'i',
    ),
  },
  {
    kind: 'preference',
    who: 'person',
    inShort: true,
    pattern: new RegExp(
      String.raw`${OPENING}(?<what>(?:don't|do not) (?!worry|forget|bother|need|think|know|understand|see|want|have|like|mind|hesitate|start|implement|do\b|change any|touch any|write any|write code|fix|move|proceed|continue|go\b|commit|push|you\b|we\b|they\b)[a-z]+ (?!.*\b(?:yet|now|this time|until|for the moment|today|anything|but just)\b).{6,})`,
      'i',
    ),
  },

  // Facts that the user corrects.
  {
    kind: 'discovery',
    who: 'person',
    pattern:
      /^(?:no,? )?(?:that|this)(?:'s| is) (?:wrong|incorrect|not (?:right|true|correct))[,.:;—– -]+(?<what>(?!\s|i\b|i')(?=.{12}).+)/i,
  },
  {
    kind: 'discovery',
    who: 'person',
    pattern:
      /^(?:fyi|for your information|heads[- ]up|for the record|btw|by the way|just so you know)[,:;—– -]+(?:that )?(?<what>(?!\s|that\b|i\b|i')(?=.{10}).+)/i,
  },
  {
    kind: 'decision',
    who: 'person',
    pattern: new RegExp(
      String.raw`${OPENING}(?<what>(?!(?:it|this|that|there|what|which)\b)(?!.{0,60}\b(?:you|i|we)\b)[\w\x60'./ -]{2,70}? (?:(?:is|are|was|were) supposed to|(?:needs?|has|have) to (?:come|live|stay|go)|(?:does not|doesn't|do not|don't) belong|belongs?) .+)`,
      'i',
    ),
  },
  {
    kind: 'discovery',
    who: 'person',
    inShort: true,
    pattern: new RegExp(
      String.raw`${OPENING}(?<what>(?!(?:is|are|was|do|does|did|why|what|how|can|should|i|i'm|it|it's|this|that|that's|you|there|just|if)\b)(?![^?]*\b(?:this|it|these|those)\b)[^?,]{8,110}, not (?!sure|yet|that|only|just|necessarily)[^?]{2,80})$`,
      'i',
    ),
  },
];
