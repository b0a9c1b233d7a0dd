/** Lists, installs, chooses and removes models for search by meaning. Downloads nothing without a request. */
import { join } from 'node:path';
import { loadConfig, setConfig } from '../../../config/index.ts';
import { given, TidemarkError } from '../../../core/index.ts';
import type { CatalogueModel, ModelStatus } from '../../../models/index.ts';
import { DIST } from '../../program.ts';
import { bar, size, tilde } from '../../screen.ts';
import { optionText, usageError, value, type Context, type Verb } from '../../verb.ts';

type Embed = typeof import('../../../models/index.ts');

const SERVERS = ['ollama', 'openai'] as const;

export const model: Verb = {
  name: 'model',
  usage: 'model [list | install [<model>] | use <model> | remove <model>]',
  summary: 'List, install, choose or remove models for search by meaning.',
  options: {
    from: value('folder', 'With install: take the files from this folder instead of downloading them.'),
  },
  examples: [
    'tidemark model install gte-small',
    'tidemark model use gte-small',
    'tidemark model use ollama:nomic-embed-text',
    'tidemark model use none',
  ],
  async run(context) {
    // Loaded late: most CLI calls do not need the models.
    const embed = await import('../../../models/index.ts');
    const [what = 'list', name] = context.args;
    switch (what) {
      case 'list':
        return list(context, embed);
      case 'install':
        return install(context, embed, catalogued(embed, name ?? embed.DEFAULT_MODEL));
      case 'use':
        return use(context, embed, name);
      case 'remove':
        return remove(context, embed, catalogued(embed, name));
      default:
        throw usageError(`there is no "model ${what}"`, 'See: tidemark model --help');
    }
  },
};

function list({ options, places, env, screen }: Context, embed: Embed): void {
  const { values } = loadConfig({ places, env });
  const used = usedModel(values, embed);
  const models = statuses(places, embed).map(({ model: { id, about, licence, isBuiltIn }, ...status }) => ({
    id,
    about,
    licence,
    builtIn: isBuiltIn,
    ...status,
    used: used === `local:${id}`,
  }));
  if (options['json']) return screen.json({ used, models });
  const { paint } = screen;
  for (const one of models) {
    const isWanted = one.used || (one.builtIn && used !== 'none');
    const state = !one.installed
      ? (one.problem?.replace(`${one.id} `, '') ?? 'not installed')
      : isWanted
        ? paint.green(one.used ? 'in use' : 'in use, not for vectors')
        : one.builtIn
          ? 'built in'
          : 'installed';
    const facts = [...(one.bytes > 0 ? [size(one.bytes)] : []), one.licence].join(', ');
    screen.print(`${paint.bold(one.id)}  ${state}  ${facts}\n  ${paint.dim(one.about)}`);
    if (one.installed) screen.print(`  ${paint.dim(tilde(one.folder))}`);
    if (one.problem !== undefined) screen.say(`  ${embed.REINSTALL}`);
  }
  if (SERVERS.some((server) => used.startsWith(`${server}:`)))
    screen.print(`${paint.bold(used)}  ${paint.green('in use')}`);
  else if (!models.some((one) => one.used && one.installed)) screen.say('Search uses words only.');
}

function statuses(places: Context['places'], embed: Embed): readonly ModelStatus[] {
  return embed.listModels(places.models, embed.smallModelFolder(join(DIST, 'embedder.cjs')));
}

async function install(context: Context, embed: Embed, wanted: CatalogueModel): Promise<void> {
  const { options, places, env, screen, client } = context;
  if (wanted.isBuiltIn) return enableBuiltIn(context, embed, wanted);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new TidemarkError('cancelled', 'stopped; nothing was stored'));
  process.once('SIGINT', interrupt);
  embed.sweepModels(places.models);
  const { fetched } = await embed
    .installModel(wanted, {
      folder: places.models,
      env,
      signal: stop.signal,
      ...given({ from: optionText(options, 'from') }),
      onProgress: ({ file, done, total, source }) =>
        screen.progress(`${bar(done, total)}  ${file} ${size(done)} from ${source}`),
    })
    .finally(() => {
      process.off('SIGINT', interrupt);
      screen.done();
    });
  if (loadConfig({ places, env }).values['embed.driver'] === 'none')
    setConfig(places, 'embed.driver', undefined);
  await tellDaemon(client);
  if (options['json']) return screen.json({ id: wanted.id, fetched });
  screen.print(
    fetched > 0 ? `${wanted.id} is installed and its hash verified.` : `${wanted.id} is already installed.`,
  );
  screen.say(
    usedModel(loadConfig({ places, env }).values, embed) === `local:${wanted.id}`
      ? 'Vectors are computed in the background; see: tidemark doctor'
      : `To use it: tidemark model use ${wanted.id}`,
  );
}

