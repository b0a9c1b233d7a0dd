/** Shows the user's membership, shared projects, pending changes and conflicts. */
import { sharingTime, shortId, type Memory, plainLine } from '../../../core/index.ts';
import type { TeamView } from '../../../exchange/sync/team/index.ts';
import { age } from '../../../recall/index.ts';
import { counted, type Screen } from '../../screen.ts';
import { EXIT, flag, notFound, usageError, type Verb } from '../../verb.ts';

const MOST_CONFLICTS = 5;
const MOST_SKIPPED = 5;
const MOST_LOCAL = 10;

export const team: Verb = {
  name: 'team',
  usage: 'team [--now] [--conflicts] [--seen <id…>]',
  summary: 'Show your team, shared projects, pending changes and the last exchange.',
  options: {
    now: flag('Exchange now and show the result.'),
    conflicts: flag('Show the replaced texts in full.'),
    seen: flag('Dismiss these conflicts (ids) and delete their texts.'),
  },
  async run({ args, options, client, screen }) {
    if (options['seen']) {
      if (args.length === 0) throw usageError('no id given', 'tidemark team --seen <id…>');
      const { seen } = await client.call('team.seen', { ids: args });
      const none = args.filter((id) => !seen.some((one) => one === id || shortId(one) === id));
      if (none.length > 0)
        throw notFound(`there is no conflict for ${none.join(', ')}`, 'List them: tidemark team --conflicts');
      screen.say(`Dismissed: ${seen.map(shortId).join(', ')}.`);
    }
    if (options['now']) await client.call('team.now', {});
    const view = await client.call('read.team', {});
    if (options['json']) return screen.json(view);
    screen.print((options['conflicts'] ? conflictLines(view, screen) : lines(view, screen)).join('\n'));
    return options['now'] && view.problem ? EXIT.failed : EXIT.ok;
  },
};

function lines(view: TeamView, { paint }: Screen): readonly string[] {
  if (!view.configured && view.projects.length === 0)
    return ['No team server is set up; nothing is sent. Log in with: tidemark login <url>'];
  const now = new Date();
  const when = (at: string | null): string => (at ? age(at, now) : 'never');
  const { problem } = view;
  return [
    view.configured
      ? `${paint.bold(view.member ?? '')} of ${paint.bold(view.team ?? '')} on ${view.server} ${paint.dim(`as ${view.machine}`)}`
      : paint.yellow('Logged out: nothing is exchanged until you log in again.'),
    `last exchange ${when(view.lastGoodAt)}, ${counted(view.waiting, 'change')} to send`,
    ...(problem
      ? [
          paint.red(`! ${plainLine(problem.message)}`),
          ...(problem.hint ? [paint.dim(`  ${problem.hint}`)] : []),
        ]
      : []),
    ...Object.entries(view.settings).map(
      ([key, value]) =>
        `your team sets ${key}: ${plainLine(Array.isArray(value) ? value.join(', ') : String(value))}`,
    ),
    '',
    ...(view.projects.length === 0 ? ['Nothing is shared yet: tidemark share <project>'] : []),
    ...view.projects.flatMap((one) => {
      const { name, project, leaving, sent, from, waiting, mayNotWrite, exchangedAt, refused, skipped } = one;
      return [
        `${paint.bold(plainLine(name))} ${paint.dim(project)}${leaving ? paint.yellow(' being withdrawn') : ''}`,
        `  ${sent} of yours sent, ${othersOf(from)} received, ${waiting} to send ${paint.dim(`(${when(exchangedAt)})`)}`,
        ...(mayNotWrite ? [paint.yellow('  ! read-only: your changes stay on this machine')] : []),
        ...refused.map(({ id, reason }) => paint.red(`  ! ${shortId(id)} was refused: ${plainLine(reason)}`)),
        ...skippedLines(skipped).map((line) => paint.yellow(line)),
        ...localLines(one, paint),
      ];
    }),
    ...(view.conflicts.length > 0
      ? [
          '',
          paint.yellow(
            `${counted(view.conflicts.length, 'text')} replaced by another version of the same entry:`,
          ),
          ...view.conflicts
            .slice(0, MOST_CONFLICTS)
            .map((one) => `  ${shortId(one.memory)} ${whose(one)}: ${plainLine(textOf(one).title)}`),
          paint.dim('  in full: tidemark team --conflicts · dismiss: tidemark team --seen <id>'),
        ]
      : []),
  ];
}

/** New entries that did not leave yet, and those that stay. */
function localLines(
  { delayed, held }: Pick<TeamView['projects'][number], 'delayed' | 'held'>,
  paint: Screen['paint'],
): readonly string[] {
  const more = (n: number): readonly string[] =>
    n > MOST_LOCAL ? [paint.dim(`    and ${n - MOST_LOCAL} more: tidemark team --json`)] : [];
  return [
    ...(delayed.length > 0 ? [`  ${counted(delayed.length, 'new entry')} waiting to be shared:`] : []),
    ...delayed
      .slice(0, MOST_LOCAL)
      .map(
        ({ id, title, until }) =>
          `    ${paint.dim(shortId(id))} at ${sharingTime(until, new Date())}: ${plainLine(title)}`,
      ),
    ...more(delayed.length),
    ...(delayed.length > 0 ? [paint.dim('    keep one local: tidemark share --hold <id>')] : []),
    ...(held.length > 0 ? [`  ${counted(held.length, 'entry')} kept on this machine:`] : []),
    ...held
      .slice(0, MOST_LOCAL)
      .map(({ id, title, why }) => `    ${paint.dim(shortId(id))} ${why}: ${plainLine(title)}`),
    ...more(held.length),
    ...(held.length > 0 ? [paint.dim('    share one: tidemark share <id>')] : []),
  ];
}

function skippedLines(skipped: TeamView['projects'][number]['skipped']): readonly string[] {
  if (skipped.length === 0) return [];
  const some = skipped
    .slice(0, MOST_SKIPPED)
    .map(({ id, seq, reason }) => `    ${id ?? `number ${seq}`}: ${plainLine(reason)}`);
  const rest = skipped.length - some.length;
  return [
    `  ! ${counted(skipped.length, 'change')} from the team skipped; each exchange tries again:`,
    ...some,
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}

function conflictLines({ conflicts }: TeamView, { paint }: Screen): readonly string[] {
  if (conflicts.length === 0) return ['No conflicts.'];
  return conflicts.flatMap((one) => {
    const { title, body, reason, facts } = textOf(one);
    return [
      `${paint.bold(one.memory)} ${whose(one)} ${paint.dim(one.at)}`,
      plainLine(title),
      ...(body ? ['', body] : []),
      ...(reason ? ['', `Reason: ${reason}`] : []),
      ...facts.map((fact) => `- ${fact}`),
      '',
    ];
  });
}

function whose({ lost, machine, who }: TeamView['conflicts'][number]): string {
  const theirs = who === undefined ? `the one from ${machine}` : `${who}'s from ${machine}`;
  return lost === 'ours' ? `yours was replaced by ${theirs}` : `${theirs} was replaced by yours`;
}

function textOf({ text }: TeamView['conflicts'][number]): Memory {
  return text as Memory; // the ledger checks it
}

function othersOf(from: Readonly<Record<string, number>>): string {
  const parts = Object.entries(from).map(([author, n]) => `${n} by ${plainLine(author)}`);
  return parts.length > 0 ? parts.join(', ') : 'none from others';
}
