/** What a verb of the CLI is. A verb translates its arguments, calls one function, and prints. */
import { TidemarkError, type Places } from '../core/index.ts';
import type { Client } from '../daemon/index.ts';
import type { Screen } from './screen.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for the value in the help: `--limit <n>`. */
  readonly value?: string;
  /** May be given more than once: its values are in `lists`, not in `options`. */
  readonly multiple?: boolean;
  readonly doc: string;
}

export interface Context {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly lists: Readonly<Record<string, readonly string[] | undefined>>;
  /** Settings given with `--set key=value`, checked; they count before all others. */
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
  readonly options: Readonly<Record<string, Option>>;
  readonly examples?: readonly string[];
  /** The exit code; 0 when it returns nothing. */
  run(context: Context): Promise<number | void>;
}

/** Exit codes are public: pinned by a test, written in --help and docs/cli.md. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, unreachable: 4 } as const;

export const JSON_OPTION: Readonly<Record<'json', Option>> = {
  json: { type: 'boolean', doc: 'Print JSON for programs.' },
};

/** The whole number an option was given, or the default. */
export function count(options: Context['options'], name: string, otherwise: number): number {
  const given = options[name];
  if (given === undefined) return otherwise;
  if (typeof given === 'string' && /^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new TidemarkError('usage', `--${name} must be a whole number from 1 on, not "${String(given)}"`, {
    hint: `Without it: ${otherwise}.`,
  });
}
