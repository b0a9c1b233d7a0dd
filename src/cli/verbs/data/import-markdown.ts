/** Makes a folder of Markdown notes searchable in place, lists such folders, and removes one. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { PERSONAL_PROJECT } from '../../../core/index.ts';
import { counted, tilde } from '../../screen.ts';
import { EXIT, flag, notFound, usageError, type Context, type Verb } from '../../verb.ts';
import { skippedLines } from './import-history.ts';

export const importMarkdown: Verb = {
  name: 'import markdown',
  usage: 'import markdown [<folder>] [--everywhere | --remove] [--dry-run]',
  summary: 'Search a folder of Markdown notes too; without a folder, list those that are searched.',
  options: {
    everywhere: flag('Find the notes in every project, not only in the one of this folder.'),
    remove: flag('Do not search the folder any longer; its files stay.'),
    'dry-run': flag('Show what would be read, and change nothing.'),
  },
  examples: ['tidemark import markdown ~/notes --everywhere', 'tidemark import markdown docs/decisions'],
  async run(context) {
    const { args, options } = context;
    const [folder] = args;
    if (options['everywhere'] && options['remove'])
      throw usageError('use only one of --everywhere and --remove');
    if (folder === undefined) return list(context);
    const path = realPath(resolve(context.cwd, folder));
    return options['remove'] ? remove(context, path) : add(context, path);
  },
};

async function add({ options, client, cwd, screen }: Context, folder: string): Promise<number> {
  const dryRun = Boolean(options['dry-run']);
  screen.progress('reading the notes…');
  const report = await client.call('notes.add', {
    folder,
    dryRun,
    ...(options['everywhere'] ? {} : { dir: cwd }),
  });
  screen.done();
  const { files, parts, added, skipped, isCut } = report;
  const code = skipped.length > 0 || isCut ? EXIT.failed : EXIT.ok;
  if (options['json']) {
    screen.json(report);
    return code;
  }
  const what = `${counted(files, 'file')}, ${counted(parts, 'part')}`;
  screen.print(
    dryRun
      ? `${tilde(folder)}: ${what}. They would be found in ${whereOf(report)}.`
      : `${tilde(folder)}: ${what}, ${added} of them new. They are found in ${whereOf(report)}.`,
  );
  if (isCut)
    screen.print(`Only the first ${counted(files, 'file')} are read. Choose a smaller folder for the rest.`);
  for (const line of skippedLines(skipped, skipped.length)) screen.print(line);
  if (!dryRun)
    screen.say(
      `They are read again when they change, and never injected. To stop: tidemark import markdown ${tilde(folder)} --remove`,
    );
  return code;
}

async function remove({ options, client, screen }: Context, folder: string): Promise<void> {
  const removed = await client.call('notes.remove', { folder });
  if (!removed)
    throw notFound(`${tilde(folder)} is not searched`, 'List the folders with: tidemark import markdown');
  if (options['json']) return screen.json(removed);
  screen.print(`${tilde(folder)} is not searched any longer. Its files stay as they are.`);
}

async function list({ options, client, screen }: Context): Promise<void> {
  const folders = await client.call('notes.list', {});
  if (options['json']) return screen.json(folders);
  if (folders.length === 0)
    screen.say('No folder of notes is searched yet. Add one: tidemark import markdown <folder>');
  for (const one of folders)
    screen.print(`${tilde(one.folder)}  ${counted(one.files, 'file')} · found in ${whereOf(one)}`);
}

function whereOf({ project, name }: { readonly project: string; readonly name: string }): string {
  return project === PERSONAL_PROJECT ? 'every project' : name;
}

/** The same folder by any of its names. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
