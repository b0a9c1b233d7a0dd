/** The settings: what they are, where each comes from, and changing one. */
import { mkdirSync } from 'node:fs';
import {
  environmentName,
  isSettingKey,
  loadConfig,
  placeOf,
  PROJECT_FILE,
  setConfig,
  SETTING_KEYS,
  SETTINGS,
  suggest,
  type ConfigOrigin,
  type SettingKey,
} from '../../config/index.ts';
import { TidemarkError } from '../../model/index.ts';
import { tilde } from '../screen.ts';
import { pad, wrap } from '../text-width.ts';
import { JSON_OPTION, type Context, type Verb } from '../verb.ts';
import { editConfig } from './_config-edit.ts';

const WIDEST = 120;
const TAKEN_UP = 'A running daemon takes it up when it starts next: tidemark stop';

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
        mkdirSync(context.places.home, { recursive: true, mode: 0o700 });
        return context.screen.say(editConfig(context) ? `Saved. ${TAKEN_UP}` : 'Nothing changed.');
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

function set(context: Context, key: SettingKey, value: string | undefined): void {
  if (value === undefined)
    throw new TidemarkError('usage', `to what shall ${key} be set?`, {
      hint: `tidemark config set ${key} <value>; ${SETTINGS[key].doc}`,
    });
  setConfig(context.places, key, value);
  context.screen.say(`Set. ${TAKEN_UP}`);
  overruled(context, key);
  get(context, key);
}

function unset(context: Context, key: SettingKey): void {
  setConfig(context.places, key, undefined);
  context.screen.say(`Taken out of your file. ${TAKEN_UP}`);
  get(context, key);
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
