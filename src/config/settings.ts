/** The table of settings: key, type, default, and a sentence for users. Everything else is derived from it. */

export type SettingType =
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'integer'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'text'; readonly default: string; readonly pattern: RegExp; readonly wanted: string }
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] }
  | {
      readonly type: 'list';
      readonly default: readonly string[];
      /** Matches each item. */
      readonly pattern?: RegExp;
      readonly wanted?: string;
    };

/** Without user information: `http://localhost:1@elsewhere` only looks local. */
const ADDRESS = {
  type: 'text',
  default: '',
  pattern: /^(https:\/\/\S+|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/\S*)?)?$/,
  wanted: 'an https address, or http on this machine',
} as const;

/**
 * `project`: may also be set in a project's `.tidemark.json`. That file comes with a clone and may be a stranger's, so it
 * can only make a setting stricter: `stricter` is the value that it may set, or `lower` for a number below the user's.
 */
export type Setting = SettingType & { readonly doc: string } & (
    | { readonly scope: 'user' }
    | { readonly scope: 'project'; readonly stricter: boolean | 'lower' }
  );

export const SETTINGS = {
  'capture.enabled': project(
    { type: 'boolean', default: true },
    { stricter: false },
    'Capture what happens in sessions.',
  ),
  'capture.ignore': user(
    { type: 'list', default: [] as readonly string[] },
    'Folders in which nothing is captured: paths or globs, `~` is your home.',
  ),
  // Not for projects: a clone must not hide what is remembered about it.
  'capture.showSaved': user(
    { type: 'boolean', default: true },
    'Show the title when something was remembered.',
  ),
  // Not for projects: their file comes with a clone, and the user decides what is noted.
  'capture.agentNotes': user(
    { type: 'choice', default: 'answer', choices: ['answer', 'tool', 'off'] },
    'How the agent notes what matters: `answer` in the last lines of its answer, `tool` through MCP, `off` not at all.',
  ),
  'recall.enabled': project(
    { type: 'boolean', default: true },
    { stricter: false },
    'Inject memories at the start of a session, with prompts, and when a file is read or edited.',
  ),
  // The maximum: a hook's output is cut at 10,000 UTF-16 units, about four per token.
  'recall.briefTokens': project(
    { type: 'integer', default: 1500, min: 100, max: 2500 },
    { stricter: 'lower' },
    'Maximum length of the brief at the start of a session, in tokens.',
  ),
  'recall.verbose': user(
    { type: 'boolean', default: false },
    'Show with every prompt what was looked up, even if nothing was found.',
  ),
  'recall.promptLimit': project(
    { type: 'integer', default: 3, min: 0, max: 3 },
    { stricter: 'lower' },
    'Maximum number of memories injected with a prompt; 0 for none.',
  ),
  // Not for projects: their file comes with a clone, and the user decides what interrupts the work.
  'recall.stopOnce': user(
    { type: 'boolean', default: false },
    'Stop a command or an edit that a memory literally forbids, once per memory and session. You are asked; in a session without a user it is denied with the reason.',
  ),
  'notes.review': project(
    { type: 'boolean', default: false },
    { stricter: true },
    'New memories need your approval: `tidemark review`.',
  ),
  'embed.driver': user(
    { type: 'choice', default: 'local', choices: ['local', 'openai', 'none'] },
    "What makes the vectors for search by meaning: `local` is the model that ships with Tidemark; `openai` is a server with OpenAI's API, which gets redacted memories and prompts. `none` uses no model at all: words and rules decide.",
  ),
  'embed.model': user(
    { type: 'text', default: '', pattern: /^[\w.:/@-]*$/, wanted: 'the name of a model' },
    'The model of the server of `embed.driver openai`.',
  ),
  'embed.url': user(
    ADDRESS,
    'Address of that server, up to `/embeddings`; empty means OpenAI. Its key is in TIDEMARK_EMBED_KEY or ~/.tidemark/embed-key.',
  ),
  'journal.archiveDays': user(
    { type: 'integer', default: 30, min: 0, max: 36_500 },
    'Move journal days older than this many days into one file per month; 0: never.',
  ),
  'journal.machine': user(
    {
      type: 'text',
      default: '',
      pattern: /^(?!.*conflict)[A-Za-z0-9_-]{0,40}$/i,
      wanted: 'letters, digits, dashes and underscores, at most 40',
    },
    "This machine's name in a shared journal: it writes to its own files, 2026-11-15.<name>.md; empty: not shared.",
  ),
  // In the user's scope: a clone must not be able to shorten the wait.
  'share.delayMinutes': user(
    { type: 'integer', default: 30, min: 0, max: 10_080 },
    'Minutes that a new entry of a shared project waits before it is sent to the team, so that you can hold it back; 0: none.',
  ),
  'backup.days': user(
    { type: 'integer', default: 1, min: 0, max: 365 },
    'Days between snapshots of journal, ledger and turns; 0: only by hand.',
  ),
  'backup.folder': user(
    { type: 'text', default: '', pattern: /^(\/.*|[A-Za-z]:[\\/].*)?$/, wanted: 'an absolute path' },
    'Folder of the snapshots, such as another disk; empty means ~/.tidemark/backups.',
  ),
  'turns.maxMb': user(
    { type: 'integer', default: 1024, min: 16, max: 1_048_576 },
    'Maximum size of the store of original turns, in megabytes; the oldest are deleted first.',
  ),
  'daemon.idleMinutes': user(
    { type: 'integer', default: 30, min: 1, max: 10_080 },
    'Minutes without activity after which the daemon stops.',
  ),
  'updates.check': user(
    // Off: nothing is sent before the user asks for it, also by an installation that never chose.
    { type: 'boolean', default: false },
    'Ask npm once a day for the newest version number, if npm installed Tidemark. Nothing else is sent.',
  ),
  'log.level': user(
    { type: 'choice', default: 'info', choices: ['error', 'warn', 'info', 'debug'] },
    'How much the daemon writes to its log.',
  ),
  'hub.port': user(
    { type: 'integer', default: 0, min: 0, max: 65_535 },
    'Port of the hub on this machine; 0 means 37800 plus your user id modulo 100. If it is taken, the next free one is used.',
  ),
} as const satisfies Readonly<Record<string, Setting>>;

