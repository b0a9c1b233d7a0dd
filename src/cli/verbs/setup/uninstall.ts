/**
 * Removes Tidemark from the coding agents: restores their settings, stops the daemon, keeps the journal. With --purge it
 * also deletes its own files in the data folder, and no others.
 */
import { existsSync } from 'node:fs';
import { removeWrapper } from '../../../agents/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import {
  agentStates,
  installableAgents,
  isInstalled,
  keptData,
  purgeData,
  removeAgent,
  removeCommand,
  removeProgram,
  type AgentRemoved,
  type InstallableAgent,
  type Kept,
} from '../../../install/index.ts';
import { confirm } from '../../ask.ts';
import { ownOrigin, ownWorld } from '../../program.ts';
import { size, tilde } from '../../screen.ts';
import { EXIT, flag, usageError, type Context, type Verb } from '../../verb.ts';
import { stopAndWait } from '../process/start.ts';
import { agentOption, namedAgents } from './_choose-agents.ts';
import { openGuide, type Guide } from './_guide.ts';

export const uninstall: Verb = {
  name: 'uninstall',
  usage: 'uninstall [--agent <name>]… [--purge [--yes]] [--dry-run]',
  summary: 'Remove Tidemark from your coding agents; your memories stay on disk.',
  options: {
    agent: agentOption('Remove it only from this agent.'),
    purge: flag('Also delete all memories. Asks first.'),
    yes: flag('With --purge: do not ask.', 'y'),
    'dry-run': flag('Show what would be done, and do nothing.'),
  },
  examples: ['tidemark uninstall', 'tidemark uninstall --agent codex', 'tidemark uninstall --purge'],
  async run(context) {
    const { options, places, screen } = context;
    const named = namedAgents(context);
    if (named && options['purge'])
      throw usageError('--purge deletes the memories of all agents', 'Leave out --agent, or --purge.');
    const agents = installableAgents().filter(({ id }) => named?.has(id) ?? true);
    if (options['dry-run']) return dryRun(context, agents);
    const before = keptData(places);
    if (options['purge'] && !(await confirm(context, `Delete ${dataOf(before, places)} permanently?`)))
      throw new TidemarkError('cancelled', 'nothing was changed', {
        hint: 'To remove Tidemark and keep all memories: tidemark uninstall',
      });

    const guide = openGuide(context, options['json'] === true);
    guide.heading('Tidemark', 'uninstall');
    const open = await openSessions(context);
    const removed: AgentRemoved[] = [];
    for (const agent of agents) {
      guide.working(`${agent.title}: removing`);
      removed.push(await removeAgent(agent, context));
      screen.done();
      showRemoved(guide, removed.at(-1) as AgentRemoved, named !== undefined);
    }
    const code = removed.some(({ failed }) => failed) ? EXIT.failed : EXIT.ok;
    const left = named ? await installedAgents(context) : [];
    // An agent that could not be changed may still run it.
    if (code === EXIT.ok && left.every(({ installer }) => installer.runsOwnFiles)) removeWrapper(places);
    const rest = left.length > 0 ? undefined : await removeRest(context, guide);
    if (open > 0)
      guide.note('Open sessions', `${open}: their hooks do nothing now; restart them when convenient`);
    if (options['json'])
      screen.json({
        agents: removed.map(({ agent, ...what }) => ({ agent: agent.id, title: agent.title, ...what })),
        left: left.map(({ id }) => id),
        ...rest,
        ...(rest?.purged ? {} : { journal: places.journal, kept: keptData(places) }),
        ...(rest?.purged ? { journalsElsewhere: before?.journals ?? [] } : {}),
      });
    else if (
      rest &&
      !rest.purged &&
      !rest.stopped &&
      !rest.command &&
      !rest.program &&
      removed.every(hadNothing)
    )
      nothingThere(context);
    else conclude(context, guide, left, rest, before?.journals ?? []);
    return code;
  },
};

function hadNothing({ done, failed }: AgentRemoved): boolean {
  return done.length === 0 && failed === undefined;
}

function nothingThere({ places, screen }: Context): void {
  screen.print('Nothing to uninstall: Tidemark is not installed in any agent.');
  const kept = keptData(places);
  if (!kept) return;
  screen.print(`${dataOf(kept, places)} stays, and the next install uses it again.`);
  screen.print(`To delete it: ${deletion(kept.folder)}`);
}

interface RestRemoved {
  readonly stopped: boolean;
  readonly command?: string;
  /** The folder of the program, if it was a copy of ours. */
  readonly program?: string;
  readonly purged?: true;
  /** Names in the data folder that are not ours, after --purge. */
  readonly notOurs?: readonly string[];
}

