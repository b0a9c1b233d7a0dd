/** The model that finds memories by meaning: getting one, choosing one, removing one. Nothing is fetched before it is asked for. */
import { loadConfig, setConfig } from '../../../config/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import type { CatalogueModel } from '../../../models/index.ts';
import { bar } from '../../screen.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';

type Embed = typeof import('../../../models/index.ts');

const SERVERS = ['ollama', 'openai'] as const;
const MB = 1024 * 1024;

export const model: Verb = {
  name: 'model',
  usage: 'model [list | install [<model>] | use <model> | remove <model>]',
  summary: 'The model that finds memories by meaning: install, choose, remove.',
  options: {
    from: {
      type: 'string',
      value: 'folder',
      doc: 'install: take the files from here instead of fetching them.',
    },
    ...JSON_OPTION,
  },
  examples: [
    'tidemark model install',
    'tidemark model use gte-small',
    'tidemark model use ollama:nomic-embed-text',
    'tidemark model use none',
  ],
  async run(context) {
    // Loaded when it is needed: most calls of the CLI have nothing to do with models.
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
        throw new TidemarkError('usage', `model knows no "${what}"`, { hint: 'See: tidemark model --help' });
    }
  },
};

function list({ options, places, env, screen }: Context, embed: Embed): void {
  const { values } = loadConfig({ places, env });
  const used = usedModel(values, embed);
  const models = embed
    .listModels(places.models)
    .map(({ model: { id, about, licence }, installed, bytes }) => ({
      id,
      about,
      licence,
      bytes,
      installed,
      used: used === `local:${id}`,
    }));
  if (options['json']) return screen.json({ used, models });
  const { paint } = screen;
  for (const one of models) {
    const state = one.installed ? (one.used ? paint.green('in use') : 'installed') : 'not installed';
    screen.print(
      `${paint.bold(one.id)}  ${state}  ${(one.bytes / MB).toFixed(0)} MB, ${one.licence}\n  ${paint.dim(one.about)}`,
    );
  }
  if (SERVERS.some((server) => used.startsWith(`${server}:`)))
    screen.print(`${paint.bold(used)}  ${paint.green('in use')}`);
  else if (!models.some((one) => one.used && one.installed))
    screen.say('Memories are found by their words alone. By meaning too: tidemark model install');
}

async function install(context: Context, embed: Embed, wanted: CatalogueModel): Promise<void> {
  const { options, places, env, screen, client } = context;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new TidemarkError('cancelled', 'stopped; nothing was kept'));
  process.once('SIGINT', interrupt);
  const from = typeof options['from'] === 'string' ? { from: options['from'] } : {};
  embed.sweepModels(places.models);
  const { fetched } = await embed
    .installModel(wanted, {
      folder: places.models,
      env,
      signal: stop.signal,
      ...from,
      onProgress: ({ file, done, total, source }) =>
        screen.progress(`${bar(done, total)}  ${file} ${(done / MB).toFixed(1)} MB from ${source}`),
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
    fetched > 0 ? `${wanted.id} is installed, its hash verified.` : `${wanted.id} is there already.`,
  );
  screen.say(
    usedModel(loadConfig({ places, env }).values, embed) === `local:${wanted.id}`
      ? 'What is remembered gets its vectors in the background; see: tidemark doctor'
      : `To find by it: tidemark model use ${wanted.id}`,
  );
}

async function use(context: Context, embed: Embed, name: string | undefined): Promise<void> {
  const { options, places, screen, client } = context;
  if (name === undefined) throw new TidemarkError('usage', 'which model?', { hint: 'tidemark model list' });
  const [driver, server] = driverOf(embed, name);
  setConfig(places, 'embed.driver', driver);
  setConfig(places, 'embed.model', server || undefined);
  await tellDaemon(client);
  if (options['json']) return screen.json({ driver, model: server });
  screen.print(driver === 'none' ? 'Memories are found by their words alone.' : `Using ${name}.`);
  if (driver === 'openai' || driver === 'ollama')
    screen.say('Redacted memories and prompts go to that server; see embed.url in: tidemark config');
  const installed = embed.listModels(places.models).find(({ model: one }) => one.id === server)?.installed;
  if (driver === 'local' && !installed)
    screen.say(`It is not installed yet: tidemark model install ${server}`);
}

async function remove({ options, places, screen, client }: Context, embed: Embed, wanted: CatalogueModel) {
  const removed = embed.removeModel(places.models, wanted);
  await tellDaemon(client);
  if (options['json']) return screen.json({ id: wanted.id, removed });
  screen.print(removed ? `${wanted.id} is removed.` : `${wanted.id} was not installed.`);
}

/** A running daemon looks at models and settings again; one that starts later does so anyway. */
async function tellDaemon(client: Context['client']): Promise<void> {
  if (await client.isUp()) await client.call('embed.renew').catch(() => {}); // an older one does not know it
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
  throw new TidemarkError('usage', id === undefined ? 'which model?' : `there is no model called ${id}`, {
    hint: `Known are ${embed.CATALOGUE.map((one) => one.id).join(', ')}, ollama:<model>, openai:<model> and none.`,
  });
}

function usedModel(values: ReturnType<typeof loadConfig>['values'], embed: Embed): string {
  const { 'embed.driver': driver, 'embed.model': name } = values;
  if (driver === 'none') return 'none';
  return driver === 'auto' || driver === 'local'
    ? `local:${name || embed.DEFAULT_MODEL}`
    : `${driver}:${name}`;
}
