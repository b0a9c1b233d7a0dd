/** English patterns of what is not worth storing: orders for the moment, hypotheticals, quotations, offers. Linear. */

/** A question, a hypothesis, an option or a guess. */
export const HEDGE =
  /\?["')\s]*$|^(?:if|what if|suppose|imagine|assuming|once|when we|in case)\b|\b(?:should we|shall we|could we|would we|might|maybe|perhaps|probably|hypothetically|in theory|just curious|thinking (?:out loud|aloud)|random thought|someday|if we ever|one option|an option|either|whether|not sure|i guess|i wonder|do you want|would you like|let me know|want me to|your call|i'd (?:suggest|recommend|lean|take|prefer|go)|i would (?:suggest|recommend)|you (?:could|might|may))\b/i;

/** An order for this moment only. */
export const FOR_NOW =
  /\b(?:for (?:now|today|tonight|the moment|the time being|this (?:run|one|time|pr|commit|branch|test))|right now|not now|yet|today|tonight|tomorrow|this time|this once|until (?:i|we|tomorrow|monday|then)|before (?:lunch|you (?:start|go))|for a (?:sec|moment|minute)|temporarily|in the meantime|at the moment|first,? (?:then|show)|while (?:i|we) (?:wait|check|look))\b|(?<!\p{L})(?:heute|vandaag|hoy|oggi|aujourd'hui|hoje|dzisiaj|сегодня)(?!\p{L})|오늘|今天|这次|今日|今回/iu;

const SAYS = String.raw`(?:says|said|writes|wrote|claims|claimed|recommends?|suggests|suggested|thinks|wants|wanted|asked|told (?:me|us))`;
const OTHERS = String.raw`(?:read ?me|docs?|documentation|docstring|manual|website|site|page|article|blog(?: post)?|post|paper|issue(?: text)?|ticket|thread|comment|forum|reddit|discord|slack|twitter|stack ?overflow|e?-?mail|message|vendor|support|guide|spec|changelog|linter|reviewers?|colleague|boss|chief|coworker|manager|marketing|some(?:one|body)|guy|people|they|he|she)`;
const FROM = String.raw`\b(?:according to|quote|verbatim|from the (?:docs?|readme|website|tool's website)|paste|pasted|copied from)\b|^(?:my|our|the) (?:boss|colleague|manager)\s*:`;
const INTRODUCED = new RegExp(String.raw`\b${OTHERS}(?: \w+){0,3} ${SAYS}\b|${FROM}`, 'i');
/** "Hannes thinks", "Jorge from support wrote me" */
const NAMED_SPEAKER = new RegExp(String.raw`\b[A-Z][a-z]+(?: from [\w ]{2,20})? ${SAYS}\b`);

/** Whether the sentence introduces the words of someone or something else; what follows is a quotation. */
export function quotesOthers(text: string): boolean {
  return INTRODUCED.test(text) || (NAMED_SPEAKER.test(text) && !/^(?:I|We|You|And|But|So|It)\b/.test(text));
}

/** A line that only names a text of others, such as "README:" or "here is the issue text:", with the lines below it. */
export const NAMED_TEXT = new RegExp(
  String.raw`^[^\n.!?]{0,40}\b(?:${OTHERS}|logs?|output|error|diff|review)(?:[ .#][^\n.!?:：]{0,20})?[:：][ \t]*\n[\s\S]*`,
  'im',
);

/** The next task. */
export const ORDER =
  /^(?:(?:and|then|now|next|also|please|so|ok)[,:]? )*(?:set|add|make|do|write|put|run|execute|fix|implement|create|move|remove|change|start|show|give|tell|push|merge|commit|deploy|check|look|find|update|rename|build|port|test|ship|open|close|try|revert|go|migrate|convert|refactor|rewrite|replace|install|upgrade|delete|drop|clean|finish|continue|extract|split|document|explain|review|debug|investigate|apply|generate|switch|wire|read|research|audit|address|resolve|verify|analy[sz]e|study|inspect|summari[sz]e|compare|list|print|draft|kick|take a look|have a look|proceed|get|grab|fetch|bump|handle|sketch|propose|suggest|describe|search|figure out|begin|help|notice|adjust|tweak|undo|re-?run|let's (?:see|look|start)|can you|could you|you)\b/i;

/** Refers to something outside of the sentence: no title. */
export const POINTING =
  /^(?:it|its|it's|this|that|that's|these|those|they|them|he|she|there|here|which|what|both|one(?= (?:that|is|was|of|on|in|for)\b|[\s.,!]*$)|so|and|but|or|everything|option|number|[a-d](?=[\s.,!]*$)|[0-9]+|the (?:same|above|former|latter|first|second|third|other|last)(?: one| option)?|your|mine|yours)\b(?!\s*`)(?=$|[\s,.;:!])/i;

/** A verb with only a pronoun as its object. */
export const POINTING_OBJECT =
  /^(?:always |never |please |don't |do not |just )*\w+ (?:it|this|that|them|these|those)(?: (?:one|way|stuff|thing|as|for|then|like|in|to|out|up|off|again))*\W*$/i;

/** The agent announces, offers or praises. */
export const NARRATION =
  /^(?:(?:ok|okay|good|great|perfect|right|now|next|first|then|so|sure|yes|also|done|sorry)[,.!:— –-]+)*(?:let me\b|let's\b|i'll\b|i will\b|i'm (?:now |also |just |currently |still |deliberately )*(?:\w+ing)\b|i'd\b|i would\b|i can\b|i could\b|want me to\b|shall i\b|should i\b|if you\b|when you\b|just (?:say|tell)\b|happy to\b|feel free\b|thanks\b|thank you\b|you're (?:right|welcome)\b|you can\b|you(?:'ll| will) (?:need|have|want) to\b|note that you\b|i (?:have not|haven't|did not|didn't|left|looked|checked|ran|would|think|see|read|traced)\b)/i;

/** Says that there is no problem, or none any more. */
export const FINE =
  /\b(?:(?:was|is|are) (?:just )?(?:noise|harmless|safe|expected|intended|deliberate|intentional|acceptable|appropriate|correct|by design|because)|which is fine|that's fine|not an? (?:real |code )?(?:bug|defect|problem|issue)|rather than an? (?:real |code )?(?:bug|defect|problem)|stays? unchanged|remains? unchanged|acceptable|by design|reconcile[sd]|resolves? (?:it|them|this|that)|now resolved|works as (?:intended|expected))\b|[✓✔✅]\s*$/iu;

/** The user reports that something does not work. */
export const TROUBLE =
  /\b(?:fail(?:s|ed|ing|ures?)?|errors?|crash(?:es|ed|ing)?|bugs?|broken?|breaks|wrong|hangs?|stuck|leaks?|flaky|throws?|exceptions?|regression|deadlocks?|timeouts?|times? out|twice|duplicates?|missing|lost|loses?|slow|stutters?|not work\w*|doesn't work|doesnt work|unsolvable|dies|died|drifts?|desync|empty|rejected|red|oom\w*|panics?|nan)\b|n't (?:load|start|open|find|work|show|save)|\b(?:bug|fehler|kaputt|stürzt|abst[uü]rz\w*|langsam|erreur|plante|lent|lento|falla|erro|quebra|ошибка|падает)/i;

/** Words at the beginning of a chat message that say nothing. */
export const OPENING =
  /^(?:(?:ok(?:ay)?|so|now|yes|yeah|yep|yup|right|good|fine|great|nice|perfect|cool|well|and|but|then|alright|hey|hm+|ah|oh|no(?=[,.!:…])|nope|nah|agree|agreed|actually|sure|exactly|by the way|works|thanks|thank you|thx|wait|fair enough|ugh|careful|sorry|convincing|makes sense|sounds good|looks good|important|honestly|another thing|other thing|lol|haha|ew|ffs|seriously|dude|mm+k?|hm+k?|uh+|um+|k(?=[,.])|y(?=[,.])|no no|no,? (?:man|wait)|man|anyway|welp|(?:first|second|third|last)(?:ly)?(?=,)|finally(?=,)|reason being(?=,)|for clarity(?: though)?(?=,)|of (?:important )?note(?=,)|assuming so(?=,)|in particular(?=,))(?:[,.!:…]+\s*|\s+[—–-]+\s*|\s+(?=\S)))+/i;
/** Words that only announce an addition. They are part of some markers. */
export const ADDITION = /^(?:also|btw|while (?:you're )?at it|one more thing)[,:]? /i;

/** Tells what the user did, saw or feels: neither a rule nor a decision. "I think we should …" is one. */
const STORY =
  /^(?:i|we)(?:'ve)? (?:(?:just|also|now|already|only|even|do|did|have) )*(?:run|ran|did|checked|tested|tried|meant?|like[ds]?|love|hate|see|saw|g[eo]t|made|pushed|think|thought|guess|feel|notice[ds]?|looked|restarted|deleted|removed|installed|opened|updated|know|knew|understand|understood|remember|hear|heard|came|went|am|was|were|looked)\b/i;
const RULED =
  /\b(?:should|must|never|always|prefer|instead|rather|need|have to|only|don't want|stick|go with)\b/i;
/** "the small font is fine": an answer that only its question explains. */
const APPROVAL =
  /^[^,;:.]{2,50} (?:is|are|looks?|sounds?|seems?|works?) (?:totally |perfectly |also |all |pretty |probably )?(?:fine|good|ok|okay|great|perfect|right|correct|well|better)(?: (?:by|with|for|to) (?:me|us)| as is| enough)?[.! ]*$/i;
/** A question without a question mark. */
const ASKS =
  /^(?:why|where|when (?:do|does|did|is|are|was|were)|who|how come|how (?:do|does|did|is|are)|what (?:if|is|are|does|do|would|about)|is (?:it|there|this|that)|are (?:there|these|those|they)|does|do (?:we|you|i|they)|did (?:you|we|it)|can (?:we|i)|could (?:we|i)|would (?:it|that|this))\b/i;
const PROPOSES =
  /^consider \w+ing\b|\b(?:can|could) (?:we|you|i)\b|\b(?:presumably|least worst|(?:we|one) (?:could|might))\b/i;

/** "Use the longer name for issue 4": numbered in a list that no one sees later. */
const NUMBERED =
  /\b(?:issues?|items?|points?|findings?|comments?|observations?|obs|suggestions?|tasks?|options?) \d{1,2}\b|^(?:address|fix|do|skip|take|let's do) #?\d/i;

/** "If I run it without a flag, it asks twice": the user reports what happens. */
const REPORTS =
  /^(?:if|when|whenever) (?:i|you|we|one) (?:\w+ )?(?:run|do|click|open|start|type|press|call|use|try|go|select|save|resume|close)\b/i;

/** Whether a sentence of the user only tells, asks, agrees or muses: it states nothing that lasts. */
export function isChat(text: string): boolean {
  const said = text.replace(OPENING, '');
  if (STORY.test(said)) return !RULED.test(said);
  return [APPROVAL, ASKS, PROPOSES, NUMBERED, REPORTS].some((pattern) => pattern.test(said));
}

/** "`go test` - all pass", "`TestLogin` covers the retry", "Verifies that …": the checks of the moment. */
export const CHECK =
  /^`[^`]+`\s*[-–—:→(]+\s*(?:all\b|\d+|success|pass|ok\b|clean|green|no (?:errors|issues|warnings))|^`?(?:\w+_)?tests?[A-Z_]\w*|^(?:tests?|verif(?:ies|y)|asserts?|checks?|ensures) (?:that|when|if|the|both|all)\b/i;
