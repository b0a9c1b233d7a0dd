/** Navigation, connection state, theme and sign-out. Collapses on narrow screens. */
import { useEffect, useState } from 'preact/hooks';
import { leave } from '../api.ts';
import { useTeam } from '../here.ts';
import { connection, waiting, type Connection } from '../live.ts';
import { to, type Route } from '../route.ts';
import { setTheme, theme, type Theme } from '../theme.ts';
import { helpIsOpen } from './help.tsx';
import { Icon } from './icon.tsx';
import { MANAGE, isOfMachine, PLACES, type Place } from './places.ts';

const CONNECTED: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting…',
  connected: 'Connected',
  offline: 'Offline, trying again',
  locked: 'Signed out',
};
const THEMES: Readonly<Record<Theme, { readonly name: string; readonly next: Theme }>> = {
  system: { name: 'Same as system', next: 'light' },
  light: { name: 'Light', next: 'dark' },
  dark: { name: 'Dark', next: 'system' },
};

export function Side({ route, version }: { readonly route: Route; readonly version: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const team = useTeam();
  useEffect(() => setOpen(false), [route]);
  return (
    <header class={isOpen ? 'side unfolded' : 'side'}>
      <a class="brand" href={to.view('/')}>
        <img src={to.view('/tidemark.svg')} alt="" width="28" height="28" />
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
        {!team && (
          <p class="views-title" aria-hidden="true">
            Manage
          </p>
        )}
        <Places places={MANAGE} route={route} />
      </nav>
      <Foot version={version} />
    </header>
  );
}

function Places({ places, route }: { readonly places: readonly Place[]; readonly route: Route }) {
  const count = waiting.use();
  const team = useTeam();
  const shown = team ? places.filter(({ path }) => !isOfMachine(path.slice(1))) : places;
  return (
    <>
      {shown.map(({ path, name, icon, views }) => (
        <a key={path} href={to.view(path)} aria-current={views.includes(route.view) ? 'page' : undefined}>
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
  const team = useTeam();
  const [left, setLeft] = useState(false);
  const out = async () => {
    setLeft(true);
    await leave().catch(() => undefined);
    location.replace(to.view('/'));
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
        {team ? 'Log out' : 'Sign out'}
      </button>
      <p class="connection" role="status">
        <span class={`dot ${state}`} aria-hidden="true" /> {CONNECTED[state]}
      </p>
      {team ? (
        <p>
          {team.member.name}, {team.member.role} of {team.team}. Tidemark {team.version}.
          {team.isTrial && <strong> Trial server: for trying out, not for a team’s real work.</strong>}
        </p>
      ) : (
        <p>{version && <>Tidemark {version}. </>}Nothing leaves this machine unless you allow it.</p>
      )}
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
        <span class="unseen">Theme: </span>
        {name}
      </span>
    </button>
  );
}
