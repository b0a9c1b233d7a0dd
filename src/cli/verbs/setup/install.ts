/**
 * Installs everything: Tidemark in the user's coding agents, and past sessions.
 */
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { InstallWorld } from '../../../agents/index.ts';
import { TidemarkError, VERSION, given, type Places } from '../../../core/index.ts';
import { openClient } from '../../../daemon/index.ts';
import { requireUsableHome } from '../../../files/index.ts';
import { type ImportReport, detectPeers, type PeerFound } from '../../../exchange/import/index.ts';
import {
  agentStates,
  commandFor,
  installableAgents,
  isInstalled,
  oldHooks,
  reachCommand,
  type AgentInstalled,
  type AgentState,
} from '../../../install/index.ts';
import { ownOrigin, ownWorld } from '../../program.ts';
import { REPLACEABLE } from '../../peer-plugins.ts';
import { tilde } from '../../screen.ts';
import { EXIT, flag, type Context, type Verb } from '../../verb.ts';
import { foundLine } from '../data/import-peers.ts';
import { clientJson, installedJson } from './_agents-json.ts';
import { offerNoteRules } from './_allow-notes.ts';
import { agentOption, chooseAgents, namedAgents, titlesOf } from './_choose-agents.ts';
import { openGuide, type Guide } from './_guide.ts';
import { mayAsk, offerHistory, plannedHistory, type Offered } from './_offers.ts';
import { putInPlace, type InPlace } from './_put-in-place.ts';
import { offerReplacements, plannedReplacements, type Replaced } from './_replace-peers.ts';

export const install: Verb = {
  name: 'install',
  usage:
    'install [--agent <name>]… [--all] [--yes] [--no-history] [--replace-claude-mem] [--allow-notes | --no-allow-notes] [--dry-run]',
  summary: 'Install Tidemark into your coding agents, or update it.',
  options: {
    agent: agentOption('Only this agent.'),
    all: flag('All agents on this machine, without asking about each.'),
    yes: flag('Ask nothing: install into all agents, import history.', 'y'),
    'no-history': flag('Do not import past sessions.'),
    'replace-claude-mem': flag('Import the memories of claude-mem, then turn its plugin off.'),
    'allow-notes': flag(
      'Let agents use the tools remember and resolve without asking you; uninstall removes these rules.',
    ),
    'no-allow-notes': flag('Remove these rules again.'),
    'dry-run': flag('Show what would be done, and do nothing.'),
  },
  examples: [
    'tidemark install',
    'tidemark install --agent codex',
    'tidemark install --yes --no-history',
    'tidemark install --dry-run',
  ],
  async run(context) {
    const { options, screen, env } = context;
    namedAgents(context); // a wrong name ends it before anything is looked at
    const guide = openGuide(context, options['json'] === true);
    guide.heading(`Tidemark ${VERSION}`, 'memory for coding agents that outlives the session');
    guide.done('Node', process.versions.node);
    const world = ownWorld(context);
    const states = await lookAround(context, guide, world);
    requireUsableHome(context.places);
    if (options['dry-run']) return dryRun(context, guide, world, states);

    const chosen = await chooseAgents(context, guide, world, states);
    if (chosen.length === 0) return nothingChosen(context);
    checkClients(chosen);
    const placed = await putInPlace(context, guide, world, chosen);
    const working = placed.agents.filter(({ failed }) => failed === undefined);
    const code = working.length < placed.agents.length ? EXIT.failed : EXIT.ok;
    const result = { version: VERSION, node: process.versions.node, ...placedJson(placed) };
    if (working.length === 0) {
      if (options['json']) screen.json(result);
      return code;
    }
    await showModel(guide, placed.dist);
    showPlaces(context.places, guide);
    const client = openClient(context.places, env, placed.dist);
    const offered = await offerAll({ ...context, client }, guide, working);
    if (options['json']) {
      screen.json({ ...result, ...offered });
      return code;
    }
    showPeers(guide, offered.peers, typed(placed.command));
    showNextSteps(context, guide, placed, working, offered);
    return code;
  },
};