function user<const T extends SettingType>(type: T, doc: string) {
  return { ...type, scope: 'user', doc } as const;
}

function project<const T extends SettingType>(
  type: T,
  { stricter }: { readonly stricter: boolean | 'lower' },
  doc: string,
) {
  return { ...type, scope: 'project', stricter, doc } as const;
}

/** Settings of earlier versions, with what to do now. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  'capture.commits': 'Nothing replaces it: commit messages are not searched any more.',
  ...Object.fromEntries(
    [
      'driver',
      'consent',
      'model',
      'apiUrl',
      'queue',
      'dailyTokens',
      'dailyUsd',
      'sessionTokens',
      'prices',
    ].map((name) => [`distill.${name}`, 'Nothing replaces it: no language model is used any more.']),
  ),
  'distill.review': 'Use "notes.review" instead.',
  'recall.holdout': 'Nothing replaces it: every session gets its memories.',
};

export type SettingKey = keyof typeof SETTINGS;

/** Widens the literal default to the type of the setting. */
type ValueOf<S extends Setting> = S['type'] extends 'boolean'
  ? boolean
  : S['type'] extends 'integer'
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

/** Settings that are read once, when the daemon or its writer starts. All others take effect at once. */
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
export function environmentName(key: string): string {
  return `TIDEMARK_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace('.', '_')
    .toUpperCase()}`;
}

export const DEFAULT_CONFIG = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, SETTINGS[key].default]),
  // The type is derived from the table, so each default has its key's type.
) as unknown as Config;
