/**
 * Shares a project with a team and withdraws it. Shows first what would leave the machine, and asks. Also decides about
 * single entries: hold one back, or share one now.
 */
import { ID_PATTERN, plainLine, SHORT_ID_PATTERN, shortId } from '../../../core/index.ts';
import type { SharePreview } from '../../../exchange/sync/team/index.ts';
import { confirm } from '../../ask.ts';
import { projectNamed } from '../../project-named.ts';
import { counted, type Screen } from '../../screen.ts';
import { flag, usageError, value, type Context, type Verb } from '../../verb.ts';

const MOST_HELD = 10;

export const share: Verb = {
  name: 'share',
  usage: 'share <project> [--dry-run] [--yes] [--join <name> | --new] | share [--hold] <id…>',
  summary: 'Share a project or single entries with your team; shows what will be sent, and asks first.',
  options: {
    hold: flag('Keep these entries (ids) on this machine; one that was already sent is taken back.'),
    'dry-run': flag('Show what would leave this machine, and send nothing.'),
    yes: flag('Do not ask.', 'y'),
    join: value('name', 'Join this project of the team, if it is not recognised automatically.'),
    new: flag('Create a new project even if the team has one of that name.'),
  },
  examples: [
    'tidemark share .',
    'tidemark share my-app --dry-run',
    'tidemark share --hold 7k2m9qx',
    'tidemark share 7k2m9qx',
  ],
  async run(context) {
    const { args, options, client, screen, cwd } = context;
    if (options['hold'] || (await areEntries(context))) return decide(context);
    const asked = args[0] === '.' ? { dir: cwd } : { project: await projectOf(context) };
    const preview = await client.call('team.preview', asked);
    const isJson = Boolean(options['json']);
    if (options['dry-run']) return isJson ? screen.json(preview) : show(preview, screen);
    if (!isJson) show(preview, screen);
    if (!(await confirm(context, `Share this with ${preview.team} on ${preview.server}?`)))
      return screen.say('Nothing was sent.');
    const joined = typeof options['join'] === 'string' ? { join: options['join'] } : {};
    const done = await client.call('team.share', {
      ...asked,
      ...joined,
      fresh: Boolean(options['new']),
    });
    if (isJson) return screen.json({ ...preview, ...done });
    screen.print(`${done.name} is shared. Changes are now exchanged automatically.`);
    if (done.waiting > 0) screen.print(`${counted(done.waiting, 'entry')} still to send: tidemark team`);
    if (preview.held.length > 0)
      screen.print(`${counted(preview.held.length, 'entry')} kept on this machine: tidemark team`);
    if (done.refused.length > 0)
      screen.print(`${counted(done.refused.length, 'entry')} refused by the server: tidemark team`);
    const { problem } = done;
    if (!problem) return;
    screen.print(screen.paint.red(`! ${problem.message}`));
    if (problem.hint) screen.print(screen.paint.dim(`  ${problem.hint}`));
  },
};

export const unshare: Verb = {
  name: 'unshare',
  usage: 'unshare <project> [--yes]',
  summary:
    'Stop sharing a project: removes your entries from the server and the team, and theirs from this machine.',
  options: { yes: flag('Do not ask.', 'y') },
  async run(context) {
    const { options, client, screen } = context;
    const project = await projectOf(context);
    if (!(await confirm(context, `Stop sharing ${project} and remove your entries from the team?`)))
      return screen.say('Nothing was changed.');
    const { name, server, done, problem } = await client.call('team.unshare', { project });
    if (options['json']) return screen.json({ project, name, server, done });
    if (done)
      return screen.print(
        `${name} is no longer shared. Your entries are removed from ${server} and stay here.`,
      );
    screen.print(
      `Nothing more is sent. ${server} is not informed yet (${problem?.message ?? 'unreachable'}); Tidemark keeps trying.`,
    );
    if (problem?.hint) screen.say(problem.hint);
  },
};

