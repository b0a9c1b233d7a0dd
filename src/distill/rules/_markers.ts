/**
 * English phrases that state something explicitly, in the user's own text. Each is matched at the beginning of a sentence
 * (without its opening), with `inside` also at the beginning of a later clause, and is linear. `what` becomes the title;
 * `lead` is put before it. A phrase that is mostly part of a task or of a report is not in this table.
 */
import type { MemoryKind } from '../../core/index.ts';
import { IN_ALL_PROJECTS } from './scope.ts';

interface Options {
  readonly lead?: string;
  /** Also applies to a later clause of a sentence. */
  readonly inside?: boolean;
  /** Names a choice; its subject may be elsewhere. */
  readonly choice?: boolean;
  /** The words after a comma are part of the statement, not its reason. */
  readonly whole?: boolean;
  /** Counts only with a reason: without one it is a condition of the task. */
  readonly needsReason?: boolean;
}

export interface Marker extends Options {
  readonly kind: MemoryKind;
  readonly pattern: RegExp;
}

const INSIDE: Options = { inside: true };
const INSIDE_WHOLE: Options = { inside: true, whole: true };
const INSIDE_CHOICE: Options = { inside: true, choice: true };
const WITH_REASON: Options = { needsReason: true };

const PLEASE = String.raw`(?:please |pls |plz )?`;
const DONT = String.raw`(?:don't|do not|dont)`;
const PRONOUN = String.raw`(?:it|this|that|them|these|those|anything|everything)\b`;
/** The beginning of a sentence about something named. */
const THING = String.raw`(?!(?:it|this|that|they|there|which|he|she|i|you)\b)`;
const NAME = String.raw`[\w\x60.@#():/+-]+`;
/** Words that make a prohibition or an order general. */
const GENERAL = String.raw`(?:ever|anywhere|everywhere|nowhere|period|in general|any ?more|in this (?:repo|project|codebase)|in (?:new|our) code|in the codebase|around here|ever again)\b`;
/** Verbs of rules about how to work. */
const WORK = String.raw`(?:use|commit|push|run|write|add|put|call|edit|touch|mock|rename|log|store|format|ask|squash|rebase|merge|import|return|show|test|name|keep|do|deploy|change|delete|prefer|check|include|answer|reply|respond|create|hardcode|hard-code|skip|trust|cache|sort|round|escape|quote|process|send|expose|copy|overwrite|rely|assume|introduce|allocate|swallow|catch|throw|reformat|force-push|force|generate|review|bump|pin|upgrade|disable|reuse)`;
/** "no idea", "no worries", "no errors": not a prohibition. */
const NO = String.raw`no (?!one\b|idea|worries|problem|rush|need\b|clue|luck|way\b|doubt|thank|big deal|wonder|matter|pressure|hurry|wait\b|more\b|other\b|offen[cs]e|jok|kidding|changes?\b|errors?\b|difference|news|reason|half\b|longer\b|it\b|that\b|this\b|i\b|we\b|you\b|the\b|not\b|don|fix\b|space\b|known\b|such\b)`;
/** A rule of any wording, announced as one: "one rule for the new stuff, partitions always in UTC". */
const ANNOUNCED = String.raw`(?:(?:one|a|new|general|house|team|another)(?: \w+)? (?:rule|request)(?: for [\w ]{3,30})?|rule|as a (?:general )?(?:thing|rule)|for the future|going forward|in (?:the )?future|for the record|reminder)(?:,|:| -) (?:please )?`;
/** "also: no force unwraps", "while at it: no heap" */
const ADDED = String.raw`(?:also|while (?:you're )?at it|btw|pls|please|one more thing)(?:,|:)? (?:please )?`;
const LETS = String.raw`(?:let's|lets|let’s|let us)`;
const END = String.raw`(?=[\s.!,;]*$)`;
const NOT_Y = String.raw`,? (?:not|never|instead of|rather than|and not|and never) [^.;]+`;
const IN_REPO = String.raw`in this (?:repo|project|codebase)`;
const TRIED = String.raw`(?:first |initially |at first,? )?(?:(?:i|we)(?:'ve| have| already| did)? )?`;

function marker(kind: MemoryKind, source: string, options: Options = {}): Marker {
  return { kind, pattern: new RegExp(`^${source}`, 'i'), ...options };
}

function rule(source: string, options?: Options): Marker {
  return marker('preference', source, options);
}

const OPEN: readonly Marker[] = [
  String.raw`(?:still )?(?:to ?-?do|open|still open|open on my (?:list|side)|left to do|still missing|for the backlog)(?: list)?\s*: (?<what>.{8,})`,
  String.raw`(?:add|put) (?:that |this |it )?(?:to|on) (?:my|the|our) (?:todo )?list: (?<what>.{6,})`,
  String.raw`(?:remind me to|don't let me forget to|we still (?:need|have) to) (?<what>.{8,})`,
].map((source) => marker('issue', source, INSIDE_WHOLE));

