/** The option `--agent`, for verbs that can be limited to sessions of some agents. */
import { AGENT_TITLES, CODING_AGENTS, codingAgent } from '../agents/index.ts';
import { suggest } from '../config/index.ts';
import { isAgent, type Agent } from '../core/index.ts';
import { list, usageError, type Context, type Option } from './verb.ts';

const NAMES = CODING_AGENTS.map(({ id }) => id);

export function agentOption(doc: string): Option {
  return { ...list('name', `${doc} One of: ${NAMES.join(', ')}. May be repeated.`), choices: NAMES };
}

/** Reads `--agent codex,pi --agent cline`; undefined without the option. */
export function agentsAsked({ lists }: Pick<Context, 'lists'>): readonly Agent[] | undefined {
  const asked = lists['agent']?.flatMap((text) => text.split(',')).map((name) => name.trim().toLowerCase());
  return asked && [...new Set(asked.map(agentNamed))];
}

/** Its name for users: "Claude Code". */
export function titleOf(agent: Agent): string {
  return AGENT_TITLES[agent] ?? agent;
}

/** Returns a function that names an agent if the project, or all of them together, have sessions of several. */
export async function namesOfAgents(
  { client }: Pick<Context, 'client'>,
  where: { readonly dir?: string; readonly project?: string },
): Promise<(agent: string) => string | undefined> {
  const agents = await client.call('read.agents', where);
  return (agent) => (agents.length > 1 && isAgent(agent) ? titleOf(agent) : undefined);
}

function agentNamed(name: string): Agent {
  if (isAgent(name) && codingAgent(name)) return name;
  const nearest = suggest(name, NAMES);
  throw usageError(
    `unknown agent "${name}"${nearest ? `; did you mean ${nearest}?` : ''}`,
    `Known agents: ${NAMES.join(', ')}`,
  );
}
