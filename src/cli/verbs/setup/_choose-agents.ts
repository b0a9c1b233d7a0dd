/** Decides which agents an install changes: those named, all that are found, or those the user confirms. */
import { CODING_AGENTS, type CodingAgent, type InstallWorld } from '../../../agents/index.ts';
import { suggest } from '../../../config/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import { installableAgents, isInstalled, type AgentState } from '../../../install/index.ts';
import { tilde } from '../../screen.ts';
import { list, usageError, type Context, type Option } from '../../verb.ts';
import type { Guide } from './_guide.ts';
import { mayAsk } from './_offers.ts';

export function agentOption(doc: string): Option {
  const choices = installableAgents().map(({ id }) => id);
  return { ...list('name', `${doc} One of: ${choices.join(', ')}. May be repeated.`), choices };
}

/** Reads `--agent a,b --agent c`; undefined without the option. */
export function namedAgents(
  { lists }: Pick<Context, 'lists'>,
  agents: readonly CodingAgent[] = CODING_AGENTS,
): ReadonlySet<string> | undefined {
  const names = lists['agent']?.flatMap((text) => text.split(',')).map((name) => name.trim().toLowerCase());
  for (const name of names ?? []) checkName(name, agents);
  return names && new Set(names);
}

/** Returns the agents to install into, in order. Asks for each one that is new, unless the command line decides. */
export async function chooseAgents(
  context: Context,
  guide: Guide,
  world: InstallWorld,
  states: readonly AgentState[],
): Promise<readonly AgentState[]> {
  const found = states.filter(({ client }) => client !== undefined);
  const named = namedAgents(context);
  if (named) {
    const missing = states.find((state) => named.has(state.agent.id) && !found.includes(state));
    if (missing) throw notHere(missing, found);
    return found.filter(({ agent }) => named.has(agent.id));
  }
  if (found.length === 0) throw noAgent(states);
  if (context.options['all'] || !mayAsk(context)) return found;
  const isNew = found.filter((state) => !isInstalled(state));
  const declined = new Set<AgentState>();
  for (const state of isNew) if (!(await askFor(guide, world, state))) declined.add(state);
  if (isNew.length > 0) guide.line('');
  return found.filter((state) => !declined.has(state));
}

async function askFor(guide: Guide, world: InstallWorld, { agent, client }: AgentState): Promise<boolean> {
  if (client?.problem) return true; // the install says why it cannot
  const steps = await agent.installer.plan(world);
  return guide.ask(
    `Install Tidemark into ${agent.title}?`,
    steps.map((step) => tilde(step)),
    true,
  );
}

function checkName(name: string, agents: readonly CodingAgent[]): void {
  const possible = installableAgents(agents);
  if (possible.some(({ id }) => id === name)) return;
  const readOnly = agents.find(({ id }) => id === name);
  if (readOnly)
    throw usageError(
      `Tidemark cannot be installed into ${readOnly.title}; it only reads its past sessions`,
      'To import them: tidemark import history',
    );
  const near = suggest(
    name,
    possible.map(({ id }) => id),
  );
  const meant = near ? `Did you mean "${near}"? ` : '';
  throw usageError(`there is no agent "${name}"`, `${meant}Agents: ${idsOf(possible)}`);
}

function notHere({ agent }: AgentState, found: readonly AgentState[]): TidemarkError {
  return new TidemarkError('no-client', `${agent.title} is not on this machine, or not on the PATH`, {
    hint: found.length > 0 ? `Found here: ${titlesOf(found)}.` : 'No other coding agent was found either.',
  });
}

function noAgent(states: readonly AgentState[]): TidemarkError {
  return new TidemarkError('no-client', 'no coding agent was found on this machine', {
    hint: `Tidemark looked for ${titlesOf(states)}, on the PATH and in their usual folders. Install one of them first, then run this again.`,
  });
}

/** `Claude Code, Codex` */
export function titlesOf(states: readonly { readonly agent: CodingAgent }[]): string {
  return states.map(({ agent }) => agent.title).join(', ');
}

function idsOf(agents: readonly CodingAgent[]): string {
  return agents.map(({ id }) => id).join(', ');
}
