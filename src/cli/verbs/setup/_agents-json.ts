/** The form of agents in the JSON output of `install`, `repair` and `uninstall`. */
import { given } from '../../../core/index.ts';
import type { AgentInstalled, AgentState } from '../../../install/index.ts';

export function installedJson({ state, ...rest }: AgentInstalled): object {
  return { ...clientJson(state), ...rest };
}

export function clientJson({ agent, client }: AgentState): object {
  return { agent: agent.id, title: agent.title, ...given({ version: client?.version, path: client?.path }) };
}
