/** The one table of settings: key, type, default, and a sentence for people. Everything else about them is derived. */

export type SettingType =
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'integer'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'number'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'text'; readonly default: string; readonly pattern: RegExp; readonly wanted: string }
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] }
  | { readonly type: 'list'; readonly default: readonly string[] };

/**
 * `project`: may also stand in a project's `.tidemark.json`. That file comes with a clone, so nothing
 * that costs money, opens a port or concerns other projects is of this scope.
 */
export type Setting = SettingType & { readonly scope: 'user' | 'project'; readonly doc: string };

export const SETTINGS = {
  'capture.enabled': {
    type: 'boolean',
    default: true,
    scope: 'project',
    doc: 'Remember what happens in sessions.',
  },
  'capture.ignore': {
    type: 'list',
    default: [] as readonly string[],
    scope: 'user',
    doc: 'Folders in which nothing is remembered: paths or globs, `~` is your home.',
  },
  'capture.showSaved': {
    type: 'boolean',
    default: true,
    scope: 'project',
    doc: 'Show a "Memory saved" line when a turn was kept.',
  },
  'recall.enabled': {
    type: 'boolean',
    default: true,
    scope: 'project',
    doc: 'Bring memories back at the start of a session and with prompts.',
  },
  'recall.briefTokens': {
    type: 'integer',
    default: 1500,
    min: 100,
    max: 2500, // a hook's output is cut at 10,000 UTF-16 units, about four to a token
    scope: 'project',
    doc: 'How long the brief at the start of a session may be, in tokens.',
  },
  'recall.verbose': {
    type: 'boolean',
    default: false,
    scope: 'project',
    doc: 'Say with every prompt what was looked up, also when nothing came of it.',
  },
  'recall.holdout': {
    type: 'number',
    default: 0,
    min: 0,
    max: 0.5, // more would be switching it off
    scope: 'user',
    doc: 'Share of sessions that get no recall, so that `tidemark stats --impact` can compare; they are remembered all the same.',
  },
  'recall.promptLimit': {
    type: 'integer',
    default: 3,
    min: 0,
    max: 3,
    scope: 'project',
    doc: 'How many memories a prompt may bring back at most; 0 for none.',
  },
  'distill.driver': {
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'local', 'claude', 'agent-sdk', 'api'],
    scope: 'user',
    doc: 'What turns conversations into memories; `auto` takes the first that works, `local` uses no model.',
  },
  'distill.consent': {
    type: 'boolean',
    default: false,
    scope: 'user',
    doc: 'Redacted turns may be sent to the model of the driver, and that may cost money. Nothing is spent before this.',
  },
  'distill.model': {
    type: 'list',
    default: [] as readonly string[],
    scope: 'user',
    doc: 'The model to distil with, for all drivers or for one: `haiku`, `api=llama3.2`.',
  },
  'distill.apiUrl': {
    type: 'text',
    default: '',
    pattern: /^(https:\/\/\S+|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]\S*)?)?$/,
    wanted: 'an https address, or http on this machine',
    scope: 'user',
    doc: 'Where the driver `api` asks; its key stands in TIDEMARK_API_KEY or, for you alone to read, in ~/.tidemark/api-key.',
  },
  'distill.dailyTokens': {
    type: 'integer',
    default: 1_000_000,
    min: 0,
    max: 1_000_000_000,
    scope: 'user',
    doc: 'How many tokens distilling may take on one day (UTC), in and out; then `local` does it.',
  },
  'distill.dailyUsd': {
    type: 'number',
    default: 1,
    min: 0,
    max: 1000,
    scope: 'user',
    doc: 'How many US dollars distilling may cost on one day (UTC); then `local` does it.',
  },
  'distill.sessionTokens': {
    type: 'integer',
    default: 200_000,
    min: 0,
    max: 1_000_000_000,
    scope: 'user',
    doc: 'How many tokens distilling one session may take, in and out; then `local` does it.',
  },
  'distill.prices': {
    type: 'list',
    default: [] as readonly string[],
    scope: 'user',
    doc: 'US dollars for a million tokens in and out of models we know no price of: `my-model=0.25/1.25`.',
  },
  'distill.review': {
    type: 'boolean',
    default: false,
    scope: 'project',
    doc: 'New memories wait for your yes: `tidemark review`.',
  },
  'embed.driver': {
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'local', 'ollama', 'openai', 'none'],
    scope: 'user',
    doc: 'What finds memories by meaning; `auto` is the local model once it is installed. The others send redacted memories and prompts to their server.',
  },
  'embed.model': {
    type: 'text',
    default: '',
    pattern: /^[\w.:/@-]*$/,
    wanted: 'the name of a model',
    scope: 'user',
    doc: "The embedder's model; empty is the default one.",
  },
  'embed.url': {
    type: 'text',
    default: '',
    pattern: /^(https:\/\/\S+|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]\S*)?)?$/,
    wanted: 'an https address, or http on this machine',
    scope: 'user',
    doc: 'Where ollama or openai is asked, if not at the usual place; a key stands in TIDEMARK_EMBED_KEY or ~/.tidemark/embed-key.',
  },
  'journal.archiveDays': {
    type: 'integer',
    default: 30,
    min: 0,
    max: 36_500,
    scope: 'user',
    doc: 'Days of the journal older than this many fold into one file a month; 0: never.',
  },
  'journal.machine': {
    type: 'text',
    default: '',
    pattern: /^(?!.*conflict)[A-Za-z0-9_-]{0,40}$/i,
    wanted: 'letters, digits, dashes and underscores, at most 40',
    scope: 'user',
    doc: "This machine's name in a journal that several share: it writes what is new to files of its own, 2026-11-15.<name>.md; empty: not shared.",
  },
  'backup.days': {
    type: 'integer',
    default: 1,
    min: 0,
    max: 365,
    scope: 'user',
    doc: 'After how many days the next snapshot of journal, ledger and turns is taken; 0: only by hand.',
  },
  'backup.folder': {
    type: 'text',
    default: '',
    pattern: /^(\/.*|[A-Za-z]:[\\/].*)?$/,
    wanted: 'an absolute path',
    scope: 'user',
    doc: 'Where snapshots lie, another disk perhaps; empty is ~/.tidemark/backups.',
  },
  'turns.maxMb': {
    type: 'integer',
    default: 1024,
    min: 16,
    max: 1_048_576,
    scope: 'user',
    doc: 'How large the store of original turns may grow, in megabytes; the oldest go first.',
  },
  'daemon.idleMinutes': {
    type: 'integer',
    default: 30,
    min: 1,
    max: 10_080,
    scope: 'user',
    doc: 'After how many quiet minutes the daemon leaves.',
  },
  'updates.check': {
    type: 'boolean',
    default: true,
    scope: 'user',
    doc: 'Once a day the daemon asks npm for the newest version number, where npm installed it. Nothing else is sent.',
  },
  'log.level': {
    type: 'choice',
    default: 'info',
    choices: ['error', 'warn', 'info', 'debug'],
    scope: 'user',
    doc: 'How much the daemon writes to its log.',
  },
  'hub.port': {
    type: 'integer',
    default: 0,
    min: 0,
    max: 65_535,
    scope: 'user',
    doc: 'Port of the hub on this machine; 0 is 37800 plus your user id modulo 100. The next free one if it is taken.',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingKey = keyof typeof SETTINGS;

/** The literal defaults widened to what the setting may hold. */
type ValueOf<S extends Setting> = S['type'] extends 'boolean'
  ? boolean
  : S['type'] extends 'integer' | 'number'
    ? number
    : S['type'] extends 'list'
      ? readonly string[]
      : S['type'] extends 'text'
        ? string
        : S extends { readonly choices: readonly (infer C)[] }
          ? C
          : never;

export type Config = { readonly [K in SettingKey]: ValueOf<(typeof SETTINGS)[K]> };

export type SettingValue = boolean | number | string | readonly string[];

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** Read once, when the daemon or its writer starts; every other one holds from the next time it is looked at. */
export const READ_AT_START: ReadonlySet<SettingKey> = new Set([
  'turns.maxMb',
  'journal.archiveDays',
  'backup.days',
  'backup.folder',
  'daemon.idleMinutes',
  'log.level',
  'hub.port',
]);

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

/** `capture.showSaved` → `TIDEMARK_CAPTURE_SHOW_SAVED` */
export function environmentName(key: SettingKey): string {
  return `TIDEMARK_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace('.', '_')
    .toUpperCase()}`;
}

export const DEFAULT_CONFIG = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, SETTINGS[key].default]),
  // The table is the type's only source, so each default has its key's type.
) as unknown as Config;
