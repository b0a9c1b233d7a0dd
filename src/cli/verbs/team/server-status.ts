/** One screen about the database of a team server, and the settings of a team. */
import {
  isTeamSettingKey,
  parseTeamText,
  TEAM_SETTING_KEYS,
  TEAM_SETTINGS,
  type TeamSettingKey,
} from '../../../config/index.ts';
import { plainLine } from '../../../core/index.ts';
import type { Aged, Status } from '../../../server/index.ts';
import { confirm } from '../../ask.ts';
import { counted } from '../../screen.ts';
import { flag, optionText, usageError, type Context, type Verb } from '../../verb.ts';
import { DATABASE, databaseOf, operate, TEAM } from './_server-program.ts';

const MB = 1024 * 1024;
/** Counts of queues end here (COUNTED_UP_TO of the server). */
const COUNTED_UP_TO = 10_000;
/** Counts of old memories end here in each project (MOST_COUNTED of the server). */
const AGED_UP_TO = 1000;

export const serverStatus: Verb = {
  name: 'server status',
  usage: 'server status',
  summary: 'One screen about the database: size, teams, keys, queues, last pushes, connected servers.',
  options: { ...DATABASE },
  examples: ['tidemark server status', 'tidemark server status --dev --json'],
  async run(context) {
    const { options, screen } = context;
    const status = await operate(context, (operator) => operator.status({}));
    const address = addressWithoutPassword(context);
    if (options['json']) return screen.json({ address, ...status });
    for (const line of statusLines(address, status)) screen.print(line);
  },
};

export const serverSettings: Verb = {
  name: 'server settings',
  usage: 'server settings [list | set <setting> <value> | unset <setting>]',
  summary: 'Settings that a team makes stricter for its members’ machines, and how long it keeps things.',
  options: {
    ...DATABASE,
    ...TEAM,
    'dry-run': flag('With set retention.memories: only show what would be forgotten.'),
    yes: flag('Set a period (retention.*) without asking.', 'y'),
  },
  examples: [
    'tidemark server settings set share.delayMinutes 120',
    'tidemark server settings set share.neverKinds issue,preference',
    'tidemark server settings set retention.memories 730d --dry-run',
    'tidemark server settings unset models.localOnly',
  ],
  async run(context) {
    const { args, options, screen } = context;
    const [what = 'list', key, text] = args;
    const team = optionText(options, 'team') || undefined;
    if (options['dry-run'] && (what !== 'set' || key !== 'retention.memories'))
      throw usageError(
        '--dry-run is only for "server settings set retention.memories"',
        'Nothing was changed. Run it without --dry-run.',
      );
    if (what === 'list') {
      const values = await operate(context, (operator) => operator.settings({ team }));
      if (options['json']) return screen.json(values);
      for (const name of TEAM_SETTING_KEYS) {
        const value = values[name];
        const shown =
          value === undefined ? screen.paint.dim('not set') : screen.paint.bold(shownValue(name, value));
        screen.print(`${name.padEnd(20)} ${shown}\n  ${screen.paint.dim(TEAM_SETTINGS[name].doc)}`);
      }
      return;
    }
    if (what !== 'set' && what !== 'unset')
      throw usageError(`there is no "server settings ${what}"`, serverSettings.usage);
    if (key === undefined || !isTeamSettingKey(key))
      throw usageError(
        key === undefined ? 'no setting given' : `"${key}" is not a setting of a team`,
        `Settings of a team: ${TEAM_SETTING_KEYS.join(', ')}`,
      );
    const value = what === 'unset' ? null : parsed(key, text);
    if (key.startsWith('retention.') && typeof value === 'number') {
      if (options['dry-run']) return previewed(context, team, value);
      if (!(await agreed(context, key, { team, days: value }))) return screen.say('Nothing was changed.');
    }
    const values = await operate(context, (operator) =>
      operator.setSettings({ team, changes: { [key]: value } }),
    );
    if (options['json']) return screen.json(values);
    screen.print(value === null ? `${key} is not set any more.` : `${key} = ${shownValue(key, value)}`);
    if (TEAM_SETTINGS[key].where === 'machine')
      screen.say('Machines of the team get it with their next exchange.');
  },
};

function parsed(key: TeamSettingKey, text: string | undefined) {
  if (text === undefined) throw usageError('no value given', TEAM_SETTINGS[key].doc);
  const value = parseTeamText(key, text);
  if (value.ok) return value.value;
  throw usageError(`"${key}" ${value.reason}`, TEAM_SETTINGS[key].doc);
}

async function previewed(context: Context, team: string | undefined, days: number): Promise<void> {
  const { options, screen } = context;
  const aged = await operate(context, (operator) => operator.previewRetention({ team, days }));
  if (options['json']) return screen.json({ dryRun: true, days, ...summed(aged), projects: aged });
  for (const line of agedLines(aged, days)) screen.print(line);
}

