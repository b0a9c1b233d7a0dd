/** The kind of this hub, loaded once: it decides which views and actions are shown. */
import type { Here } from '../src/http/index.ts';
import { storeOf } from './store.ts';

export const here = storeOf<Here | undefined>(undefined);

/** Returns the team, or undefined on a machine. */
export function useTeam(): Extract<Here, { kind: 'team' }> | undefined {
  const known = here.use();
  return known?.kind === 'team' ? known : undefined;
}

/** Returns the name of an agent for users. */
export function agentTitle(agent: string): string {
  return here.get()?.agents[agent] ?? agent;
}

export function isTeam(): boolean {
  return here.get()?.kind === 'team';
}
