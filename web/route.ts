/** The view that the address names. The browser's history is the only state. */
import { useEffect, useState } from 'preact/hooks';
import { BASE } from './base.ts';

export type Route =
  | { readonly view: 'overview' | 'projects' | 'sessions' | 'live' | 'review' }
  | { readonly view: 'settings' | 'import' | 'team' | 'trash' | 'nowhere' }
  | { readonly view: 'search'; readonly query: string }
  | { readonly view: 'memories'; readonly tab: string }
  | { readonly view: 'memory' | 'session'; readonly id: string }
  | { readonly view: 'project'; readonly id: string; readonly tab: string };

const PLAIN = ['projects', 'sessions', 'live', 'review', 'settings', 'import', 'team', 'trash'] as const;

export const to = {
  /** `to.view('/projects')` */
  view: (path: string) => `${BASE}${path}`,
  search: (query: string) => `${BASE}/search?q=${encodeURIComponent(query)}`,
  /** The list of all memories, or one of its tabs. */
  memories: (tab = '') => `${BASE}/memories${tab === '' ? '' : `?show=${tab}`}`,
  memory: (id: string) => `${BASE}/memories/${encodeURIComponent(id)}`,
  project: (id: string, tab = '') =>
    `${BASE}/projects/${encodeURIComponent(id)}${tab === '' ? '' : `?show=${encodeURIComponent(tab)}`}`,
  session: (id: string) => `${BASE}/sessions/${encodeURIComponent(id)}`,
};

function routeOf({ pathname, search }: { readonly pathname: string; readonly search: string }): Route {
  const [view = '', id = '', ...rest] = pathname
    .slice(BASE.length + 1)
    .split('/')
    .map(decoded);
  const asked = new URLSearchParams(search);
  if (rest.length > 0) return { view: 'nowhere' };
  if (view === '') return { view: 'overview' };
  if (view === 'search' && id === '') return { view, query: asked.get('q') ?? '' };
  if (view === 'memories') return id === '' ? { view, tab: asked.get('show') ?? '' } : { view: 'memory', id };
  if (view === 'projects' && id !== '') return { view: 'project', id, tab: asked.get('show') ?? '' };
  if (view === 'sessions' && id !== '') return { view: 'session', id };
  return { view: PLAIN.find((plain) => plain === view && id === '') ?? 'nowhere' };
}

/** Follows the address, and opens links inside the page without loading it again. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location));
  useEffect(() => {
    const changed = () => setRoute(routeOf(location));
    const clicked = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a');
      const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
      const isOurs = link?.origin === location.origin && link.pathname.startsWith(`${BASE}/`);
      if (!plain || !link || link.target !== '' || link.hash !== '' || !isOurs) return;
      event.preventDefault();
      go(link.pathname + link.search);
    };
    addEventListener('popstate', changed);
    addEventListener('click', clicked);
    return () => {
      removeEventListener('popstate', changed);
      removeEventListener('click', clicked);
    };
  }, []);
  return route;
}

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', path);
  else history.replaceState(null, '', path);
  if (how === 'push') scrollTo(0, 0);
  dispatchEvent(new PopStateEvent('popstate'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
