/** Generates completion scripts for bash, zsh and fish from the verbs. */
import { SETTING_KEYS } from '../../../config/index.ts';
import { flag, optionsOf, usageError, type Verb } from '../../verb.ts';

const SHELLS: Readonly<Record<string, (verbs: readonly Verb[]) => string>> = { bash, zsh, fish };

/** `tidemark help` is read before any verb, so it is not in the list of verbs. */
const HELP: Verb = {
  name: 'help',
  usage: 'help [<command>] [--all]',
  summary: 'Show help: the commands that people need, all of them, or one.',
  options: { all: flag('List all commands.') },
  json: false,
  run: async () => {},
};

/** Takes a function, because this verb is itself in the list. */
export function completionOf(verbs: () => readonly Verb[]): Verb {
  return {
    name: 'completion',
    usage: 'completion <bash | zsh | fish>',
    summary: 'Print a completion script for your shell.',
    json: false,
    examples: [
      'tidemark completion bash >> ~/.bashrc',
      'tidemark completion zsh > "${fpath[1]}/_tidemark"',
      'tidemark completion fish > ~/.config/fish/completions/tidemark.fish',
    ],
    async run({ args, screen }) {
      const script = SHELLS[args[0] ?? ''];
      if (!script)
        throw usageError(
          args[0] ? `there is no completion script for ${args[0]}` : 'no shell given',
          'Run: tidemark completion bash, zsh or fish',
        );
      screen.print(script([...verbs(), HELP]));
    },
  };
}

function bash(verbs: readonly Verb[]): string {
  const exact = followed(verbs).map(
    ({ before, words, options }) => `    '${before}') words='${[...words, ...options].join(' ')}' ;;`,
  );
  const values = verbs.flatMap((verb) =>
    choicesOf(verb).map(
      ({ option, choices }) => `    '${verb.name} '*'--${option}') words='${choices.join(' ')}' ;;`,
    ),
  );
  const cases = longestFirst(verbs).map(
    (verb) => `    '${verb.name} '*) words='${flags(verb).join(' ')}' ;;`,
  );
  return [
    '# Completion of tidemark for bash.',
    '_tidemark() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" IFS=$\' \\t\\n\' words=""',
    '  local before="${COMP_WORDS[*]:1:COMP_CWORD-1}"',
    '  COMPREPLY=()',
    '  case "$before" in',
    `    '') words='${firstWords(verbs).join(' ')}' ;;`,
    ...values,
    ...exact,
    '  *) case "$before " in',
    ...cases,
    '  esac ;; esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _tidemark tidemark',
  ].join('\n');
}

function zsh(verbs: readonly Verb[]): string {
  const quote = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(':', '\\:');
  const firsts = firstWords(verbs).map((word) => `    '${word}:${quote(summaryOf(verbs, word))}'`);
  const exact = followed(verbs).map(
    ({ before, words }) =>
      `    '${before}') [[ $PREFIX == -* ]] || { compadd ${words.join(' ')}; return } ;;`,
  );
  const cases = longestFirst(verbs).map((verb) => {
    const options = Object.entries(optionsOf(verb)).map(
      ([name, { doc, type, choices }]) =>
        `'--${name}[${quote(doc).replaceAll(/[[\]]/g, '\\$&')}]${type === 'string' ? `:value:${choices ? `(${choices.join(' ')})` : ''}` : ''}'`,
    );
    return `    '${verb.name} '*) _arguments '--help[Show help.]' ${options.join(' ')} '*: :_default' ;;`;
  });
  return [
    '#compdef tidemark',
    '_tidemark() {',
    '  local before="${words[2,CURRENT-1]}"',
    '  local -a verbs; verbs=(',
    ...firsts,
    '  )',
    '  case "$before" in',
    "    '') _describe verb verbs; return ;;",
    ...exact,
    '  esac',
    '  case "$before " in',
    ...cases,
    '  esac',
    '}',
    '# Sourced or autoloaded, either way.',
    'if [ "$funcstack[1]" = _tidemark ]; then _tidemark "$@"; else compdef _tidemark tidemark; fi',
  ].join('\n');
}

