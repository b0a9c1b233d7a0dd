/** Agents in lists: a filter and names, both only where there are sessions of several. */
import type { ProjectCard } from '../../src/http/index.ts';
import { agentTitle, here } from '../here.ts';

type Agents = ProjectCard['agents'];
type AgentId = Agents[number];

/** Returns the agents of all projects, each once, in the order of the hub's list. */
export function agentsOf(projects: readonly Pick<ProjectCard, 'agents'>[]): Agents {
  const order = Object.keys(here.get()?.agents ?? {});
  const used = new Set(projects.flatMap(({ agents }) => agents));
  return [...used].toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** Returns the name of an agent, or undefined where it is the only one. */
export function nameAmong(agents: Agents, agent: string): string | undefined {
  const isOne = agents.some((one) => one === agent);
  return isOne && agents.length > 1 ? agentTitle(agent) : undefined;
}

export function AgentFilter(props: {
  readonly agents: Agents;
  readonly agent: AgentId | undefined;
  readonly onChange: (agent: AgentId | undefined) => void;
}) {
  const { agents, agent, onChange } = props;
  if (agents.length < 2) return null;
  return (
    <div class="filter" role="group" aria-label="Filter by agent">
      {agents.map((one) => (
        <button
          key={one}
          type="button"
          class="kind-filter plain"
          aria-pressed={agent === one}
          onClick={() => onChange(agent === one ? undefined : one)}
        >
          {agentTitle(one)}
        </button>
      ))}
    </div>
  );
}
