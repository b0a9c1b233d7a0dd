/**
 * Detects prompts that need no memory: general questions (`what does fastlane match do?`) and simple commands (`sort the
 * imports`). They use a project's words but not its past. Decided by how they begin. Pure.
 */

/** Words before the actual request. */
const BEFORE =
  '^[^\\p{L}]*(?:(?:ok|okay|no|yes|yeah|yep|great|perfect|cool|thanks|now|then|and|also|just|hey|please|pls|can you|could you|would you|bitte|kannst du|puedes|peux-tu)[,:.!]*\\s+)*';

/** Beginnings of general questions, in the languages with known stop words. */
const QUESTIONS = [
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

/** Beginnings of commands without a decision. Not `bump`, `remove` or `deploy`: a decision may exist about those. */
const COMMANDS = [
  '(?:re-?)?(?:format|sort|rename|indent|lint|translate|summari[sz]e|generate|count|list|show|print|open) ',
  '(?:commit|push|undo|revert)(?!\\p{L})',
  'übersetze? ',
  'traduce ',
  'traduis ',
  '翻译',
];

const GENERAL_QUESTION = new RegExp(`${BEFORE}(?:${QUESTIONS.join('|')})`, 'iu');
const SIMPLE_COMMAND = new RegExp(`${BEFORE}(?:${COMMANDS.join('|')})`, 'iu');
/** A question with "we" is about this project. */
const OURS =
  /(?<!\p{L})(?:we|our|ours|us|wir|uns|unsere?|nosotros|nuestr[oa]s?|nous|notre|nos)(?!\p{L})|我们/iu;

export function isAside(prompt: string): boolean {
  return SIMPLE_COMMAND.test(prompt) || (GENERAL_QUESTION.test(prompt) && !OURS.test(prompt));
}
