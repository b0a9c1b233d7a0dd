/** Whose hub this is, asked once: views and actions that make no sense there are not shown. */
import type { Here } from '../src/http/index.ts';
import { storeOf } from './store.ts';

export const here = storeOf<Here | undefined>(undefined);

/** A team's server, or undefined on one's own machine. */
export function useTeam(): Extract<Here, { kind: 'team' }> | undefined {
  const known = here.use();
  return known?.kind === 'team' ? known : undefined;
}

export function isTeam(): boolean {
  return here.get()?.kind === 'team';
}
