/** The settings: what they are, where each comes from, and changing one. */
import { mkdirSync } from 'node:fs';
import {
  environmentName,
  isSettingKey,
  loadConfig,
  placeOf,
  PROJECT_FILE,
  READ_AT_START,
  setConfig,
  SETTING_KEYS,
  SETTINGS,
  suggest,
  type ConfigOrigin,
  type SettingKey,
} from '../../../config/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import { tilde } from '../../screen.ts';
import { pad, wrap } from '../../text-width.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { editConfig } from './_config-edit.ts';

const WIDEST = 120;

export const config: Verb = {
  name: 'config',
  usage: 'config [list | get <key> | set <key> <value> | unset <key> | path | edit]',
  summary: 'Show and change settings; each with where its value comes from.',
  options: { ...JSON_OPTION },
  examples: [
    'tidemark config',
    'tidemark config set recall.briefTokens 1000',
    'tidemark config get recall.briefTokens --set recall.briefTokens=500',
  ],
  async run(context) {
    const [what = 'list', key, value] = context.args;
    switch (what) {
      case 'list':
        return list(context);
      case 'get':
        return get(context, known(key));
      case 'set':
        return set(context, known(key), value);
      case 'unset':
        return unset(context, known(key));
      case 'path':
        return context.screen.print(context.places.config);
      case 'edit':
        return edit(context);
      default:
        throw new TidemarkError('usage', `config knows no "${what}"`, {
          hint: 'See: tidemark config --help',
        });
    }
  },
};

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
    `\nThe first that has a value counts: --set, environment, ${PROJECT_FILE} of the project, your file, default.`,
  );
  for (const problem of problems)
    screen.say(
      `${screen.paintTalk.red('error:')} ${placeOf(problem)}: ${problem.reason}\n${screen.paintTalk.cyan('hint:')} ${problem.hint}`,
    );
}

/** Where to go to change it. */
function originOf(origin: ConfigOrigin, key: SettingKey, places: Context['places']): string {
  switch (origin) {
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

async function set(context: Context, key: SettingKey, value: string | undefined): Promise<void> {
  if (value === undefined)
    throw new TidemarkError('usage', `to what shall ${key} be set?`, {
      hint: `tidemark config set ${key} <value>; ${SETTINGS[key].doc}`,
    });
  setConfig(context.places, key, value);
  await tell(context, 'Set.', [key]);
  overruled(context, key);
  get(context, key);
}

async function unset(context: Context, key: SettingKey): Promise<void> {
  setConfig(context.places, key, undefined);
  await tell(context, 'Taken out of your file.', [key]);
  get(context, key);
}

async function edit(context: Context): Promise<void> {
  const { places, screen } = context;
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  const before = loadConfig({ places, env: {} }).values;
  if (!editConfig(context)) return screen.say('Nothing changed.');
  const after = loadConfig({ places, env: {} }).values;
  const isNew = (key: SettingKey): boolean => JSON.stringify(before[key]) !== JSON.stringify(after[key]);
  await tell(context, 'Saved.', SETTING_KEYS.filter(isNew));
}

/** A running daemon looks most settings up when it needs them; what has to be told or started again is. */
async function tell({ client, screen }: Context, done: string, keys: readonly SettingKey[]): Promise<void> {
  // An older daemon does not know the call, and takes it up when it starts next.
  if (keys.some((key) => key.startsWith('embed.'))) await client.callIfUp('embed.renew').catch(() => {});
  const later = keys.filter((key) => READ_AT_START.has(key));
  if (later.length === 0 || !(await client.isUp())) return screen.say(done);
  screen.say(`${done} The running daemon takes ${later.join(', ')} up when it starts next: tidemark stop`);
}

/** What was just set may not be what holds here. */
function overruled({ places, env, cwd, flags, screen }: Context, key: SettingKey): void {
  const origin = loadConfig({ places, env, projectDir: cwd, flags }).origins[key];
  if (origin !== 'user') screen.say(`Here another value counts: that of ${originOf(origin, key, places)}.`);
}

function known(key: string | undefined): SettingKey {
  if (key !== undefined && isSettingKey(key)) return key;
  const near = key === undefined ? undefined : suggest(key, SETTING_KEYS);
  throw new TidemarkError('usage', key === undefined ? 'which setting?' : `there is no setting "${key}"`, {
    hint: near ? `Did you mean ${near}?` : 'See them all with: tidemark config',
  });
}
