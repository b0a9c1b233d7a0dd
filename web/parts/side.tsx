/** The views, whether the page is connected, light or dark, and the way out. Folds away where there is no room. */
import { useEffect, useState } from 'preact/hooks';
import { leave } from '../api.ts';
import { connection, waiting, type Connection } from '../live.ts';
import type { Route } from '../route.ts';
import { setTheme, theme, type Theme } from '../theme.ts';
import { Icon, type IconName } from './icon.tsx';
import { helpIsOpen } from './help.tsx';

interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly views: readonly Route['view'][];
}

const PLACES: readonly Place[] = [
  { path: '/', name: 'Overview', icon: 'overview', views: ['overview'] },
  { path: '/search', name: 'Search', icon: 'search', views: ['search'] },
  { path: '/projects', name: 'Projects', icon: 'projects', views: ['projects', 'project', 'memory'] },
  { path: '/sessions', name: 'Sessions', icon: 'sessions', views: ['sessions', 'session'] },
  { path: '/live', name: 'Live', icon: 'live', views: ['live'] },
  { path: '/review', name: 'Review', icon: 'review', views: ['review'] },
];
const CARE: readonly Place[] = [
  { path: '/import', name: 'Import', icon: 'import', views: ['import'] },
  { path: '/team', name: 'Team', icon: 'team', views: ['team'] },
  { path: '/settings', name: 'Settings', icon: 'settings', views: ['settings'] },
];
const CONNECTED: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting…',
  connected: 'Connected',
  offline: 'Offline, trying again',
  locked: 'Locked out',
};
const THEMES: Readonly<Record<Theme, { readonly name: string; readonly next: Theme }>> = {
  system: { name: 'As the system', next: 'light' },
  light: { name: 'Light', next: 'dark' },
  dark: { name: 'Dark', next: 'system' },
};

export function Side({ route, version }: { readonly route: Route; readonly version: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [route]);
  return (
    <header class={isOpen ? 'side unfolded' : 'side'}>
      <a class="brand" href="/">
        <img src="/tidemark.svg" alt="" width="28" height="28" />
        <span>Tidemark</span>
      </a>
      <button
        type="button"
        class="menu"
        aria-expanded={isOpen}
        aria-controls="views"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" />
        Menu
      </button>
      <nav id="views" class="views" aria-label="Views">
        <Places places={PLACES} route={route} />
        <p class="views-title" aria-hidden="true">
          Look after it
        </p>
        <Places places={CARE} route={route} />
      </nav>
      <Foot version={version} />
    </header>
  );
}

function Places({ places, route }: { readonly places: readonly Place[]; readonly route: Route }) {
  const count = waiting.use();
  return (
    <>
      {places.map(({ path, name, icon, views }) => (
        <a key={path} href={path} aria-current={views.includes(route.view) ? 'page' : undefined}>
          <Icon name={icon} />
          {name}
          {path === '/review' && count !== undefined && count > 0 && (
            <span class="count">
              {count}
              <span class="unseen"> waiting</span>
            </span>
          )}
        </a>
      ))}
    </>
  );
}

function Foot({ version }: { readonly version: string | undefined }) {
  const state = connection.use();
  const [left, setLeft] = useState(false);
  const out = async () => {
    setLeft(true);
    await leave().catch(() => undefined);
    location.replace('/');
  };
  return (
    <div class="side-foot">
      <ThemeButton />
      <button type="button" class="side-button" onClick={() => helpIsOpen.set(() => true)}>
        <Icon name="help" />
        Keys <kbd aria-hidden="true">?</kbd>
      </button>
      <button type="button" class="side-button" disabled={left} onClick={() => void out()}>
        <Icon name="lock" />
        Lock this browser out
      </button>
      <p class="connection" role="status">
        <span class={`dot ${state}`} aria-hidden="true" /> {CONNECTED[state]}
      </p>
      <p>{version && <>Tidemark {version}. </>}Nothing leaves this machine.</p>
    </div>
  );
}

function ThemeButton() {
  const now = theme.use();
  const { name, next } = THEMES[now];
  return (
    <button type="button" class="side-button" onClick={() => setTheme(next)}>
      <Icon name={now} />
      <span>
        <span class="unseen">Colours: </span>
        {name}
      </span>
    </button>
  );
}
