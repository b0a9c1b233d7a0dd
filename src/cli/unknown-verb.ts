/** Names the verb that the user probably meant: a misspelt one, the start of one, or a word of another program. */
import { suggest } from '../config/index.ts';
import type { TidemarkError } from '../core/index.ts';
import { mostArguments } from './arguments.ts';
import { ALL_COMMANDS } from './help.ts';
import { usageError, type Verb } from './verb.ts';

/** Words that people type because other programs have them. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  add: 'remember',
  check: 'doctor',
  dashboard: 'hub',
  delete: 'forget',
  find: 'search',
  get: 'show',
  history: 'sessions',
  init: 'install',
  list: 'search',
  ls: 'search',
  open: 'hub',
  quarantine: 'failed',
  query: 'search',
  recall: 'search',
  remove: 'forget',
  rm: 'forget',
  settings: 'config',
  setup: 'install',
  ui: 'hub',
  update: 'install',
  upgrade: 'install',
  version: '--version',
  web: 'hub',
};

/** Verbs of earlier versions, with what to use instead. One line per verb, in order of the alphabet. */
const REMOVED: Readonly<Record<string, string>> = {
  cost: 'Nothing replaces it: Tidemark uses no model that costs money.',
  distill:
    "Nothing replaces it: the agent's notes and the small model on this machine write memories by themselves.",
  model: 'Set what makes vectors: tidemark config set embed.driver <local|openai|none>',
  recap: 'Use tidemark sessions --since 3d --markdown.',
};

/** Returns the error for a word that is not a verb. */
export function unknownVerb(word: string, verbs: readonly Verb[]): TidemarkError {
  if (Object.hasOwn(REMOVED, word)) return usageError(`"${word}" was removed`, REMOVED[word]);
  const names = verbs.map(({ name }) => name);
  const near = Object.hasOwn(OTHER_WORDS, word)
    ? OTHER_WORDS[word]
    : (startOf(word, names) ?? suggest(word, names));
  return problem(word, near && `tidemark ${near}`);
}

/** Returns the error for `import histroy`, where `import` takes no argument and `import history` exists. */
export function unknownSecondWord(
  verb: Verb,
  rest: readonly string[],
  verbs: readonly Verb[],
): TidemarkError | undefined {
  const [second] = rest;
  if (second === undefined || second.startsWith('-') || mostArguments(verb) > 0) return undefined;
  const seconds = verbs
    .filter(({ name }) => name.startsWith(`${verb.name} `))
    .map(({ name }) => name.slice(verb.name.length + 1));
  if (seconds.length === 0) return undefined;
  const near = startOf(second, seconds) ?? suggest(second, seconds);
  return problem(`${verb.name} ${second}`, near && `tidemark ${verb.name} ${near}`);
}

function problem(typed: string, near: string | undefined): TidemarkError {
  const all = `All commands: ${ALL_COMMANDS}`;
  return usageError(`"${typed}" is not a command`, near ? `Did you mean "${near}"? ${all}` : all);
}

/** The only name that begins with the word. */
function startOf(word: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => name.startsWith(word));
  return found.length === 1 && word.length > 1 ? found[0] : undefined;
}