const DEAD_ENDS: readonly Marker[] = [
  marker(
    'dead_end',
    String.raw`${TRIED}(?<what>tried (?!it\b|that\b|this\b).{4,120}?,? (?:but .{8,}|(?:and it |it )?(?:did not|didn't|doesn't|does not) (?:work|help)\b.*))`,
    { whole: true },
  ),
  marker('dead_end', String.raw`(?<what>${THING}(?!if\b)[^,;?]{5,90} (?:did not|didn't) (?:work|help)\b.*)`, {
    whole: true,
    needsReason: true,
  }),
];

const FACTS: readonly Marker[] = [
  String.raw`${PLEASE}(?:remember|keep in mind|bear in mind|don't forget|do not forget)(?: that |: )(?<what>.{12,})`,
  String.raw`note to self: (?<what>.{12,})`,
].map((source) => marker('discovery', source, INSIDE_WHOLE));

const RULES: readonly Marker[] = [
  rule(String.raw`${ANNOUNCED}(?!(?:i|it|this|that)\b)(?<what>[^?]{10,})`, INSIDE),
  rule(String.raw`from now on,?:? (?<what>.{8,})`, INSIDE),
  rule(
    String.raw`(?:always )?${IN_ALL_PROJECTS}(?:,|:)? (?:please |i (?:always )?want (?:you to )?)?(?<what>.{6,})`,
    INSIDE,
  ),
  rule(
    String.raw`${PLEASE}(?:i (?:always )?want (?:you to )?|(?=(?:always |never |${DONT} )?${WORK}\b|${NO}))(?<what>[^;:]{6,120}?),? ${IN_ALL_PROJECTS}`,
    INSIDE,
  ),
  rule(
    String.raw`${PLEASE}(?<what>${WORK}\b[^,;:]{4,120}?),? (?:always,? (?:and )?everywhere|everywhere,? (?:and )?always)${END}`,
  ),
  rule(String.raw`i always want (?<what>[^;:]{6,120}?),? in general${END}`),
  rule(String.raw`(?<what>[^,;:]{8,120}?),? from now on\b`, INSIDE),
  rule(String.raw`${PLEASE}(?<what>(?:always|never) (?:ever )?${WORK}\b.{4,})`),
  rule(
    String.raw`(?<what>we (?:always|never) (?:${WORK}|reject|ship|accept|allow|break|support)\b.{3,})`,
    INSIDE,
  ),
  rule(
    String.raw`(?<what>${THING}(?:[\w-]+ ){1,3}always (?:in|as|with|via|through|snake_case|camelCase|lowercase|uppercase|english)\b(?!.*\b(?:same|first|around|while|when)\b).{0,60})`,
    INSIDE,
  ),
  rule(
    String.raw`${ADDED}(?<what>${NO}[\w.():<>-]+(?: [\w.():<>-]+){0,2})(?=\s*(?:[,;.!?]|$| (?:btw|please|pls)\b))`,
    INSIDE,
  ),
  rule(String.raw`${PLEASE}(?<what>${NO}[^,;.!?]{3,80}?(?:,| please| pls)? ${GENERAL})`),
  rule(
    String.raw`${PLEASE}(?<what>${NO}(?!.{0,30}\b(?:changes|errors|warnings|logs|results|tests)\b)(?:[\w.():<>-]+ ){0,2}(?:[\w-]+s|data) (?:in|from|outside|after) (?!this\b|that\b|these\b)[^,;.!?]{3,60})(?=[,;.!?]|$)`,
  ),
  rule(String.raw`(?:please|pls),? (?<what>${NO}[\w-]+s\b[^,;.!?]{0,60})`, INSIDE),
  rule(
    String.raw`(?:(?:can|could|would) (?:we|you) )?(?:please |pls |just |finally )*(?<what>stop (?:using|putting|adding|writing|naming|committing|importing|creating|mocking|calling|hardcoding|hard-coding|making|generating|mixing|logging|wrapping|touching|pushing|inventing) .{3,})`,
    INSIDE,
  ),
  rule(
    String.raw`(?<what>i (?:${DONT}|never) want (?:to see |to have )?(?!to\b|you\b|${PRONOUN})[^.?!]{3,80}? ${GENERAL}.*)`,
    INSIDE,
  ),
  rule(
    String.raw`(?:please |pls )(?<what>${DONT} (?:ever )?(?:use|put|write|import|log|mock|store|hardcode|introduce|name) (?!${PRONOUN}).{4,})`,
    INSIDE,
  ),
  rule(String.raw`${PLEASE}(?<what>${DONT} ${WORK} (?!${PRONOUN})[^.?!]{3,80} ${GENERAL}.*)`, INSIDE),
  rule(
    String.raw`${PLEASE}(?<what>(?:${DONT}|never) (?:touch|use|overwrite|rename|edit|store|cache|log|import|mock|delete|copy|hardcode) (?!${PRONOUN}|any\b)${NAME}(?: ${NAME}){0,5}(?:,| because| since| as) .{8,})`,
    { inside: true, needsReason: true },
  ),
  rule(String.raw`(?<what>${DONT} you (?:ever|dare) .{5,})`, INSIDE),
  rule(String.raw`(?<what>you (?:${DONT}|never) (?!need\b|have\b|know\b|want\b)[a-z]+ .{5,}\bever)\b`),
  rule(
    String.raw`(?:here )?(?<what>we(?: only| all)? use (?!${PRONOUN}).{1,80}?(?:${NOT_Y}| here${NOT_Y}| (?:here|everywhere|${IN_REPO}[^.;]*|for (?!now\b|${PRONOUN}|the\b)[^.;,]{3,}))(?=[.;,]|$)(?!,? (?:not|never)\b))`,
    INSIDE_WHOLE,
  ),
  rule(
    String.raw`(?<what>we ${DONT} (?:use|do|commit|mock|ship|log|store|accept|allow|put) (?!${PRONOUN}|much\b|know\b|so\b).{3,})`,
    INSIDE,
  ),
  rule(
    String.raw`(?<what>(?:it's |its )?(?!not\b)${NAME}(?: ${NAME}){0,3},? (?:not|never|instead of) ${NAME}(?: ${NAME}){0,2} (?:here|${IN_REPO}|in our (?:code|repo|project)))\b`,
    { whole: true },
  ),
  rule(String.raw`(?<what>${THING}${NAME}(?: ${NAME}){0,4} (?:is|are) (?:banned|off[- ]limits)\b.*)`, INSIDE),
  rule(
    String.raw`(?<what>${THING}${NAME}(?: ${NAME}){0,5} (?:must never|must always|may never|should never) .{4,})`,
    INSIDE,
  ),
  rule(
    String.raw`(?<what>${THING}${NAME}(?: ${NAME}){0,5} (?:must not|mustn't|may not|must stay) .{4,})`,
    WITH_REASON,
  ),
  rule(
    String.raw`${PLEASE}(?<what>(?:use|keep|write|name|put|format|prefer) (?!${PRONOUN})[^.;?]{3,80}? everywhere\b)`,
  ),
  rule(String.raw`(?<what>${NAME}(?: ${NAME}){0,2} only(?: ${IN_REPO}| here| please| pls))\b`),
  rule(String.raw`(?<what>new [\w-]+(?: [\w-]+)? only (?:after|with) .{4,})`, INSIDE),
  rule(
    String.raw`(?<what>(?:i|we) (?:strongly |really |generally )?prefer (?!not to\b|to wait\b|${PRONOUN}|the (?:first|second|former|latter)\b).{4,})`,
  ),
  rule(
    String.raw`(?<what>${THING}[\w\x60.-]+(?: [\w\x60.-]+){1,4} gives? me (?:nightmares|the creeps|hives))\b`,
  ),
];