/** Shows the clients that are found, and in one line those that are not. */
async function lookAround(
  { screen }: Context,
  guide: Guide,
  world: InstallWorld,
): Promise<readonly AgentState[]> {
  guide.working('looking for coding agents');
  const states = await agentStates(installableAgents(), world);
  screen.done();
  for (const { agent, client } of states) {
    if (client?.problem) guide.failed(agent.title, tilde(client.problem.text));
    else if (client?.path) guide.done(agent.title, clientLine(client));
    else if (client) guide.note(agent.title, clientLine(client));
  }
  const missing = states.filter(({ client }) => client === undefined);
  if (missing.length > 0 && missing.length < states.length) guide.note('Not found', titlesOf(missing));
  return states;
}

/** `2.1.325, ~/.local/bin/claude` */
function clientLine({ version, path, folder }: NonNullable<AgentState['client']>): string {
  return [version, path ?? `not on the PATH, used before (${folder})`]
    .flatMap((part) => (part ? [tilde(part)] : []))
    .join(', ');
}

/** Refuses before anything is changed when no chosen client can be used. */
function checkClients(chosen: readonly AgentState[]): void {
  const [first, ...others] = chosen.flatMap(({ client }) => (client?.problem ? [client.problem] : []));
  if (first && others.length + 1 === chosen.length)
    throw new TidemarkError(
      'client-problem',
      [first, ...others].map(({ text }) => text).join('; '),
      given({ hint: first.next }),
    );
}

function nothingChosen({ options, screen }: Context): void {
  if (options['json']) return screen.json({ agents: [] });
  screen.print('Nothing was changed. To install it later: tidemark install');
}

function placedJson({ agents, ...placed }: InPlace): object {
  return { ...placed, agents: agents.map(installedJson) };
}

interface AllOffered {
  readonly history: Offered<ImportReport>;
  /** Rules for the agent's notes by tool. */
  readonly notes: Offered<{ readonly rules: readonly string[] }>;
  /** Data of other memory tools; imported only on request. */
  readonly peers: readonly PeerFound[];
  /** Memory tools that Tidemark replaces. */
  readonly replacedPeers: readonly Offered<Replaced>[];
}

async function offerAll(
  context: Context,
  guide: Guide,
  agents: readonly AgentInstalled[],
): Promise<AllOffered> {
  const history = await offerHistory(context, guide);
  const notes = await offerNoteRules(context, guide, agents);
  const replacedPeers = await offerReplacements(context, guide);
  return {
    history,
    notes,
    replacedPeers,
    peers: detectPeers(context.env, homedir(), [context.cwd]),
  };
}

async function showModel(guide: Guide, dist: string): Promise<void> {
  const { checkSmallModel, REINSTALL, smallModelFolder } = await import('../../../models/index.ts');
  const found = checkSmallModel(smallModelFolder(join(dist, 'embedder.cjs')));
  if (found.kind === 'complete')
    guide.done('Model', `${found.version}, part of Tidemark, runs on this machine`);
  else guide.failed('Model', `${found.why}; memories are found by words only. ${REINSTALL}`);
}

/** Tools that Tidemark replaces were offered before. */
function showPeers(guide: Guide, found: readonly PeerFound[], command: string): void {
  const peers = found.filter(({ name, trouble }) => trouble || !REPLACEABLE.includes(name));
  if (peers.length === 0) return;
  guide.section('Other memories on this machine');
  for (const peer of peers) guide.line(foundLine(peer));
  guide.pair(`${command} import <tool>`, 'imports one; its files are only read');
}

async function dryRun(
  context: Context,
  guide: Guide,
  world: InstallWorld,
  states: readonly AgentState[],
): Promise<void> {
  const { places, env, options, screen } = context;
  const chosen = await chooseAgents({ ...context, options: { ...options, all: true } }, guide, world, states);
  const agents = await Promise.all(
    chosen.map(async (state) => ({ state, steps: await plannedFor(state, world) })),
  );
  const origin = ownOrigin(places);
  const command = commandFor(world.plugin, env);
  const steps = [
    ...(world.plugin === join(origin.root, 'plugin') || origin.kind === 'plugin'
      ? []
      : [`copy new program files to ${tilde(dirname(world.plugin))}`]),
    ...oldHooks(places, env).map((path) => `replace the unsafe hooks of an older version in ${tilde(path)}`),
    ...(command.kind === 'possible' ? [`create the command ${tilde(command.path)}`] : []),
    ...plannedHistory(context),
    ...plannedReplacements(context),
    ...(options['allow-notes'] ? ['allow remember and resolve in the settings of the agents that ask'] : []),
  ];
  if (options['json'])
    return screen.json({
      version: VERSION,
      origin,
      home: places.home,
      agents: agents.map(({ state, steps: of }) => ({ ...clientJson(state), steps: of })),
      steps,
    });
  showPlaces(places, guide);
  guide.section('What would be done');
  for (const { state, steps: of } of agents) {
    const asks = !isInstalled(state) && !options['all'] && !context.lists['agent'] && mayAsk(context);
    screen.print(`${state.agent.title}${asks ? ' (asks first)' : ''}`);
    for (const step of of.length > 0 ? of : ['nothing to do: it is installed and complete'])
      screen.print(`  ${tilde(step)}`);
  }
  screen.print('Then');
  for (const step of steps.length > 0 ? steps : ['nothing']) screen.print(`  ${step}`);
}

