/** The settings: what they are, where each comes from, and changing one. */
import { isSettingKey, loadConfig, setConfig, SETTINGS, suggest, SETTING_KEYS } from '../../config/index.ts';
import { TidemarkError } from '../../model/index.ts';
import { JSON_OPTION, type Context, type Verb } from '../verb.ts';

export const config: Verb = {
  name: 'config',
  usage: 'config [list | get <key> | set <key> <value> | path]',
  summary: 'Show and change settings.',
  options: { ...JSON_OPTION },
  examples: ['tidemark config', 'tidemark config set recall.briefTokens 1000'],
  async run(context) {
    const [what = 'list', key, value] = context.args;
    switch (what) {
      case 'list':
        return list(context);
      case 'get':
        return get(context, known(key));
      case 'set':
        return set(context, known(key), value);
      case 'path':
        return context.screen.print(context.places.config);
      default:
        throw new TidemarkError('usage', `config knows no "${what}"`, {
          hint: 'See: tidemark config --help',
        });
    }
  },
};

function list({ options, places, env, cwd, screen }: Context): void {
  const { values, origins, problems } = loadConfig({ places, env, projectDir: cwd });
  if (options['json']) return screen.json({ values, origins, problems });
  const { paint } = screen;
  for (const key of SETTING_KEYS) {
    const from = origins[key] === 'default' ? '' : paint.cyan(` (${origins[key]})`);
    screen.print(
      `${paint.bold(key)} = ${JSON.stringify(values[key])}${from}\n  ${paint.dim(SETTINGS[key].doc)}`,
    );
  }
  for (const { where, reason, hint } of problems) screen.say(`${where}: ${reason}. ${hint}`);
}

function get({ options, places, env, cwd, screen }: Context, key: keyof typeof SETTINGS): void {
  const { values, origins } = loadConfig({ places, env, projectDir: cwd });
  if (options['json']) return screen.json({ key, value: values[key], origin: origins[key] });
  screen.print(typeof values[key] === 'string' ? values[key] : JSON.stringify(values[key]));
}

async function set(context: Context, key: keyof typeof SETTINGS, value: string | undefined): Promise<void> {
  if (value === undefined) throw new TidemarkError('usage', `to what shall ${key} be set?`);
  await setConfig(context.places, key, value);
  context.screen.say('Set. A running daemon takes it up when it starts next: tidemark stop');
  get(context, key);
}

function known(key: string | undefined): keyof typeof SETTINGS {
  if (key !== undefined && isSettingKey(key)) return key;
  const near = key === undefined ? undefined : suggest(key, SETTING_KEYS);
  throw new TidemarkError('usage', key === undefined ? 'which setting?' : `there is no setting "${key}"`, {
    hint: near ? `Did you mean ${near}?` : 'See them all with: tidemark config',
  });
}
