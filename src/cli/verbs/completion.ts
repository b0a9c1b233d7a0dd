/** Completion scripts for bash, zsh and fish, made from the verbs themselves. */
import { SETTING_KEYS } from '../../config/index.ts';
import { TidemarkError } from '../../model/index.ts';
import type { Verb } from '../verb.ts';

const SHELLS: Readonly<Record<string, (verbs: readonly Verb[]) => string>> = { bash, zsh, fish };

/** Asked for when needed: it is one of the verbs itself. */
export function completionOf(verbs: () => readonly Verb[]): Verb {
  return {
    name: 'completion',
    usage: 'completion <bash | zsh | fish>',
    summary: 'Print a completion script for your shell.',
    options: {},
    examples: [
      'tidemark completion bash >> ~/.bashrc',
      'tidemark completion zsh > "${fpath[1]}/_tidemark"',
      'tidemark completion fish > ~/.config/fish/completions/tidemark.fish',
    ],
    async run({ args, screen }) {
      const script = SHELLS[args[0] ?? ''];
      if (!script)
        throw new TidemarkError(
          'usage',
          args[0] ? `there is no completion for ${args[0]}` : 'for which shell?',
          {
            hint: 'tidemark completion bash, zsh or fish',
          },
        );
      screen.print(script(verbs()));
    },
  };
}

function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map((verb) => `    '${verb.name} '*) words='${flags(verb).join(' ')}' ;;`);
  return [
    '# Completion of tidemark for bash.',
    '_tidemark() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words='${firstWords(verbs).join(' ')}'`,
    ...secondWords(verbs).map(
      ([first, seconds]) =>
        `  elif [ "$COMP_CWORD" -eq 2 ] && [ "\${COMP_WORDS[1]}" = ${first} ]; then words='${seconds.join(' ')}'`,
    ),
    '  elif [ "${COMP_WORDS[1]}" = config ] && [ "$COMP_CWORD" -eq 3 ]; then',
    `    words='${SETTING_KEYS.join(' ')}'`,
    '  else case "${COMP_WORDS[*]:1}" in',
    ...cases,
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _tidemark tidemark',
  ].join('\n');
}

function zsh(verbs: readonly Verb[]): string {
  const quote = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(':', '\\:');
  const firsts = firstWords(verbs).map((word) => {
    const verb = verbs.find(({ name }) => name.split(' ')[0] === word);
    return `    '${word}:${quote(verb?.summary ?? '')}'`;
  });
  const cases = verbs.map((verb) => {
    const options = Object.entries(verb.options).map(
      ([name, { doc, type }]) =>
        `'--${name}[${quote(doc).replaceAll(/[[\]]/g, '\\$&')}]${type === 'string' ? ':value:' : ''}'`,
    );
    return `    '${verb.name} '*) _arguments '--help[Show help.]' ${options.join(' ')} '*: :_default' ;;`;
  });
  return [
    '#compdef tidemark',
    '_tidemark() {',
    '  local -a verbs; verbs=(',
    ...firsts,
    '  )',
    '  if (( CURRENT == 2 )); then _describe verb verbs',
    ...secondWords(verbs).map(
      ([first, seconds]) =>
        `  elif (( CURRENT == 3 )) && [[ $words[2] == ${first} ]]; then compadd ${seconds.join(' ')}`,
    ),
    `  elif (( CURRENT == 4 )) && [[ $words[2] == config ]]; then compadd ${SETTING_KEYS.join(' ')}`,
    '  else case "${words[2,-1]}" in',
    ...cases,
    '  esac; fi',
    '}',
    '# Sourced or autoloaded, either way.',
    'if [ "$funcstack[1]" = _tidemark ]; then _tidemark "$@"; else compdef _tidemark tidemark; fi',
  ].join('\n');
}

function fish(verbs: readonly Verb[]): string {
  const quote = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const lines = verbs.flatMap(({ name, summary, options }) => {
    const [first = '', second] = name.split(' ');
    const seen = `-n '__fish_seen_subcommand_from ${first}'`;
    return [
      `complete -c tidemark -f -n '__fish_use_subcommand' -a ${first} -d '${quote(summary)}'`,
      ...(second ? [`complete -c tidemark -f ${seen} -a ${second}`] : []),
      ...Object.entries(options).map(
        ([option, { doc, type }]) =>
          `complete -c tidemark ${seen} -l ${option}${type === 'string' ? ' -x' : ''} -d '${quote(doc)}'`,
      ),
    ];
  });
  const keys = `complete -c tidemark -f -n '__fish_seen_subcommand_from config' -a '${CONFIG_WORDS.join(' ')} ${SETTING_KEYS.join(' ')}'`;
  return ['# Completion of tidemark for fish.', ...lines, keys].join('\n');
}

const CONFIG_WORDS = ['list', 'get', 'set', 'unset', 'path', 'edit'];

function flags({ options }: Verb): readonly string[] {
  return [...Object.keys(options), 'help'].map((name) => `--${name}`);
}

function firstWords(verbs: readonly Verb[]): readonly string[] {
  return [...new Set(verbs.map(({ name }) => name.split(' ')[0] ?? ''))];
}

/** Verbs of two words by their first, and what stands after `config` and `completion`. */
function secondWords(verbs: readonly Verb[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, readonly string[]>([
    ['config', CONFIG_WORDS],
    ['completion', Object.keys(SHELLS)],
  ]);
  for (const { name } of verbs) {
    const [first = '', second] = name.split(' ');
    if (second) found.set(first, [...(found.get(first) ?? []), second]);
  }
  return [...found];
}