/** A client that cannot be used has no steps but a reason. */
async function plannedFor({ agent, client }: AgentState, world: InstallWorld): Promise<readonly string[]> {
  if (client?.problem) return [`not possible: ${client.problem.text}`];
  try {
    return await agent.installer.plan(world);
  } catch (error) {
    return [`not possible: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function showPlaces(places: Places, guide: Guide): void {
  guide.section('What is stored, and where');
  const rows = [
    [places.journal, 'memories in Markdown: read, edit and commit them'],
    [places.turns, 'conversations, redacted before they are written'],
    [places.home, 'everything: only you can read it; delete the folder to remove all'],
  ] as const;
  const width = Math.max(...rows.map(([path]) => tilde(path).length));
  for (const [path, what] of rows) guide.pair(tilde(path).padEnd(width), what);
  guide.line('');
  guide.line('Nothing leaves this machine unless you allow it.');
}

function showNextSteps(
  { screen, env }: Context,
  guide: Guide,
  { command }: InPlace,
  agents: readonly AgentInstalled[],
  { history, notes, replacedPeers }: AllOffered,
): void {
  const { paintTalk: paint } = screen;
  const tidemark = typed(command);
  const left = [history, notes, ...replacedPeers].flatMap((one) => ('leftOut' in one ? [one.leftOut] : []));
  if (left.length > 0) {
    guide.section('Skipped for now');
    for (const { what, how } of left) {
      guide.line(what);
      guide.line(`→ ${how.replace(/^tidemark/, () => tidemark)}`);
    }
  }
  showToDo(guide, agents);
  const ready = agents.filter(({ findings }) => findings.length === 0);
  guide.section(
    ready.length === 0
      ? 'Almost ready: one step is left for you, see above.'
      : `${paint.green('Ready.')} Every new session of ${inWords(ready.map(({ state }) => state.agent.title))} is remembered from now on.`,
  );
  const rows = [
    [`${tidemark} search <words>`, 'search memories'],
    [`${tidemark} hub`, 'open the web page'],
    [`${tidemark} doctor`, 'check that everything works'],
    [`${tidemark} uninstall`, 'remove it; your settings are restored'],
  ] as const;
  const width = Math.max(...rows.map(([call]) => call.length));
  for (const [call, what] of rows) guide.pair(call.padEnd(width), what);
  if (isAbsolute(command) && process.platform !== 'win32') {
    const { profile, line } = reachCommand(command, env, process.platform);
    guide.section('The command "tidemark" is not on your PATH.');
    guide.line(
      profile
        ? `To type "tidemark" in any folder, add this line to ${profile} and open a new terminal:`
        : 'To type "tidemark" in any folder, run this once:',
    );
    guide.line(line);
  }
  guide.line('');
}

/** The command as it can be typed in any folder. */
function typed(command: string): string {
  const short = tilde(command);
  return /^[\w./~-]+$/.test(short) ? short : `'${command.replaceAll("'", "'\\''")}'`;
}

/** Repeats what only the user can do, because without it nothing is remembered there. */
function showToDo(guide: Guide, agents: readonly AgentInstalled[]): void {
  const steps = agents.flatMap(({ findings }) => findings);
  if (steps.length === 0) return;
  guide.section('Left for you to do');
  for (const { text, next } of steps) {
    guide.line(tilde(text));
    if (next) guide.line(`→ ${tilde(next)}`);
  }
}

/** `Claude Code, Codex and pi` */
function inWords(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), names.at(-1) ?? ''].filter(Boolean).join(' and ');
}
