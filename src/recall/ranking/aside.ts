/**
 * Does a prompt ask for what anybody knows (`what does fastlane match do?`) or for a turn of the hand (`sort the imports`)?
 * Such a one says the words of a project and wants nothing of its past. Read from how it begins; pure.
 */

/** What people say before they say what they want. */
const BEFORE =
  '^[^\\p{L}]*(?:(?:ok|okay|no|yes|yeah|yep|great|perfect|cool|thanks|now|then|and|also|just|hey|please|pls|can you|could you|would you|bitte|kannst du|puedes|peux-tu)[,:.!]*\\s+)*';

/** Asked of the world, in the languages whose stop words are known. */
const KNOWN = [
  "what(?:['’]?s| is| are) (?:an? |the (?:difference|meaning|best|easiest|usual|right) |good |you )",
  'what (?:does|do) [^.?!]{1,60} (?:do|mean|entail|stand for)(?!\\p{L})',
  'what (?:would be|do you) ',
  'how (?:do|does|can|would) (?:i|you|one) ',
  'how (?:to|many) ',
  'who (?:is|was) ',
  '(?:explain|describe|define|tell me) ',
  'is there an? ',
  'which (?:is|(?:one )?(?:do|would) you) ',
  'write (?:me )?an? (?:\\p{L}+ )?(?:one[- ]?liner|regex)',
  'was (?:ist|sind) (?:eine?|der unterschied) ',
  'was (?:macht|bedeutet|heißt) ',
  'wie (?:kann|mache|geht) ',
  'erklär',
  'qué (?:es una?|hace|significa) ',
  'expl[ií]ca',
  "qu['’]est-ce ",
  'explique',
  '什么是',
  '解释',
];

/** Done by hand or by a tool, with nothing to decide. What is bumped, removed or deployed may have been settled before. */
const HANDY = [
  '(?:re-?)?(?:format|sort|rename|indent|lint|translate|summari[sz]e|generate|count|list|show|print|open) ',
  '(?:commit|push|undo|revert)(?!\\p{L})',
  'übersetze? ',
  'traduce ',
  'traduis ',
  '翻译',
];

const ASKS_THE_WORLD = new RegExp(`${BEFORE}(?:${KNOWN.join('|')})`, 'iu');
const ASKS_A_HAND = new RegExp(`${BEFORE}(?:${HANDY.join('|')})`, 'iu');
/** Who says we asks for what was settled here. */
const OURS =
  /(?<!\p{L})(?:we|our|ours|us|wir|uns|unsere?|nosotros|nuestr[oa]s?|nous|notre|nos)(?!\p{L})|我们/iu;

export function isAside(prompt: string): boolean {
  return ASKS_A_HAND.test(prompt) || (ASKS_THE_WORLD.test(prompt) && !OURS.test(prompt));
}