function fish(verbs: readonly Verb[]): string {
  const quote = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const seen = (before: string): string =>
    before
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
  const after = new Map(followed(verbs).map(({ before, words }) => [before, words]));
  const notYet = (before: string): string => {
    const words = after.get(before) ?? [];
    return words.length > 0
      ? `${seen(before)}; and not __fish_seen_subcommand_from ${words.join(' ')}`
      : seen(before);
  };
  const firsts = firstWords(verbs).map(
    (word) =>
      `complete -c tidemark -f -n '__fish_use_subcommand' -a ${word} -d '${quote(summaryOf(verbs, word))}'`,
  );
  const nexts = [...after].map(
    ([before, words]) => `complete -c tidemark -f -n '${notYet(before)}' -a '${words.join(' ')}'`,
  );
  const options = verbs.flatMap((verb) => {
    const isGroup = verbs.some(({ name }) => name.startsWith(`${verb.name} `));
    const where = isGroup ? notYet(verb.name) : seen(verb.name);
    return Object.entries(optionsOf(verb)).map(
      ([option, { doc, type, choices }]) =>
        `complete -c tidemark -n '${where}' -l ${option}${type === 'string' ? ' -x' : ''}${choices ? ` -a '${choices.join(' ')}'` : ''} -d '${quote(doc)}'`,
    );
  });
  return ['# Completion of tidemark for fish.', ...firsts, ...nexts, ...options].join('\n');
}

function flags(verb: Verb): readonly string[] {
  return [...Object.keys(optionsOf(verb)), 'help'].map((name) => `--${name}`);
}

/** The options of a verb whose values are a closed set. */
function choicesOf(verb: Verb): readonly { readonly option: string; readonly choices: readonly string[] }[] {
  return Object.entries(optionsOf(verb)).flatMap(([option, { choices }]) =>
    choices ? [{ option, choices }] : [],
  );
}

function firstWords(verbs: readonly Verb[]): readonly string[] {
  return [...new Set(verbs.map(({ name }) => name.split(' ')[0] ?? ''))];
}

function summaryOf(verbs: readonly Verb[], word: string): string {
  return verbs.find(({ name }) => name === word)?.summary ?? '';
}

/** Sorts `import history` before `import`, because it starts with it. */
function longestFirst(verbs: readonly Verb[]): readonly Verb[] {
  return verbs.toSorted((a, b) => b.name.split(' ').length - a.name.split(' ').length);
}

interface Followed {
  /** The words of the line before the word to complete. */
  readonly before: string;
  readonly words: readonly string[];
  readonly options: readonly string[];
}

/** Lists the places where a word of a closed set follows: two-word verbs, words of a usage line, and settings. */
function followed(verbs: readonly Verb[]): readonly Followed[] {
  const found = verbs.map((verb) => {
    const longer = verbs.filter(({ name }) => name.startsWith(`${verb.name} `));
    const words = [...longer.map(({ name }) => name.split(' ').at(-1) ?? ''), ...wordsIn(verb)];
    return { before: verb.name, words, options: flags(verb) };
  });
  const keys = ['get', 'set', 'add', 'remove', 'unset'].map((what) => ({
    before: `config ${what}`,
    words: SETTING_KEYS,
    options: [],
  }));
  const help = { before: HELP.name, words: firstWords(verbs), options: flags(HELP) };
  return [...found, ...keys, help].filter(({ words }) => words.length > 0);
}

/** `config [list | get <key>]` → list, get. Words in angle brackets are placeholders, except the choice of shells. */
function wordsIn({ name, usage }: Verb): readonly string[] {
  if (name === 'completion') return Object.keys(SHELLS);
  return usage
    .slice(name.length)
    .split('|')
    .flatMap((part) => /^[\s[]*([a-z][a-z-]*)(?=[\s\]]|$)/.exec(part)?.[1] ?? []);
}
