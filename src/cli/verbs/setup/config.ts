/** Shows the settings with their sources, and changes them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  checkSettings,
  environmentName,
  isSettingKey,
  loadConfig,
  placeOf,
  PROJECT_FILE,
  READ_AT_START,
  replaceConfig,
  setConfig,
  SETTING_KEYS,
  SETTINGS,
  unknownKeyHint,
  type ConfigOrigin,
  type SettingKey,
} from '../../../config/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import { readTextSync, STATE_BYTES } from '../../../files/index.ts';
import { editorOf, openEditor } from '../../editor.ts';
import { tilde } from '../../screen.ts';
import { pad, wrap } from '../../text-width.ts';
import { usageError, type Context, type Verb } from '../../verb.ts';
import { addItems, isList, itemsFrom, removeItems, replaceItems } from './list-setting.ts';

const WIDEST = 120;
/** The words that take values. */
const CHANGES: ReadonlySet<string> = new Set(['set', 'add', 'remove']);

export const config: Verb = {
  name: 'config',
  usage:
    'config [list | get <key> | set <key> <value…> | add <key> <value…> | remove <key> <value…> | unset <key> | path | edit]',
  summary:
    'Show and change settings. For a list, set replaces all of it; add and remove change single values.',
  examples: [
    'tidemark config',
    'tidemark config set recall.briefTokens 1000',
    "tidemark config add capture.ignore '~/work/client'",
    "tidemark config remove capture.ignore '~/work/client'",
    'tidemark config get recall.briefTokens --set recall.briefTokens=500',
  ],
  async run(context) {
    const [what = 'list', key, ...values] = context.args;
    if (values.length > 0 && !CHANGES.has(what)) throw oneTooMany(what, values[0]);
    switch (what) {
      case 'list':
        return list(context);
      case 'get':
        return get(context, known(key));
      case 'set':
        return set(context, known(key), values);
      case 'add':
      case 'remove':
        return changeItems(context, what, known(key), values);
      case 'unset':
        return unset(context, known(key));
      case 'path':
        return path(context);
      case 'edit':
        return edit(context);
      default:
        throw usageError(`there is no "config ${what}"`, 'See: tidemark config --help');
    }
  },
};

function path({ options, places, screen }: Context): void {
  if (options['json']) return screen.json({ path: places.config });
  screen.print(places.config);
}

function list({ options, places, env, cwd, flags, screen }: Context): void {
  const { values, origins, problems } = loadConfig({ places, env, projectDir: cwd, flags });
  if (options['json']) return screen.json({ values, origins, problems });
  const { paint } = screen;
  const width = Math.max(...SETTING_KEYS.map((key) => key.length)) + 2;
  const room = Math.min(screen.width, WIDEST) - 2;
  for (const key of SETTING_KEYS) {
    const from =
      origins[key] === 'default' ? paint.dim('default') : paint.cyan(originOf(origins[key], key, places));
    screen.print(`${paint.bold(pad(key, width))}${JSON.stringify(values[key])}  ${from}`);
    for (const line of wrap(SETTINGS[key].doc, room)) screen.print(`  ${paint.dim(line)}`);
  }
  screen.say(
    `\nThe first source with a value wins: --set, environment, ${PROJECT_FILE} of the project, your file, default. Your team can make some stricter.`,
  );
  for (const problem of problems)
    screen.say(
      `${screen.paintTalk.red('error:')} ${placeOf(problem)}: ${problem.reason}\n${screen.paintTalk.cyan('hint:')} ${problem.hint}`,
    );
}

/** Names the place where the value is set. */
function originOf(origin: ConfigOrigin, key: SettingKey, places: Context['places']): string {
  switch (origin) {
    case 'team':
      return 'your team';
    case 'flag':
      return '--set';
    case 'environment':
      return environmentName(key);
    case 'project':
      return PROJECT_FILE;
    case 'user':
      return tilde(places.config);
    case 'default':
      return 'default';
  }
}

function get({ options, places, env, cwd, flags, screen }: Context, key: SettingKey): void {
  const { values, origins } = loadConfig({ places, env, projectDir: cwd, flags });
  if (options['json']) return screen.json({ key, value: values[key], origin: origins[key] });
  screen.print(typeof values[key] === 'string' ? values[key] : JSON.stringify(values[key]));
}