/** Asks before a period is set, and shows what `retention.memories` would forget. */
async function agreed(
  context: Context,
  key: TeamSettingKey,
  { team, days }: { readonly team: string | undefined; readonly days: number },
): Promise<boolean> {
  const { options, screen } = context;
  if (key !== 'retention.memories') {
    const what = key === 'retention.audit' ? 'entries of the audit log' : 'replaced texts';
    return confirm(context, `Delete ${what} that are older than ${days} days? This cannot be undone.`);
  }
  const aged = await operate(context, (operator) => operator.previewRetention({ team, days }));
  if (!options['json']) for (const line of agedLines(aged, days)) screen.print(line);
  return confirm(
    context,
    `Forget ${shownSum(aged)} on every machine within the next hour, and others later? This cannot be undone.`,
  );
}

function agedLines(aged: Aged, days: number): readonly string[] {
  return [
    `Older than ${days} days and unchanged since, without open entries and preferences: ${shownSum(aged)}`,
    ...aged.map(({ name, memories }) => `  ${plainLine(name)}: ${bounded(memories, AGED_UP_TO)}`),
  ];
}

/** `isMore`: there are more, because the count of a project ended at its limit. */
function summed(aged: Aged): { readonly memories: number; readonly isMore: boolean } {
  const counts = aged.map(({ memories }) => Math.min(memories, AGED_UP_TO));
  return {
    memories: counts.reduce((sum, count) => sum + count, 0),
    isMore: aged.some(({ memories }) => memories > AGED_UP_TO),
  };
}

function shownSum(aged: Aged): string {
  const { memories, isMore } = summed(aged);
  return `${isMore ? 'more than ' : ''}${counted(memories, 'memory')}`;
}

function shownValue(key: TeamSettingKey, value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return key.startsWith('retention.') ? `${String(value)} days` : String(value);
}

function statusLines(address: string, status: Status): readonly string[] {
  const { database, schema, members, keys, queues, prunable, connections, replicas, pushes } = status;
  const { keptDays, ...tables } = prunable;
  const rows = Object.entries(tables).filter(([, count]) => count > 0);
  const isOld = schema.done < schema.newest;
  return [
    `Tidemark     ${status.version}, schema ${schema.done}${isOld ? ` (this program has ${schema.newest}: tidemark server init)` : ''}`,
    `Database     ${address}, PostgreSQL ${database.version}, ${(database.bytes / MB).toFixed(0)} MB${database.inRecovery ? `, a replica${seconds(status.lagSeconds)}` : ''}`,
    `Vectors      ${status.vectors}`,
    `Teams        ${status.teams}, ${counted(members.current, 'member')} (${members.removed} removed), ${counted(status.projects, 'project')}, ${counted(status.memories, 'memory')}`,
    `Keys         ${keys.active} active; ${keys.expiring} expire within ${keys.expiringDays} days; ${keys.unused} unused for ${keys.unusedDays} days`,
    `Queues       ${bounded(queues.withoutVectors)} texts without vectors; ${bounded(queues.messages)} EverMem messages waiting${queues.oldestMessage ? ` since ${minute(queues.oldestMessage)}` : ''}${queues.failedMessages > 0 ? `; ${bounded(queues.failedMessages)} failed` : ''}`,
    `Prunable     ${rows.length === 0 ? 'nothing' : rows.map(([table, count]) => `${bounded(count)} ${table}`).join(', ')} (kept for ${keptDays} days)`,
    ...section(
      'Largest teams',
      status.largest,
      ({ name, memories, members: people, projects }) =>
        `${String(memories).padStart(9)}  ${plainLine(name)} (${counted(people, 'member')}, ${counted(projects, 'project')})`,
    ),
    ...section(
      'Last pushes',
      pushes,
      ({ at, team, member, project }) =>
        `${minute(at)}  ${plainLine(team)}: ${plainLine(member ?? '?')} → ${plainLine(project ?? '?')}`,
    ),
    ...section(
      'Connections',
      connections,
      ({ application, address: from, connections: count, since }) =>
        `${String(count).padStart(3)}  ${plainLine(application)}${from ? ` from ${from}` : ''}${since ? `, since ${minute(since)}` : ''}`,
    ),
    ...section(
      'Replicas',
      replicas,
      ({ name, lagSeconds }) =>
        `${plainLine(name)}${lagSeconds === null ? ', lag not visible (GRANT pg_monitor) or none' : seconds(lagSeconds)}`,
    ),
  ];
}

function section<T>(title: string, items: readonly T[], line: (item: T) => string): readonly string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `  ${line(item)}`)];
}

function bounded(count: number, most = COUNTED_UP_TO): string {
  return count > most ? `more than ${most}` : String(count);
}

function minute(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

function seconds(lag: number | null): string {
  return lag === null ? '' : `, ${lag.toFixed(1)} s behind`;
}

function addressWithoutPassword(context: Context): string {
  const database = databaseOf(context);
  if (typeof database !== 'string') return `trial in ${database.folder}`;
  try {
    const url = new URL(database);
    url.password = '';
    url.search = '';
    return url.href;
  } catch {
    return 'postgres';
  }
}