const DECISIONS: readonly Marker[] = [
  marker('decision', String.raw`(?:decided|decision|final decision|agreed)\s*: (?<what>.{8,})`, INSIDE_WHOLE),
  marker(
    'decision',
    String.raw`(?:we|the team|i)(?:'ve| have)?(?: finally| now| all)? (?:decided|agreed|chose|opted) (?:to|that) (?<what>.{6,})`,
    INSIDE_WHOLE,
  ),
  marker(
    'decision',
    String.raw`(?:${LETS} (?:go|stick|stay) with|${LETS} use|we(?:'ll| will|'re going to| are going to) (?:use|go with)|we(?:'re| are) going with|we go with|go with|we(?:'ve| have)? (?:settled on|decided on|went with)) (?!${PRONOUN}|what\b|whatever\b)(?<what>.{2,})`,
    { ...INSIDE_CHOICE, lead: 'Use ' },
  ),
  marker(
    'decision',
    String.raw`(?:${LETS}|we(?:'ll| will)|we(?:'re| are) going to|we) (?<what>(?:stay on|stay with|stick with|stick to|switch to|move to|migrate to|switch from|keep) (?!${PRONOUN}|\w+ing\b).{2,})`,
    INSIDE_CHOICE,
  ),
  marker(
    'decision',
    String.raw`(?<what>(?!.*\b(?:as|when|if|because|than|how|what|where|on|in|is|and)\b.* it is)${NAME}(?: ${NAME}){0,4}) it is${END}`,
    { choice: true, lead: 'Use ' },
  ),
  marker(
    'decision',
    String.raw`(?<what>${THING}(?:the )?${NAME}(?: ${NAME}){0,2} stays?(?: (?:at|on|in|with|off|out) [^,]{1,60}| [\d.]+)?)${END}`,
    { choice: true },
  ),
  marker(
    'decision',
    String.raw`(?<what>we(?:'re| are) not (?:going to )?(?:us(?:e|ing)|switch(?:ing)?|mov(?:e|ing)|turn(?:ing)? (?:on|off)|add(?:ing)?|support(?:ing)?|migrat(?:e|ing)) .{3,})`,
  ),
];

export const MARKERS: readonly Marker[] = [...OPEN, ...DEAD_ENDS, ...FACTS, ...RULES, ...DECISIONS];
