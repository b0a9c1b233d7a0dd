/** English word patterns that separate talk from substance. Each one is linear. */

/** Openings of chat messages. */
export const OPENING = String.raw`^(?:(?:ok|okay|so|yes|yeah|yep|right|good|fine|great|nice|well|and|but|also|then|alright|please|hey|hm+|no|looks? (?:ok|good|fine|great))[,.!:… —–-]+)*`;

/** A hedge: nothing is decided. */
export const HEDGE =
  /\?\s*$|\b(?:if (?:we|you|i|it|that|this)|whether|should we|shall we|could|would|might|maybe|perhaps|do you want|would you like|let me know|want me to|your call|either way|for example|e\.g\.)\b/i;

/** The agent announces its next step. */
export const NARRATION =
  /^(?:(?:ok|okay|good|great|perfect|excellent|right|now|next|first|first of all|then|so|alright|wait|hmm|actually|finally|yes|also)[,.!:— –-]+)*(?:let me\b|let's (?:see|check|look|run|start|verify|try|test|fix|also)\b|i'll\b|i will\b|i'm going to\b|i need to\b|i should\b|i see\b|i can see\b|i have (?:a|enough|all|everything|extensive)\b|i want to\b|now (?:let|i|update|add|create|run|fix|check|the|for|to|we)\b|next,? (?:i|let|we)\b|time to\b|waiting\b|looking at\b|checking\b|running\b)/i;

/** Starts with a word that refers to earlier text: useless as a title. */
export const POINTING =
  /^(?:it|its|it's|this|that|these|those|they|them|he|she|there|here|which|what|both|one|so|and|but|or|all of it|everything|the (?:same|above|following|former|latter|change|changes|plan|fix|issue|problem))\b(?!\s*`)/i;

/** A name of the project, a path, or a number. */
export const NAMED =
  /`[^`]+`|\b\w+\.(?:ts|tsx|js|py|go|rs|rb|java|kt|swift|c|cpp|h|cs|php|md|json|ya?ml|toml|sql|sh)\b|\b[a-z]+[A-Z]\w+|\b[a-z]+_[a-z_]+\b|\b\d[\d,.]*\s?(?:ms|s|MB|GB|KB|%|rows|queries|connections|requests|workers)\b/;

export const DONE_VERBS =
  'added|adapted|adjusted|applied|bound|built|bumped|changed|cleaned up|consolidated|converted|created|cut|deduplicated|deleted|documented|dropped|enabled|disabled|deprecated|ensured|exposed|extended|extracted|fixed|hardened|implemented|imported|improved|inlined|integrated|introduced|made|merged|migrated|moved|normalized|normalised|optimized|optimised|patched|pinned|ported|raised|rebuilt|refactored|registered|removed|renamed|reorganized|replaced|resolved|restored|restructured|reverted|rewrote|rewired|set|set up|shipped|simplified|sped up|split|stopped|swapped|switched|taught|tightened|unified|updated|upgraded|vendored|wired|wrapped|wrote';

/** Comments, plans and tests, which accompany the work. */
export const ABOUT_TEXT =
  /^(?:the|each|all|both)(?: [\w`.]+){0,2}? (?:docs?|documents?|comments?|tests?|test cases?|readme|changelog|plan|spec|copy|wording)\b/i;

export const REFACTOR_WORDS =
  /\b(?:refactor(?:ed|ing)?|renam(?:e|ed)|extract(?:ed)?|mov(?:e|ed) (?!the (?:user|cursor))|restructur(?:e|ed)|reorgani[sz]ed?|consolidat(?:e|ed)|dedup\w*|replaced|collapsed|inlined?|simplif(?:y|ied)|split|clean(?:ed)? up)\b/i;

/** Words of users when something does not work. */
export const TROUBLE =
  /\b(?:fail(?:s|ed|ing|ures?)?|errors?|crash(?:es|ed|ing)?|bugs?|broken?|breaks|slow|wrong|hangs?|stuck|stop(?:s|ped) (?:working|after|when)|leaks?|flaky|restart(?:s|ing)|throws?|throwing|exceptions?|regression|race condition|(?:not|n't) work(?:s|ing)?|noise)\b/i;

export const FIX_WORDS = /\b(?:fix(?:es|ed)?|bug|regression|crash(?:es|ed)?|resolved?)\b/i;

/** Words without a topic. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'a about after all also always an and any are as at be because been before being but by can could did do does done each every for from had has have how if in instead into is it its just let like make may more most must need never new no not now of off on one only or other our out over own rather same should since so some still such than that the their them then there these they this those through to too under up upon us use used uses using very want was we were what when where which while who why will with without would you your prefer decided added updated fixed removed created changed wanted reason'.split(
    ' ',
  ),
);

/** Function words of neighbouring languages. */
export const FOREIGN_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'der die das und ist nicht mit für auf ein eine wurde werden ich le la les des est une un dans pour avec sur qui que el los las una para con por se del o os uma não com em do il che di è per sono een het van niet'.split(
    ' ',
  ),
);

/** Common in English and rare elsewhere: their share shows the language. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'the a an and or of to in is are was were it that this for with on as be by not i you we now all from have has'.split(
    ' ',
  ),
);
