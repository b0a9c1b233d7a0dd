/** Turns a sentence of a chat into a plain statement: without its opening, politeness, verdict and first person. Pure. */
import { BY_ME, VERDICT } from '../rules/reported.ts';
import { withoutPoliteness } from '../rules/said.ts';
import { ADDITION, OPENING } from '../rules/talk.ts';

type Rewrite = readonly [RegExp, string];

/** In the user's words. Applied in order, each at most once. */
const SAID: readonly Rewrite[] = [
  // A command of the client: "/plan write the schema".
  [/^\/[a-z][\w:-]* +(?=\S+ \S)/i, ''],
  // The answer to a numbered question: "4 is a hard no: nothing may throw", "1 only plan versions".
  [
    /^#?\d{1,2}[.):]? +(?:(?:is )?(?:an? )?(?:hard |clear |definite )?(?:no|nope|yes|y|ok)\b(?: anyway| way)?[,:;.] *)+(?=\S+ \S+ \S)/i,
    '',
  ],
  [/^#?\d{1,2}[.):]? +(?=(?:only|never|always|must|use|without|email|just|keep) \S+ \S)/i, ''],
  [
    /^(?:(?:please |pls )?(?:remember|keep in mind|bear in mind|note|don't forget|do not forget)(?: that|:|,)?|for the record[,:]?|fyi[,:]?|heads up[,:]?|reminder[,:]?|one (?:more )?(?:rule|thing)[,:]?|(?:(?:that|this)(?:'s| is) (?:a|our|the) )?(?:new |general |house |team )?rule(?: for [^:,]{3,30})?[:,]|decision[:,]|decided[:,]|(?:from now on|going forward|in (?:the )?future|as a rule|in general)[,:]?|important[:,]) +/i,
    '',
  ],
  [/^i(?:'ve| have) (?:decided|chosen) (?:to|that) /i, ''],
  [/^we(?:'ve| have)? (?:decided|agreed|chose|opted) (?:to|that|on) /i, ''],
  [
    /^(?:let's|lets|let’s|let us|we(?:'ll| will)|we(?:'re| are) going to|i(?:'d| would) (?:like (?:you )?to|rather)|i want (?:you |us )?to|(?:we|i|you) (?:also |now |just |still )*need (?:you )?to|(?:can|could|would) (?:you|we)(?: please)?|you (?:should|can|must)|i think we should|we should|just) (?!not\b|never\b|be\b)/i,
    '',
  ],
  [/^(?:i|we) (?:honestly |really |strongly )?(?:think|believe|feel) (?:that )?(?=\S+ \S+ \S)/i, ''],
  [/^(?:go|going|gone|went|we go) (?:with|for) (?=\S)/i, 'Use '],
  [/^we(?:'re| are) going with /i, 'Use '],
  [/^(?:stick|stay) (?:with|to|on) (?=\S)/i, 'Keep '],
  [/^([^,;]{2,60}?) it is(?: then)?(?=\s*(?:[,.!;–—-]|$)|\s+(?:for|because|since)\b)/i, 'Use $1'],
  [/^(?:do|take|use) the /i, 'Use the '],
  [
    /,? (?:from now on|going forward|in (?:the )?future|for good|as discussed|if possible|ok\?|okay\?|right\?|yes\?)(?=[\s,.!?;]|$)/i,
    '',
  ],
];

/** Returns the user's sentence as a statement that needs no conversation around it. */
export function userStatement(text: string): string {
  let statement = withoutPoliteness(text.replace(OPENING, '').replace(ADDITION, ''));
  for (const [pattern, by] of SAID) statement = statement.replace(pattern, by).trim();
  return statement;
}

/** Agreement and verdicts before the report itself. */
const ANSWERED =
  /^(?:(?:yes|no|right|correct|exactly|good (?:catch|point|call|idea|question|instinct)|great|you're right|you are right|fair(?: point)?|agreed|understood|noted|confirmed|sure|ok(?:ay)?|done|fixed|found it|found the (?:cause|bug|culprit)|got it|interesting|sorry|true|indeed|in short|short answer|short version|result|summary|verdict|update|status|both done|all done|reproduced|reverted|applied|will do|makes sense|nice|ja|oui|sí|sim|pushed|committed|merged|shipped|erledigt|verstanden|compris|entendido|hecho|feito|готово|понял|понятно)(?: now| and (?:tested|green|pushed|committed|done))?(?:[,.:;!]| [—–-])+\s*)+(?=\S)/i;
const REPORTED: readonly Rewrite[] = [
  [
    /^(?:so|and|but|also|now|then|next|first|finally|meanwhile|however|therefore|in addition|additionally|in the end|as (?:agreed|discussed|requested|you asked|suggested)|from now on|for now|that means|this means|it turns out(?: that)?|turns out)[,:]? +(?=\S+ \S)/i,
    '',
  ],
  [/^(?:as )?we(?:'ve| have)? (?:decided|agreed|settled)(?: on| to| that) +/i, ''],
  [BY_ME, ''],
  [
    /^(?:i|we)(?:'ve| have)?(?: now| also| therefore| just| then)? (?=(?:wrote|built|kept|chose|took|ran|found|sent|cut|gave|brought|turned|switched|swapped|left|taught|rebuilt|ripped|undid|drew|threw|tried|documented)\b)/i,
    '',
  ],
  [/^i(?:'ll| will) (?=\S)/i, ''],
];

/** Returns the agent's report as a statement. */
export function agentStatement(text: string): string {
  let statement = text.replace(ANSWERED, '').replace(VERDICT, '');
  for (const [pattern, by] of REPORTED) statement = statement.replace(pattern, by).trim();
  return statement;
}

/** Words that state a rule, rather than its reason. */
export const ORDERS =
  /\b(?:never|always|don't|dont|do not|no|only|must|use|not|instead|should|stop|keep|every|nie|immer|kein\p{L}*|nur|jamais|toujours|nunca|siempre|sempre|никогда|всегда|только)\b|不要|一律|必须|禁止|別|してください|ないで|말아|항상/iu;
