/** Shows and changes where a project's journal is stored: in the data folder, in its repository, or in another folder. Sets up git merging. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { JournalLocation } from '../../../capture/index.ts';
import { setUpMerging, type Merging } from '../../../exchange/git/index.ts';
import { counted, tilde } from '../../screen.ts';
import { flag, notFound, usageError, value, type Context, type Verb } from '../../verb.ts';

export const journal: Verb = {
  name: 'journal',
  usage: 'journal [where]',
  summary: 'Show where the journal of this project is stored.',
  examples: ['tidemark journal', 'tidemark journal in-repository', 'tidemark journal move ~/Sync/acme'],
  async run(context) {
    const { args, client, cwd, options, screen } = context;
    if (args.length > 1 || (args[0] ?? 'where') !== 'where')
      throw usageError(
        `there is no "journal ${args.join(' ')}"`,
        'tidemark journal [where | move <folder> | in-repository | back | merging]',
      );
    const place = await client.call('journal.where', { dir: cwd });
    if (options['json']) return screen.json(place);
    screen.print(lines(place).join('\n'));
  },
};

export const journalMove: Verb = {
  name: 'journal move',
  usage: 'journal move <folder>',
  summary: 'Store the journal of this project in another folder, such as a synced one.',
  async run(context) {
    const [folder] = context.args;
    if (!folder) throw usageError('no folder given', 'tidemark journal move <folder>');
    await move(context, absolute(folder, context.cwd));
  },
};

export const journalInRepository: Verb = {
  name: 'journal in-repository',
  usage: 'journal in-repository',
  summary: 'Store the journal of this project in its repository, in .tidemark/journal.',
  async run(context) {
    await move(context, 'repository');
  },
};

export const journalBack: Verb = {
  name: 'journal back',
  usage: 'journal back',
  summary: 'Move the journal of this project back to the data folder; the other folder keeps its files.',
  async run({ client, cwd, options, screen }) {
    const before = await client.call('journal.where', { dir: cwd });
    const place = await client.call('journal.move', { dir: cwd, to: 'home' });
    if (options['json']) return screen.json(place);
    screen.print(lines(place).join('\n'));
    sayWhatStays(before, place, screen);
  },
};

export const journalMerging: Verb = {
  name: 'journal merging',
  usage: 'journal merging [<folder>]',
  summary: 'Set up the git repository of a folder (default: this one) to merge the journal entry by entry.',
  examples: ['tidemark journal merging ~/.tidemark/journal'],
  async run({ args, cwd, places, options, screen }) {
    const folder = absolute(args[0] ?? '.', cwd);
    if (!existsSync(folder)) throw notFound(`${folder} does not exist`);
    const merging = await setUpMerging(folder, places);
    if (!merging) throw usageError(`${folder} is not in a git repository`, 'Run first: git init');
    if (options['json']) return screen.json(merging);
    screen.print(mergingLines(merging).join('\n'));
  },
};

async function move({ client, cwd, places, options, screen }: Context, to: string): Promise<void> {
  const before = await client.call('journal.where', { dir: cwd });
  const place = await client.call('journal.move', { dir: cwd, to });
  const merging = await setUpMerging(place.folder, places);
  if (options['json']) return screen.json({ ...place, ...(merging ? { merging } : {}) });
  screen.print(lines(place).join('\n'));
  if (merging) {
    screen.print(mergingLines(merging).join('\n'));
    screen.say('Tidemark never commits. Commit the files yourself.');
    screen.say(
      'Everyone who can read the repository can read what you commit. Forgetting a memory later removes it from the files, but not from git’s history.',
    );
  }
  sayWhatStays(before, place, screen);
  if (!place.machine)
    screen.say(
      'Do several machines share it? Give each a name, so that each writes its own files without merge conflicts: tidemark config set journal.machine desk',
    );
}

function sayWhatStays(before: JournalLocation, now: JournalLocation, screen: Context['screen']): void {
  if (before.kind === 'home' || before.away || before.folder === now.folder) return;
  screen.say(
    `The files in ${tilde(before.folder)} stay there, because others may share them. Memories forgotten from now on are not removed from them: delete them if no one needs them.`,
  );
}

function lines(place: JournalLocation): readonly string[] {
  const { name, folder, kind, away, files, entries, machine, unused } = place;
  const where = { home: 'in the data folder', repository: 'in its repository', folder: 'in its own folder' }[
    kind
  ];
  return [
    `The journal of ${name} is ${where}: ${tilde(folder)}`,
    away
      ? 'That folder is missing. Restore it, or run: tidemark journal back'
      : `${counted(files, 'file')}, ${counted(entries, 'memory')}`,
    ...(machine ? [`This machine writes as "${machine}".`] : []),
    ...(unused
      ? [
          `The repository also contains a journal (${tilde(unused)}). Use it with: tidemark journal in-repository`,
        ]
      : []),
  ];
}

function mergingLines({ workTree, uncommitted, ignored }: Merging): readonly string[] {
  return [
    `Git in ${tilde(workTree)} now merges it entry by entry. Run this in every other clone too.`,
    ignored
      ? 'A .gitignore excludes these files: remove that line to share them.'
      : `${counted(uncommitted, 'file')} there ${uncommitted === 1 ? 'is' : 'are'} not committed yet.`,
  ];
}

function absolute(folder: string, cwd: string): string {
  return resolve(cwd, folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder);
}

/** The daemon also archives once a day. */
interface ArchiveReport {
  readonly days: number;
  readonly entries: number;
  readonly months: readonly string[];
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
}

export const archive: Verb = {
  name: 'archive',
  usage: 'archive [--days <n>] [--dry-run]',
  summary: 'Move old days of the journal into one file per month; search and ids stay the same.',
  options: {
    days: value('n', 'Move days older than this (default: journal.archiveDays, 30).'),
    'dry-run': flag('Show what would be moved, and change nothing.'),
  },
  async run({ options, client, screen, places }) {
    const days = options['days'] === undefined ? undefined : Number(options['days']);
    if (days !== undefined && !(Number.isInteger(days) && days > 0))
      throw usageError(`"${String(options['days'])}" is not a number of days`);
    const dryRun = Boolean(options['dry-run']);
    const report = await client.call('archive', { ...(days ? { days } : {}), dryRun });
    if (options['json']) return screen.json(report);
    screen.print(archiveLines(report, dryRun, places.journal).join('\n'));
  },
};

function archiveLines(report: ArchiveReport, dryRun: boolean, journal: string): readonly string[] {
  const { days, entries, months, skipped } = report;
  if (days + skipped.length === 0) return ['No day is old enough.'];
  return [
    `${dryRun ? 'Would move' : 'Moved'} ${counted(days, 'day')} (${counted(entries, 'memory')}) into ${counted(months.length, 'monthly file')}${months.length > 0 ? ':' : '.'}`,
    ...months.map((month) => `  ${month}`),
    ...(skipped.length > 0 ? [`${counted(skipped.length, 'day')} left unchanged (in ${journal}):`] : []),
    ...skipped.map(({ file, reason }) => `  ${file}: ${reason}`),
  ];
}
