/** Keeps Tidemark out of a folder, by the setting `capture.ignore`. Writes nothing into the folder. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MEMORY_KINDS } from '../../../core/index.ts';
import { tilde } from '../../screen.ts';
import { flag, notFound, usageError, type Context, type Verb } from '../../verb.ts';
import { addItems, expanded, itemsOf, removeItems } from '../setup/list-setting.ts';

const KEY = 'capture.ignore';
const FILE = '.tidemark-ignore';

export const ignore: Verb = {
  name: 'ignore',
  usage: 'ignore [folder] [--remove] | ignore --list',
  summary:
    'Keep Tidemark out of a project: nothing is captured or recalled there, and its sessions are not imported. Writes the setting capture.ignore, and nothing into the project.',
  options: {
    remove: flag('Capture and recall there again.'),
    list: flag('List the ignored folders.'),
  },
  examples: ['tidemark ignore', 'tidemark ignore ~/work/client', 'tidemark ignore --remove ~/work/client'],
  async run(context) {
    const { options, screen } = context;
    if (options['list']) return list(context);
    const folder = await folderOf(context);
    const name = tilde(folder);
    if (options['remove']) removeFolder(context, folder);
    else addItems(context, KEY, [folder]);
    const { ignored } = await context.client.call('read.place', { dir: folder });
    if (options['json']) return screen.json({ folder, ignored, list: itemsOf(context, KEY) });
    if (options['remove']) {
      screen.print(
        ignored ? `${name} is still ignored: ${reason(context, folder)}` : `No longer ignored: ${name}`,
      );
      if (!ignored)
        screen.say(
          'Sessions that ran while it was ignored are imported only on request: tidemark import history',
        );
      return;
    }
    screen.print(`Ignored: ${name}`);
    screen.say('Nothing is captured or recalled there, and import history skips its sessions.');
    screen.say(
      `Existing memories stay. To forget them, run there: tidemark clear-facts ${MEMORY_KINDS.join(' ')}`,
    );
    screen.say(`To end it: tidemark ignore --remove ${/^[\w./~-]+$/.test(name) ? name : `'${folder}'`}`);
  },
};

function list(context: Context): void {
  const { args, options, screen } = context;
  if (args.length > 0 || options['remove'])
    throw usageError('--list takes no folder and no other option', 'tidemark ignore --list');
  const items = itemsOf(context, KEY);
  if (options['json']) return screen.json(items);
  if (items.length === 0) return screen.say('No folder is ignored. Ignore this one with: tidemark ignore');
  for (const item of items) screen.print(tilde(item));
}

/** The given folder, or the root of the project around the current one. */
async function folderOf({ args, cwd, client }: Context): Promise<string> {
  const [named] = args;
  if (named !== undefined) return resolve(cwd, expanded(named));
  return (await client.call('read.place', { dir: cwd })).root;
}

function removeFolder(context: Context, folder: string): void {
  const listed = itemsOf(context, KEY).find((item) => expanded(item) === folder);
  if (listed !== undefined) return removeItems(context, KEY, [listed]);
  throw notFound(`${tilde(folder)} is not in the list of ignored folders`, reason(context, folder));
}

/** Says what else may exclude a folder. */
function reason(context: Context, folder: string): string {
  if (existsSync(join(folder, FILE))) return `delete ${tilde(join(folder, FILE))} to capture there again`;
  const items = itemsOf(context, KEY);
  return items.length > 0
    ? `the list contains ${items.map((item) => tilde(item)).join(', ')}`
    : 'the list is empty';
}
