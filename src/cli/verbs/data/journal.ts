/** Where a project's journal lies: at home, in its repository, in a folder of choice; and how git merges it. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { JournalLocation } from '../../../capture/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import { setUpMerging, type Merging } from '../../../exchange/git/index.ts';
import { counted, tilde } from '../../screen.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';

export const journal: Verb = {
  name: 'journal',
  usage: 'journal [where]',
  summary: 'Say where the journal of this project lies.',
  options: { ...JSON_OPTION },
  examples: ['tidemark journal', 'tidemark journal in-repository', 'tidemark journal move ~/Sync/acme'],
  async run(context) {
    const { args, client, cwd, options, screen } = context;
    if (args.length > 1 || (args[0] ?? 'where') !== 'where')
      throw new TidemarkError('usage', `there is no "journal ${args.join(' ')}"`, {
        hint: 'tidemark journal [where | move <folder> | in-repository | back | merging]',
      });
    const place = await client.call<JournalLocation>('journal.where', { dir: cwd });
    if (options['json']) return screen.json(place);
    screen.print(lines(place).join('\n'));
  },
};

export const journalMove: Verb = {
  name: 'journal move',
  usage: 'journal move <folder>',
  summary: 'Keep the journal of this project in a folder of your choice, as one that is synced.',
  options: { ...JSON_OPTION },
  async run(context) {
    const [folder] = context.args;
    if (!folder)
      throw new TidemarkError('usage', 'to which folder?', { hint: 'tidemark journal move <folder>' });
    await move(context, absolute(folder, context.cwd));
  },
};

export const journalInRepository: Verb = {
  name: 'journal in-repository',
  usage: 'journal in-repository',
  summary: 'Keep the journal of this project in its repository, in .tidemark/journal.',
  options: { ...JSON_OPTION },
  async run(context) {
    await move(context, 'repository');
  },
};

export const journalBack: Verb = {
  name: 'journal back',
  usage: 'journal back',
  summary: 'Bring the journal of this project back home; the other folder keeps what it has.',
  options: { ...JSON_OPTION },
  async run({ client, cwd, options, screen }) {
    const before = await client.call<JournalLocation>('journal.where', { dir: cwd });
    const place = await client.call<JournalLocation>('journal.move', { dir: cwd, to: 'home' });
    if (options['json']) return screen.json(place);
    screen.print(lines(place).join('\n'));
    tellLeft(before, place, screen);
  },
};

export const journalMerging: Verb = {
  name: 'journal merging',
  usage: 'journal merging [<folder>]',
  summary: 'Teach the repository of a folder (this one) to merge the journal in it entry by entry.',
  options: { ...JSON_OPTION },
  examples: ['tidemark journal merging ~/.tidemark/journal'],
  async run({ args, cwd, places, options, screen }) {
    const folder = absolute(args[0] ?? '.', cwd);
    if (!existsSync(folder)) throw new TidemarkError('not-found', `${folder} is not there`);
    const merging = setUpMerging(folder, places);
    if (!merging)
      throw new TidemarkError('usage', `${folder} lies in no git repository`, {
        hint: 'Run first: git init',
      });
    if (options['json']) return screen.json(merging);
    screen.print(mergingLines(merging).join('\n'));
  },
};

async function move({ client, cwd, places, options, screen }: Context, to: string): Promise<void> {
  const before = await client.call<JournalLocation>('journal.where', { dir: cwd });
  const place = await client.call<JournalLocation>('journal.move', { dir: cwd, to });
  const merging = setUpMerging(place.folder, places);
  if (options['json']) return screen.json({ ...place, ...(merging ? { merging } : {}) });
  screen.print(lines(place).join('\n'));
  if (merging) {
    screen.print(mergingLines(merging).join('\n'));
    screen.say('Tidemark commits nothing: that is yours to do.');
    screen.say(
      'What you commit can be read by everyone who can read the repository. What you forget later is taken out of the files, but not out of git’s history.',
    );
  }
  tellLeft(before, place, screen);
  if (!place.machine)
    screen.say(
      'Shared by several machines? Give each a name, so that each writes files of its own and merges do not meet: tidemark config set journal.machine desk',
    );
}

function tellLeft(before: JournalLocation, now: JournalLocation, screen: Context['screen']): void {
  if (before.kind === 'home' || before.away || before.folder === now.folder) return;
  screen.say(
    `The files in ${tilde(before.folder)} are still there, for others may share them. Nothing forgotten from now on is taken out of them: delete them if nobody needs them.`,
  );
}

function lines(place: JournalLocation): readonly string[] {
  const { name, folder, kind, away, files, entries, machine, unused } = place;
  const where = { home: 'at home', repository: 'in its repository', folder: 'in a folder of its own' }[kind];
  return [
    `The journal of ${name} lies ${where}: ${tilde(folder)}`,
    away
      ? 'That folder is not there now. Bring it back, or run: tidemark journal back'
      : `${counted(files, 'file')}, ${counted(entries, 'memory', 'memories')}`,
    ...(machine ? [`This machine writes as "${machine}".`] : []),
    ...(unused
      ? [`The repository holds a journal too (${tilde(unused)}). Use it with: tidemark journal in-repository`]
      : []),
  ];
}

function mergingLines({ workTree, uncommitted, ignored }: Merging): readonly string[] {
  return [
    `Git in ${tilde(workTree)} merges it entry by entry from now on. Other clones need the same: run this there too.`,
    ignored
      ? 'A .gitignore keeps these files out of git: take that line away to share them.'
      : `Git sees ${counted(uncommitted, 'file')} there that ${uncommitted === 1 ? 'is' : 'are'} not committed.`,
  ];
}

function absolute(folder: string, cwd: string): string {
  const whole = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder;
  return isAbsolute(whole) ? whole : resolve(cwd, whole);
}
