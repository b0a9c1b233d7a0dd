/** A project shared with a team, and taken back. What would leave the machine is shown first; nothing leaves before a yes. */
import { TidemarkError, type Project } from '../../../core/index.ts';
import type { SharePreview } from '../../../exchange/sync/team/index.ts';
import { confirm } from '../../confirm.ts';
import { counted, type Screen } from '../../screen.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';

interface Shared {
  readonly name: string;
  readonly server: string;
  readonly waiting: number;
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly problem?: { readonly message: string; readonly hint?: string };
}

interface Unshared {
  readonly project: string;
  readonly name: string;
  readonly server: string;
  readonly done: boolean;
  readonly problem?: { readonly message: string; readonly hint?: string };
}

export const share: Verb = {
  name: 'share',
  usage: 'share <project> [--dry-run] [--yes] [--join <name> | --new]',
  summary: 'Share a project with your team: shows exactly what will leave this machine, and asks.',
  options: {
    'dry-run': { type: 'boolean', doc: 'Show what would leave, and send nothing.' },
    yes: { type: 'boolean', short: 'y', doc: 'Do not ask.' },
    join: {
      type: 'string',
      value: 'name',
      doc: 'A project the team has already, where no key tells that it is the same.',
    },
    new: { type: 'boolean', doc: 'Another project, although the team has one of that name.' },
    ...JSON_OPTION,
  },
  examples: ['tidemark share .', 'tidemark share my-app --dry-run'],
  async run(context) {
    const { args, options, client, screen, cwd } = context;
    const asked = args[0] === '.' ? { dir: cwd } : { project: await projectOf(context) };
    const preview = await client.call<SharePreview>('team.preview', asked);
    const isJson = Boolean(options['json']);
    if (options['dry-run']) return isJson ? screen.json(preview) : show(preview, screen);
    if (!isJson) show(preview, screen);
    if (!(await confirm(context, `Share this with ${preview.team} on ${preview.server}?`)))
      return screen.say('Nothing was sent.');
    const joined = options['join'] === undefined ? {} : { join: options['join'] };
    const done = await client.call<Shared>('team.share', {
      ...asked,
      ...joined,
      fresh: Boolean(options['new']),
    });
    if (isJson) return screen.json({ ...preview, ...done });
    screen.print(`${done.name} is shared. From now on changes go both ways by themselves.`);
    if (done.waiting > 0)
      screen.print(`${counted(done.waiting, 'entry', 'entries')} still to go: tidemark team`);
    if (done.refused.length > 0)
      screen.print(
        `${counted(done.refused.length, 'entry', 'entries')} refused by the server: tidemark team`,
      );
    const { problem } = done;
    if (!problem) return;
    screen.print(screen.paint.red(`! ${problem.message}`));
    if (problem.hint) screen.print(screen.paint.dim(`  ${problem.hint}`));
  },
};

export const unshare: Verb = {
  name: 'unshare',
  usage: 'unshare <project> [--yes]',
  summary: 'Take a project back: your entries leave the server and the others, theirs leave this machine.',
  options: { yes: { type: 'boolean', short: 'y', doc: 'Do not ask.' }, ...JSON_OPTION },
  async run(context) {
    const { options, client, screen } = context;
    const project = await projectOf(context);
    if (!(await confirm(context, `Take your entries of ${project} back from the team?`)))
      return screen.say('Nothing was changed.');
    const { name, server, done, problem } = await client.call<Unshared>('team.unshare', { project });
    if (options['json']) return screen.json({ project, name, server, done });
    if (done)
      return screen.print(
        `${name} is no longer shared. Your entries are gone from ${server}; here they stay.`,
      );
    screen.print(
      `Nothing is sent any more. ${server} could not be told yet (${problem?.message ?? 'it is away'}); it will be.`,
    );
    if (problem?.hint) screen.say(problem.hint);
  },
};

/** `.` is the project of this folder; else an id, or a name that only one has. */
async function projectOf({ args, client, cwd }: Context): Promise<string> {
  const [wanted] = args;
  if (!wanted)
    throw new TidemarkError('usage', 'which project?', {
      hint: 'tidemark projects; "." is the one of this folder',
    });
  if (wanted === '.') {
    const { project } = await client.call<{ project: string | null }>('read.place', { dir: cwd });
    if (project) return project;
  }
  const all = await client.call<readonly Project[]>('read.projects');
  const exact = all.find(({ id }) => id === wanted);
  const named = all.filter(({ name }) => name === wanted);
  const [only] = exact ? [exact] : named;
  if (only && (exact || named.length === 1)) return only.id;
  if (named.length > 1)
    throw new TidemarkError('usage', `several projects are called ${wanted}`, {
      hint: `Say which: ${named.map(({ id }) => id).join(', ')}`,
    });
  return wanted; // the daemon says that there is none, or why it may not be
}

function show(preview: SharePreview, { print, paint }: Screen): void {
  const { name, server, team, keys, entries, kinds, titles, redactions, withPaths, inReview } = preview;
  const secrets = Object.entries(redactions).map(([type, n]) => `${n} × ${type}`);
  const lines = [
    paint.bold(`What leaves this machine for ${team} on ${server}`),
    `  project   ${name}${keys.length > 0 ? paint.dim(` (${keys.join(', ')})`) : paint.dim(' (by name only: it has no remote)')}`,
    `  entries   ${entries}${
      entries > 0
        ? `: ${Object.entries(kinds)
            .map(([kind, n]) => `${n} ${kind}`)
            .join(', ')}`
        : ''
    }`,
    ...titles.map((title) => `            ${paint.dim('·')} ${title}`),
    ...(entries > titles.length ? [paint.dim(`            … and ${entries - titles.length} more`)] : []),
    `  read by   everyone in ${team}, unless the project is shared there with fewer`,
    `  secrets   ${secrets.length > 0 ? `taken out: ${secrets.join(', ')}` : 'none left to take out'}`,
    `  paths     ${withPaths > 0 ? `of this machine taken out of ${counted(withPaths, 'entry', 'entries')}` : 'of this machine: none'}`,
    `  stays     conversations, personal memories, other projects${inReview > 0 ? `, ${inReview} waiting for review` : ''}`,
  ];
  print(lines.join('\n'));
}