/** Whether the arguments are ids of entries, full or short. A project of that name has precedence over a short id. */
async function areEntries({ args, client }: Context): Promise<boolean> {
  if (args.length === 0 || !args.every((arg) => ID_PATTERN.test(arg) || SHORT_ID_PATTERN.test(arg)))
    return false;
  if (args.every((arg) => ID_PATTERN.test(arg))) return true;
  const projects = await client.call('read.projects', {});
  return !projects.some(({ id, name }) => args.includes(id) || args.includes(name));
}

/** Decides about single entries. */
async function decide({ args, options, client, screen }: Context): Promise<void> {
  if (args.length === 0) throw usageError('no id given', 'List the waiting entries: tidemark team');
  const isHeld = Boolean(options['hold']);
  const { entries, problem } = await client.call('team.decide', {
    ids: [...args],
    state: isHeld ? 'held' : 'released',
  });
  if (options['json']) return screen.json({ entries, ...(problem ? { problem } : {}) });
  for (const { id, title, wasSent } of entries)
    screen.print(
      isHeld
        ? `${shortId(id)} ${wasSent ? 'is taken back from the team and stays' : 'stays'} on this machine: ${plainLine(title)}`
        : `${shortId(id)} is shared: ${plainLine(title)}`,
    );
  if (isHeld) screen.say('To share one later: tidemark share <id>');
  if (problem)
    screen.print(
      screen.paint.red(
        `! ${problem.message}. The decision is stored and is carried out when the server answers.`,
      ),
    );
}

/** Resolves `.` (the project of this folder), an id, or a unique name. */
async function projectOf({ args, client, cwd }: Context): Promise<string> {
  const [named] = args;
  if (!named)
    throw usageError('no project given', 'List them: tidemark projects. "." is the project of this folder.');
  if (named === '.') {
    const { project } = await client.call('read.place', { dir: cwd });
    if (project) return project;
  }
  return projectNamed(client, named);
}

function show(preview: SharePreview, { print, paint }: Screen): void {
  const { name, server, team, keys, entries, kinds, titles, redactions, withPaths, inReview, held } = preview;
  const secrets = Object.entries(redactions).map(([type, n]) => `${n} × ${type}`);
  const lines = [
    paint.bold(`To be sent from this machine to ${team} on ${server}`),
    `  project   ${name}${keys.length > 0 ? paint.dim(` (${keys.join(', ')})`) : paint.dim(' (by name only: no git remote)')}`,
    `  entries   ${entries}${
      entries > 0
        ? `: ${Object.entries(kinds)
            .map(([kind, n]) => `${n} ${kind}`)
            .join(', ')}`
        : ''
    }`,
    ...titles.map((title) => `            ${paint.dim('·')} ${plainLine(title)}`),
    ...(entries > titles.length ? [paint.dim(`            … and ${entries - titles.length} more`)] : []),
    `  read by   everyone in ${team}, unless the project is restricted there`,
    `  secrets   ${secrets.length > 0 ? `redacted: ${secrets.join(', ')}` : 'none found'}`,
    `  paths     ${withPaths > 0 ? `removed from ${counted(withPaths, 'entry')}` : 'none found'}`,
    ...(held.length > 0
      ? [
          `  kept here ${counted(held.length, 'entry')} (share one anyway: tidemark share <id>)`,
          ...held
            .slice(0, MOST_HELD)
            .map(
              ({ id, title, why }) =>
                `            ${paint.dim('·')} ${shortId(id)} ${plainLine(title)} ${paint.dim(`(${why})`)}`,
            ),
          ...(held.length > MOST_HELD
            ? [paint.dim(`            … and ${held.length - MOST_HELD} more: tidemark share … --json`)]
            : []),
        ]
      : []),
    `  not sent  conversations, personal memories, other projects${inReview > 0 ? `, ${inReview} to review` : ''}`,
  ];
  print(lines.join('\n'));
}
