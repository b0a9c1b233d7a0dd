/** Decides from the user's words whether a rule applies in every project or only here. In doubt it stays here. Pure. */

const PROJECTS = String.raw`(?:projects?|repos?|repositor(?:y|ies)|codebases?)\b`;
const ALL = String.raw`(?:all|every|each|any)(?: (?:one )?of)?`;

/** "in all my projects", "in every repo I work on". "In every project" alone may be a task for the packages of this one. */
export const IN_ALL_PROJECTS = String.raw`(?:in|across|for) (?:${ALL} my (?:\w+ )?${PROJECTS}|${ALL} ${PROJECTS} (?:that )?(?:i (?:have|work on)|of mine)\b)`;

const EVERY_PROJECT = new RegExp(
  String.raw`\b${IN_ALL_PROJECTS}|\b(?:whatever|whichever|no matter (?:what|which)|regardless of)(?: the)? (?:project|repo)\b|\bwherever i (?:work|code)\b`,
  'i',
);
/** Words that ask for it always and everywhere; "use tabs everywhere" may mean everywhere in the code of this project. */
const IN_GENERAL =
  /\balways,? (?:and )?everywhere\b|\beverywhere,? (?:and )?always\b|\bi always (?:want|like|need)\b.*\bin general\b|\b(?:in general|generally),? i (?:always )?(?:want|like|need)\b/i;

const OF_A_PROJECT =
  /\b(?:we|our|us|this (?:repo|repository|project|codebase|package|module|file)|the (?:repo|project|team)|here)\b/i;
const OF_A_PERSON =
  /\bi(?:'d| would| really| strongly| generally)* prefer\b|\bcall me\b|\b(?:answer|reply|respond|talk|speak|explain)\b.{0,40}\b(?:in|with|to me|briefly|shortly)\b|\bbe (?:brief|concise|terse)\b|\byour (?:answers?|replies|responses|summar\w+)\b|\bmy name\b/i;

/** Whether the words name this project, or a team that works on it. */
export function isOfProject(said: string): boolean {
  return OF_A_PROJECT.test(said);
}

/** Whether the user says that it applies in every project. */
export function saysEverywhere(said: string): boolean {
  const rest = said.replace(EVERY_PROJECT, ''); // "whatever the project" names no project
  return !isOfProject(rest) && (rest !== said || IN_GENERAL.test(said));
}

/** Preferences about the user's own way of working are personal; those about a project stay with it. */
export function isPersonal(said: string): boolean {
  return saysEverywhere(said) || (!isOfProject(said) && OF_A_PERSON.test(said));
}
