/** Parses the arguments and options after a verb. Reports mistakes in plain words; runs nothing. */
import { parseArgs } from 'node:util';
import { suggest } from '../config/index.ts';
import { optionsOf, usageError, type Context, type Option, type Verb } from './verb.ts';

export interface Arguments extends Pick<Context, 'args' | 'options' | 'lists'> {
  readonly asksForHelp: boolean;
}

type Value = string | boolean | readonly (string | boolean)[] | undefined;

export function readArguments(verb: Verb, argv: readonly string[]): Arguments {
  const { values, positionals } = withoutAliases(verb, parsed(verb, argv));
  const most = mostArguments(verb);
  if (!values['help'] && positionals.length > most) {
    const takes = most === 0 ? 'no arguments' : most === 1 ? 'one argument' : `at most ${most} arguments`;
    throw usageError(
      `tidemark ${verb.name} takes ${takes}; "${positionals[most]}" is one too many`,
      `tidemark ${verb.usage}`,
    );
  }
  return {
    args: positionals,
    options: onlyOnes(values),
    lists: onlyLists(values),
    asksForHelp: values['help'] === true,
  };
}

/** Counts the arguments that the usage line of a verb allows, without options and their values. */
export function mostArguments({ name, usage }: Pick<Verb, 'name' | 'usage'>): number {
  const after = usage.slice(name.length).replaceAll(']…', ']');
  if (after.includes('…')) return Number.POSITIVE_INFINITY;
  const bare = after.replace(/<[^>]*>/g, '<>').replace(/--[\w-]+(?: <>)?/g, '');
  // Brackets nest at most one level deep: `[list | get <key>]`, `[--project [folder]]`.
  const groups = bare.match(/\[(?:[^[\]]|\[[^\]]*\])*\]|\S+/g) ?? [];
  return groups.reduce((sum, group) => sum + mostWords(group), 0);
}

function mostWords(group: string): number {
  const alternatives = group.replace(/[[\]]/g, ' ').split('|');
  return Math.max(...alternatives.map((one) => one.split(' ').filter(Boolean).length));
}

function parsed(verb: Verb, argv: readonly string[]) {
  const options = {
    ...optionsOf(verb),
    ...aliasesOf(verb),
    help: { type: 'boolean', short: 'h' },
    set: { type: 'string', multiple: true },
  } as const;
  try {
    const { values, positionals } = parseArgs({
      args: argv.map(sheltered),
      allowPositionals: true,
      options,
    });
    return {
      values: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.map(restored) : restored(value),
        ]),
      ),
      positionals: positionals.map(restored),
    };
  } catch (error) {
    throw translated(error, verb, Object.keys(options));
  }
}

/** Before a text that begins with a dash but is no option. Arguments cannot contain it. */
const SHELTER = '\0';

/** A quoted text such as `"- from"` is no option: options have no spaces before their value. */
function sheltered(arg: string): string {
  return /^-(?:\s|-?[^\s=]*\s)/.test(arg) ? `${SHELTER}${arg}` : arg;
}

function restored<T>(value: T): T {
  // The type stays: a text becomes a text.
  return (typeof value === 'string' && value.startsWith(SHELTER) ? value.slice(1) : value) as T;
}

/** The second names of the options, each with its option. */
function aliasesOf(verb: Verb): Readonly<Record<string, Option>> {
  return Object.fromEntries(
    Object.values(optionsOf(verb)).flatMap((option) => (option.alias ? [[option.alias, option]] : [])),
  );
}

/** Moves the value of each second name to the first one. Both at once would hide one of two texts. */
function withoutAliases<T extends { readonly values: Readonly<Record<string, Value>> }>(
  verb: Verb,
  given: T,
) {
  const values = { ...given.values };
  for (const [name, { alias }] of Object.entries(optionsOf(verb))) {
    if (!alias || values[alias] === undefined) continue;
    if (values[name] !== undefined)
      throw usageError(`--${name} and --${alias} are the same option`, 'Give one of them.');
    values[name] = values[alias];
    delete values[alias];
  }
  return { ...given, values };
}

/** Replaces Node's messages, which are written for programmers. */
function translated(error: unknown, verb: Verb, known: readonly string[]): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!code.startsWith('ERR_PARSE_ARGS')) return error;
  const option = /'(?:-\w, )?(--?[\w-]+)/.exec(message)?.[1] ?? '';
  const see = `See: tidemark ${verb.name} --help`;
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = option.startsWith('--') ? suggest(option.slice(2), known) : undefined;
    const isText = verb.usage.includes('words…');
    const text = isText ? `Words that begin with a dash follow --: tidemark ${verb.name} -- <words>. ` : '';
    const hint = near ? `Did you mean --${near}? ${see}` : `${text}${see}`;
    return usageError(`tidemark ${verb.name} has no option ${option}`, hint);
  }
  if (message.includes('does not take')) return usageError(`${option} takes no value`, see);
  return usageError(
    `${option} needs a value`,
    `If the value begins with a dash, write: ${option}=-value. ${see}`,
  );
}

function onlyOnes(values: Readonly<Record<string, Value>>): Context['options'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'boolean' ? [[name, value] as const] : [],
    ),
  );
}

function onlyLists(values: Readonly<Record<string, Value>>): Context['lists'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      Array.isArray(value) ? [[name, value.map(String)] as const] : [],
    ),
  );
}
