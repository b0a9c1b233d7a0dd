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
  purgeData,
  removeAgent,
  removeCommand,
  removeProgram,
  type AgentRemoved,
  type InstallableAgent,
} from '../../../install/index.ts';
import { confirm } from '../../ask.ts';
import { ownWorld } from '../../program.ts';
import { tilde } from '../../screen.ts';
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
    yes: flag('purge: do not ask.', 'y'),
    'dry-run': flag('Show what would be done, and do nothing.'),
  },
  examples: ['tidemark uninstall', 'tidemark uninstall --agent codex'],
  async run(context) {
    const { options, places, screen } = context;
    const named = namedAgents(context);
    if (named && options['purge'])
      throw usageError('--purge deletes the memories of all agents', 'Leave out --agent, or --purge.');
    const agents = installableAgents().filter(({ id }) => named?.has(id) ?? true);
    if (options['dry-run']) return dryRun(context, agents);
    if (options['purge'] && !(await confirm(context, `Delete everything in ${places.home} permanently?`)))
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
        ...(rest?.purged ? {} : { journal: places.journal }),
      });
    else conclude(context, guide, left, rest);
    return code;
  },
};

interface RestRemoved {
  readonly stopped: boolean;
  readonly command?: string;
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
  removeProgram(places);
  return {
    stopped,
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
): void {
  guide.line('');
  if (!rest) return screen.print(`Tidemark stays in ${left.map(({ title }) => title).join(', ')}.`);
  if (!rest.notOurs) return screen.print(`Uninstalled. Your journal is still in ${tilde(places.journal)}.`);
  if (rest.notOurs.length === 0) return screen.print('Uninstalled. Nothing is left.');
  screen.print(
    `Uninstalled. Files that are not ours stay in ${tilde(places.home)}: ${rest.notOurs.join(', ')}.`,
  );
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
  if (going.length === 0) screen.print('nothing to remove: it is not installed there');
  if (isLast) screen.print('stop the daemon and remove the program');
  if (home) screen.print(options['purge'] ? `delete ${home}` : `keep the journal in ${places.journal}`);
}

async function openSessions({ client }: Context): Promise<number> {
  if (!(await client.isUp())) return 0;
  const { sessions } = await client.call('status', {});
  return sessions.filter(({ event }) => event !== 'SessionEnd').length;
}
