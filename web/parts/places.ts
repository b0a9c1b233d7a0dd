/** The views in the navigation, and which of them exist only on a machine. */
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
  { path: '/memories', name: 'Memories', icon: 'memories', views: ['memories'] },
  { path: '/search', name: 'Search', icon: 'search', views: ['search'] },
  { path: '/projects', name: 'Projects', icon: 'projects', views: ['projects', 'project', 'memory'] },
  { path: '/sessions', name: 'Sessions', icon: 'sessions', views: ['sessions', 'session'] },
  { path: '/live', name: 'Live', icon: 'live', views: ['live'] },
  { path: '/review', name: 'Review', icon: 'review', views: ['review'] },
];
export const MANAGE: readonly Place[] = [
  { path: '/import', name: 'Import', icon: 'import', views: ['import'] },
  { path: '/team', name: 'Team', icon: 'team', views: ['team'] },
  { path: '/trash', name: 'Trash', icon: 'forget', views: ['trash'] },
  { path: '/settings', name: 'Settings', icon: 'settings', views: ['settings'] },
];

/** A team server has no conversations, review inbox, trash, settings or past sessions. */
const OF_A_MACHINE = new Set(['sessions', 'session', 'review', 'import', 'settings', 'trash']);

export function isOfMachine(view: string): boolean {
  return OF_A_MACHINE.has(view);
}
