/** The views one can go to, and which of them are about one's own machine. */
import type { Route } from '../route.ts';
import type { IconName } from './icon.tsx';

export interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly views: readonly Route['view'][];
}

export const PLACES: readonly Place[] = [
  { path: '/', name: 'Overview', icon: 'overview', views: ['overview'] },
  { path: '/search', name: 'Search', icon: 'search', views: ['search'] },
  { path: '/projects', name: 'Projects', icon: 'projects', views: ['projects', 'project', 'memory'] },
  { path: '/sessions', name: 'Sessions', icon: 'sessions', views: ['sessions', 'session'] },
  { path: '/live', name: 'Live', icon: 'live', views: ['live'] },
  { path: '/review', name: 'Review', icon: 'review', views: ['review'] },
];
export const CARE: readonly Place[] = [
  { path: '/import', name: 'Import', icon: 'import', views: ['import'] },
  { path: '/team', name: 'Team', icon: 'team', views: ['team'] },
  { path: '/settings', name: 'Settings', icon: 'settings', views: ['settings'] },
];

/** What a team's server has nothing of: conversations, what waits for a yes, settings and past sessions. */
const OF_A_MACHINE = new Set(['sessions', 'session', 'review', 'import', 'settings']);

export function isOfMachine(view: string): boolean {
  return OF_A_MACHINE.has(view);
}
