/** The type of a CLI verb. A verb translates its arguments, calls one function, and prints. */
import { resolve } from 'node:path';
import { given, TidemarkError, type Places } from '../core/index.ts';
import type { Client } from '../daemon/index.ts';
import { spanOf, TIME_HINT, zoneDays } from '../recall/index.ts';
import type { Screen } from './screen.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** A second name; its value is stored under the first. */
  readonly alias?: string;
  /** The value's name in the help: `--limit <n>`. */
  readonly value?: string;
  /** May be repeated; the values are in `lists`, not in `options`. */
  readonly multiple?: boolean;
  /** The values that completion offers. */
  readonly choices?: readonly string[];
  readonly doc: string;
}

export interface Context {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly lists: Readonly<Record<string, readonly string[] | undefined>>;
  /** Settings given with `--set key=value`, checked. They override every other source. */
  readonly flags: Readonly<Record<string, string>>;
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly screen: Screen;
  readonly client: Client;
}

export interface Verb {
  /** May be two words: `import history`. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Beside `--json`, which every verb has that does not set `json: false`. */
  readonly options?: Readonly<Record<string, Option>>;
  readonly json?: false;
  readonly examples?: readonly string[];
  /** The exit code; 0 when it returns nothing. */
  run(context: Context): Promise<number | void>;
}

/** Exit codes are public API: pinned by a test and listed in --help and docs/cli.md. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, unreachable: 4 } as const;

/** An option without a value. */
export function flag(doc: string, short?: string): Option {
  return { type: 'boolean', doc, ...given({ short }) };
}

/** An option with one value, `name` in the help. */
export function value(name: string, doc: string): Option {
  return { type: 'string', value: name, doc };
}

/** An option that may be repeated. */
export function list(name: string, doc: string): Option {
  return { ...value(name, doc), multiple: true };
}

const JSON_OPTION = flag('Print JSON for programs.');

export function optionsOf({ options = {}, json }: Verb): Readonly<Record<string, Option>> {
  return json === false || options['json'] ? options : { ...options, json: JSON_OPTION };
}

/** Returns the error for a wrong command line (exit code 2). */
export function usageError(message: string, hint?: string): TidemarkError {
  return new TidemarkError('usage', message, given({ hint }));
}

/** Returns the error for something that does not exist (exit code 3). */
export function notFound(message: string, hint?: string): TidemarkError {
  return new TidemarkError('not-found', message, given({ hint }));
}

/** Returns the text of an option, or undefined if it was not given. */
export function optionText(options: Context['options'], name: string): string | undefined {
  const text = options[name];
  return typeof text === 'string' ? text : undefined;
}

/** Returns the path of an option, resolved against the current folder. */
export function pathOf({ options, cwd }: Pick<Context, 'options' | 'cwd'>, name: string): string | undefined {
  const path = optionText(options, name);
  return path === undefined ? undefined : resolve(cwd, path);
}

/** Returns the whole number of an option, or the default. */
export function count(options: Context['options'], name: string, otherwise: number): number {
  const text = options[name];
  if (text === undefined) return otherwise;
  if (typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(
    `--${name} must be a whole number from 1 up, not "${String(text)}"`,
    `The default is ${otherwise}.`,
  );
}

/** Returns the start of `--since <when>` as a UTC time, or undefined if it was not given. */
export function sinceOf(options: Context['options']): string | undefined {
  const text = optionText(options, 'since');
  if (text === undefined) return undefined;
  const span = spanOf(text, new Date(), zoneDays());
  if (span !== undefined) return span.since;
  throw usageError(`I don't understand the time "${text}"`, TIME_HINT);
}