/** The model that ships with Tidemark only has to be enabled. */
async function enableBuiltIn(
  { options, places, env, screen, client }: Context,
  embed: Embed,
  wanted: CatalogueModel,
) {
  const { problem } = statuses(places, embed).find(({ model: { id } }) => id === wanted.id) ?? {};
  if (problem !== undefined) throw new TidemarkError('model-damaged', problem, { hint: embed.REINSTALL });
  if (loadConfig({ places, env }).values['embed.driver'] === 'none')
    setConfig(places, 'embed.driver', undefined);
  await tellDaemon(client);
  if (options['json']) return screen.json({ id: wanted.id, fetched: 0 });
  screen.print(`${wanted.id} ships with Tidemark. There is nothing to install.`);
}

async function use(context: Context, embed: Embed, name: string | undefined): Promise<void> {
  const { options, places, screen, client } = context;
  if (name === undefined) throw usageError('no model given', 'List them: tidemark model list');
  const [driver, server] = driverOf(embed, name);
  // The default is not recorded: then a later version uses its own.
  const isDefault = driver === 'local' && server === embed.DEFAULT_MODEL;
  setConfig(places, 'embed.driver', isDefault ? undefined : driver);
  setConfig(places, 'embed.model', isDefault ? undefined : server || undefined);
  await tellDaemon(client);
  if (options['json']) return screen.json({ driver, model: server });
  screen.print(
    driver === 'none' ? 'Search uses words only, and only rules make memories.' : `Using ${name}.`,
  );
  if (driver === 'openai' || driver === 'ollama')
    screen.say('Redacted memories and prompts go to that server; see embed.url in: tidemark config');
  const status = statuses(places, embed).find(({ model: one }) => one.id === server);
  if (driver !== 'local' || status?.installed) return;
  const { problem } = status ?? {};
  screen.say(
    problem === undefined
      ? `It is not installed yet: tidemark model install ${server}`
      : `${problem}. ${embed.REINSTALL}`,
  );
}

async function remove({ options, places, screen, client }: Context, embed: Embed, wanted: CatalogueModel) {
  if (wanted.isBuiltIn)
    throw usageError(
      `${wanted.id} ships with Tidemark and cannot be removed`,
      'Use no model: tidemark model use none',
    );
  const removed = embed.removeModel(places.models, wanted);
  await tellDaemon(client);
  if (options['json']) return screen.json({ id: wanted.id, removed });
  screen.print(removed ? `${wanted.id} is removed.` : `${wanted.id} was not installed.`);
}

/** Makes a running daemon reload models and settings. */
async function tellDaemon(client: Context['client']): Promise<void> {
  if (await client.isUp()) await client.call('embed.reload', {}).catch(() => {}); // an older daemon does not have this call
}

function driverOf(
  embed: Embed,
  name: string,
): readonly ['none' | 'local' | (typeof SERVERS)[number], string] {
  if (name === 'none') return ['none', ''];
  for (const server of SERVERS)
    if (name.startsWith(`${server}:`) && name.length > server.length + 1)
      return [server, name.slice(server.length + 1)];
  return ['local', catalogued(embed, name).id];
}

function catalogued(embed: Embed, id: string | undefined): CatalogueModel {
  const found = id === undefined ? undefined : embed.catalogued(id);
  if (found) return found;
  throw usageError(
    id === undefined ? 'no model given' : `there is no model "${id}"`,
    `Known models: ${embed.CATALOGUE.map((one) => one.id).join(', ')}, ollama:<model>, openai:<model> and none.`,
  );
}

function usedModel(values: ReturnType<typeof loadConfig>['values'], embed: Embed): string {
  const { 'embed.driver': driver, 'embed.model': name } = values;
  if (driver === 'none') return 'none';
  return driver === 'auto' || driver === 'local'
    ? `local:${name || embed.DEFAULT_MODEL}`
    : `${driver}:${name}`;
}