/** Removes what all agents share. */
async function removeRest({ places, env, client, options }: Context, guide: Guide): Promise<RestRemoved> {
  const stopped = await stopAndWait(client, places);
  guide.done('Daemon', stopped ? 'stopped' : 'was not running');
  const command = removeCommand(env);
  if (command) guide.done('Command line', `${tilde(command)} removed`);
  const program = existsSync(places.app) ? places.app : undefined;
  removeProgram(places);
  if (program) guide.done('Program', `${tilde(program)} removed`);
  return {
    stopped,
    ...(program ? { program } : {}),
    ...(command ? { command } : {}),
    ...(options['purge'] ? { purged: true, notOurs: purgeData(places) } : {}),
  };
}

function showRemoved(guide: Guide, { agent, done, failed }: AgentRemoved, isNamed: boolean): void {
  if (failed) {
    guide.failed(agent.title, tilde(failed.message));
    if (failed.hint) guide.line(`→ ${failed.hint}`);
    return;
  }
  if (done.length > 0) guide.done(agent.title, 'removed');
  else if (isNamed) guide.note(agent.title, 'was not installed');
  for (const line of done) guide.line(tilde(line));
}

function conclude(
  { places, screen }: Context,
  guide: Guide,
  left: readonly InstallableAgent[],
  rest: RestRemoved | undefined,
  journals: readonly string[],
): void {
  guide.line('');
  if (!rest) return screen.print(`Tidemark stays in ${left.map(({ title }) => title).join(', ')}.`);
  const kept = rest.notOurs ? undefined : keptData(places);
  if (kept) {
    screen.print(`Uninstalled. ${dataOf(kept, places)} stays, and the next install uses it again.`);
    screen.print(`To delete it: ${deletion(kept.folder)}`);
  } else if (rest.notOurs && rest.notOurs.length > 0) {
    screen.print(
      `Uninstalled. Files that are not ours stay in ${tilde(places.home)}: ${rest.notOurs.join(', ')}.`,
    );
  } else screen.print(journals.length > 0 ? 'Uninstalled.' : 'Uninstalled. Nothing is left.');
  if (journals.length > 0)
    screen.print(
      `Journals that you moved stay where they are: ${journals.map((path) => tilde(path)).join(', ')}.`,
    );
}

/** `~/.tidemark (3.4 MB: memories, conversations, snapshots, settings)` */
function dataOf(kept: Kept | undefined, { home }: Context['places']): string {
  return `${tilde(home)} (${size(kept?.bytes ?? 0)}: memories, conversations, snapshots, settings)`;
}

/** The command is gone by then, so the user's shell has to do it. */
function deletion(folder: string): string {
  return process.platform === 'win32'
    ? `Remove-Item -Recurse -Force "${folder}"`
    : `rm -rf ${/^[\w./~-]+$/.test(folder) ? tilde(folder) : `'${folder.replaceAll("'", "'\\''")}'`}`;
}

async function installedAgents(context: Context): Promise<readonly InstallableAgent[]> {
  const states = await agentStates(installableAgents(), ownWorld(context));
  return states.filter(isInstalled).map(({ agent }) => agent);
}

async function dryRun(context: Context, agents: readonly InstallableAgent[]): Promise<void> {
  const { options, places, screen } = context;
  const all = (await agentStates(installableAgents(), ownWorld(context))).filter(isInstalled);
  const going = all.filter(({ agent }) => agents.includes(agent));
  const isLast = going.length === all.length;
  const home = existsSync(places.home) ? places.home : undefined;
  if (options['json'])
    return screen.json({
      agents: going.map(({ agent, status }) => ({ agent: agent.id, title: agent.title, ...status })),
      stops: isLast,
      purge: options['purge'] === true,
      ...(home ? { home } : {}),
    });
  for (const { agent, status } of going)
    screen.print(`remove it from ${agent.title} (${tilde(status.evidence)}) and restore its settings`);
  if (going.length === 0)
    screen.print(
      `nothing to remove: it is not installed in ${agents.length === 1 ? (agents[0]?.title ?? '') : 'any agent'}`,
    );
  if (isLast) {
    screen.print('stop the daemon');
    if (existsSync(places.app)) screen.print(`remove the program in ${tilde(places.app)}`);
    else if (going.length > 0)
      screen.print(`keep the program, which runs from ${tilde(ownOrigin(places).root)}`);
  }
  const data = dataOf(keptData(places), places);
  if (home) screen.print(options['purge'] ? `delete ${data}` : `keep ${data}`);
}

async function openSessions({ client }: Context): Promise<number> {
  if (!(await client.isUp())) return 0;
  const { sessions } = await client.call('status', {});
  return sessions.filter(({ event }) => event !== 'SessionEnd').length;
}
