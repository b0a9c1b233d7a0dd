/** English patterns of how an agent ends its answer, and of open issues at the end of a turn. Each one is linear. */

const STATE = String.raw`(?:complete|completed|done|finished|ready|working|functional|operational|implemented|in place|live|perfect|fixed|resolved|addressed|production[- ]ready|solid|successful|validated|good to go|set up|up and running)`;
const NOW = String.raw`(?: now| all| fully| actually| already| properly| correctly| completely| successfully| currently| been| both)*`;

/** The agent praises its work or calls it finished. Text after a `but` may still be open. */
export const PRAISE = new RegExp(
  [
    String.raw`^(?!.*\b(?:but|however|except|although|though|remaining|missing|only)\b).*(?:`,
    String.raw`(?:\b(?:is|are|was|were|be|has|have)|'s|'re|'ve)${NOW} ${STATE}\b`,
    String.raw`|\bshould (?:now )?(?:be |all )?(?:work|works?ing|pass|handle|see|get|fixed|resolved)\b`,
    String.raw`|\b(?:much|significantly|far) (?:more|better|cleaner|simpler|faster|easier|safer|reduces?|improves?|improved)\b`,
    String.raw`|\b(?:perfectly|flawlessly|seamlessly|production[- ]ready|successfully)\b`,
    String.raw`|\b\d+ tests? (?:now )?(?:pass|passing|passed)\b`,
    String.raw`)|^(?:great|excellent|perfect|awesome|amazing|congratulations|nice|well done|good (?:question|point|catch))\b`,
  ].join(''),
  'i',
);

/** Addressed to the user: an offer, a request, instructions. */
export const TO_THE_PERSON =
  /\byou(?:r|rs|rself|'(?:re|ve|ll|d))?\b|^(?:please|try|feel free|let me know|want me to|sign up|simply|just)\b|\b(?:i'd|i would|i) (?:recommend|suggest|propose)\b|\bwe can (?:then |now |also )?(?:proceed|move on|focus|mark|start|continue|set up|test)\b/i;

/** A problem that the same sentence plays down. */
export const PLAYED_DOWN =
  /\b(?:minor|mostly|cosmetic|expected|edge (?:cases?|scenarios?)|not bugs?|rather than|separately|separate (?:\w+ ){0,2}(?:issues?|problems?|concerns?)|(?:doesn't|don't|do not|does not) affect|non-blocking|harmless|pre-existing|unrelated|not (?:related|caused)|not a (?:bug|problem)|genuinely|by design)\b/i;

/** An order. */
export const IMPERATIVE =
  /^(?:(?:then|also|\w+ly),? )*(?:test|analy[sz]e|read|find|look|show|explain|try|add|run|configure|create|use|fix|verify|check|review|update|implement|deploy|monitor|replace|document|consider|ensure|investigate|install|set|enable|write|make|start|begin|continue|proceed|validate|confirm|trigger|get|complete|integrate|switch|iterate|apply|move|open|push|commit|merge|approve|generate|restart|extract|remove|rename|refactor|clean|delete|handle|split|wrap|drop|tighten|simplify|deduplicate)\b/i;

/** `The only missing piece is to …`: the point follows. */
export const THE_REST = String.raw`^(?:so )?the (?:(?:main|only|last|one) )*(?:remaining|missing|open|outstanding) (?:task|to-?do|work|step|item|piece|part|thing)(?: now| here)? is (?:to |(?=\w+ing\b))`;

/** Depends on something else. */
export const CONDITIONAL =
  /^(?:once|now that|when|if|after|as soon as|unless|whenever|in case|optionally)\b/i;

/** States that something is not done yet. */
export const STATES_OPEN =
  /\b(?:not yet|yet to|no \w+ yet|(?:does|do)(?:n't| not) (?:exist|work|support|handle|cover)\b|still (?!works?\b|pass|holds?\b)|remain(?:s|ing)?|missing|untested|unresolved|unfixed|unhandled|unverified|not (?:\w+ )?(?:supported|handled|covered|implemented|tested|wired|done|working|verified|migrated)|fail(?:s|ing)|broken|flaky|hangs?|hanging|crash(?:es|ing)|leaks?|blocked|preventing|times out|out of date|workaround|known (?:bug|issue|problem)|(?:has|have) to be|needs? to be|must be|before (?:the|we|releas\w+|deploy\w*|merg\w+))\b/i;

/** The user asks what is left to do: then proposals are the answer, not a courtesy. */
export const ASKS_WHAT_IS_OPEN =
  /\b(?:where (?:do|are) we\b|what(?:'s| is| are)?(?: still)? (?:left|next|remain\w*|missing|open)|what (?:else )?(?:do|should|must) (?:we|i) (?:still )?(?:need to )?do|next steps?|remaining (?:work|tasks?|items?)|left to do|to-?dos?|status|hand-?over|still open)\b/i;

/** Only announces the clause that follows. */
export const THE_MATTER =
  /^(?:(?:so|and|but|ah|ok|well)\b[,:—– -]*)*(?:the|your|our|a|another) (?:(?:real|main|key|core|actual|root|underlying|only|exact|likely|other|second|first|true|big|deeper) )*(?:issue|problem|bug|cause|culprit|reason|answer|catch|error|failure|fix|solution|mistake|fault|trouble|difference|finding|insight|takeaway|point)(?: here| now| though)? (?:is|was|seems to be|should be)(?: actually| simply| just| really| simpler| simple| this)*(?: that| because|:)\s+/i;

/** `Why the branch stays`, `Likely the proxy`: a question or a guess. */
export const NO_STATEMENT = /^(?:why|how|what|where|either|see|likely|probably|possibly|maybe)\b/i;