async function set(context: Context, key: SettingKey, values: readonly string[]): Promise<void> {
  const [value, second] = values;
  if (value === undefined) throw noValue('set', key);
  if (isList(key)) replaceItems(context, key, itemsFrom(context, key, values));
  else if (second !== undefined) throw oneTooMany('set', second);
  else setConfig(context.places, key, value);
  await applyChange(context, 'Set.', [key]);
  overruled(context, key);
  get(context, key);
}

async function changeItems(
  context: Context,
  what: 'add' | 'remove',
  key: SettingKey,
  values: readonly string[],
): Promise<void> {
  if (values.length === 0) throw noValue(what, key);
  const change = what === 'add' ? addItems : removeItems;
  change(context, key, itemsFrom(context, key, values));
  await applyChange(context, what === 'add' ? 'Added.' : 'Removed.', [key]);
  overruled(context, key);
  get(context, key);
}

function noValue(what: string, key: SettingKey): TidemarkError {
  return usageError(
    `no value given for ${key}`,
    `tidemark config ${what} ${key} <value>; ${SETTINGS[key].doc}`,
  );
}

function oneTooMany(what: string, value: string | undefined): TidemarkError {
  return usageError(`config ${what}: "${value}" is one value too many`, 'See: tidemark config --help');
}

async function unset(context: Context, key: SettingKey): Promise<void> {
  setConfig(context.places, key, undefined);
  await applyChange(context, 'Removed from your file.', [key]);
  get(context, key);
}

async function edit(context: Context): Promise<void> {
  const { places, screen } = context;
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  const before = loadConfig({ places, env: {} }).values;
  if (!editConfig(context)) return screen.say('Nothing changed.');
  const after = loadConfig({ places, env: {} }).values;
  const isNew = (key: SettingKey): boolean => JSON.stringify(before[key]) !== JSON.stringify(after[key]);
  await applyChange(context, 'Saved.', SETTING_KEYS.filter(isNew));
}

/** Opens the settings file in the user's editor. An invalid edit is kept in a copy, and the next edit continues with it. */
function editConfig({ places, env }: Context): boolean {
  const editor = editorOf(env, 'Set EDITOR, or open the file yourself: tidemark config path');
  const before = existsSync(places.config) ? readTextSync(places.config, STATE_BYTES) : '{}\n';
  const copy = `${places.config}.edit.json`;
  if (!existsSync(copy)) writeFileSync(copy, before, { mode: 0o600 });
  try {
    openEditor(editor, copy);
  } catch (error) {
    if (readFileSync(copy, 'utf8') === before) rmSync(copy);
    throw error;
  }
  const after = readFileSync(copy, 'utf8');
  const [problem] = checkSettings(after, copy);
  if (problem)
    throw new TidemarkError('config.refused', `${placeOf(problem)}: ${problem.reason}`, {
      hint: `${problem.hint} Your edit is saved: tidemark config edit continues with it. The settings are unchanged.`,
    });
  if (after !== before) replaceConfig(places, after);
  rmSync(copy);
  return after !== before;
}

/** Makes a running daemon use the change. It reads most settings when it needs them; some need a restart. */
async function applyChange(
  { client, screen }: Context,
  done: string,
  keys: readonly SettingKey[],
): Promise<void> {
  // An older daemon does not have this call; it reads the setting at its next start.
  if (keys.some((key) => key.startsWith('embed.'))) await client.callIfUp('embed.reload', {}).catch(() => {});
  const later = keys.filter((key) => READ_AT_START.has(key));
  if (later.length === 0 || !(await client.isUp())) return screen.say(done);
  screen.say(`${done} The running daemon uses ${later.join(', ')} after a restart: tidemark stop`);
}

/** Warns when another source overrides the new value. */
function overruled({ places, env, cwd, flags, screen }: Context, key: SettingKey): void {
  const origin = loadConfig({ places, env, projectDir: cwd, flags }).origins[key];
  if (origin !== 'user' && origin !== 'default')
    screen.say(`${originOf(origin, key, places)} overrides it here.`);
}

function known(key: string | undefined): SettingKey {
  if (key !== undefined && isSettingKey(key)) return key;
  throw key === undefined
    ? usageError('no setting given', 'List them: tidemark config')
    : usageError(`there is no setting "${key}"`, unknownKeyHint(key));
}
