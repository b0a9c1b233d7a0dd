/** The frame of the page: navigation, search field, current view and keys. */
import { useEffect, useRef } from 'preact/hooks';
import { here, useTeam } from './here.ts';
import { followLive, health, waiting } from './live.ts';
import { CurrentDialog } from './parts/actions.tsx';
import { Help } from './parts/help.tsx';
import { useKeys } from './parts/keys.ts';
import { Notice, Shown } from './parts/notice.tsx';
import { isOfMachine } from './parts/places.ts';
import { SearchField } from './parts/search-field.tsx';
import { Side } from './parts/side.tsx';
import { Toasts } from './parts/toasts.tsx';
import { to, useRoute, type Route } from './route.ts';
import { ZONE } from './time.ts';
import { useAnswer } from './use-answer.ts';
import { Import } from './views/import.tsx';
import { Live } from './views/live.tsx';
import { Members } from './views/members.tsx';
import { Memories } from './views/memories.tsx';
import { MemoryView } from './views/memory.tsx';
import { Overview } from './views/overview.tsx';
import { ProjectView } from './views/project.tsx';
import { Projects } from './views/projects.tsx';
import { Review } from './views/review.tsx';
import { Search } from './views/search.tsx';
import { SessionView } from './views/session.tsx';
import { Sessions } from './views/sessions.tsx';
import { Settings } from './views/settings.tsx';
import { Team } from './views/team.tsx';
import { Trash } from './views/trash.tsx';

export function App() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const known = health.use();
  const hub = here.use();
  const asked = useAnswer('GET /here', hub ? null : {});
  // The overview loads and shares the health itself. A team server has none.
  const isAsked = known !== undefined || route.view === 'overview' || hub?.kind !== 'machine';
  const overview = useAnswer('GET /overview', isAsked ? null : { query: { zone: ZONE } });
  useKeys();
  useMovedFocus(route, main);
  useEffect(followLive, []);
  useEffect(() => {
    if (asked.kind === 'there') here.set(() => asked.value);
  }, [asked]);
  useEffect(() => {
    if (overview.kind === 'there') health.set(() => overview.value.health);
  }, [overview]);
  useEffect(() => {
    if (known) waiting.set(() => known.inReview);
  }, [known]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Side route={route} version={known?.version} />
      <div class="page">
        <div class="top">
          <SearchField route={route} />
        </div>
        <main id="main" tabIndex={-1} ref={main}>
          {hub ? (
            <View route={hub.kind === 'team' && isOfMachine(route.view) ? NOWHERE : route} />
          ) : (
            <Shown answer={asked} alone>
              {() => null}
            </Shown>
          )}
        </main>
      </div>
      <CurrentDialog />
      <Help />
      <Toasts />
    </>
  );
}

const NOWHERE = { view: 'nowhere' } as const;

function TeamOrMembers() {
  return useTeam() ? <Members /> : <Team />;
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'overview':
      return <Overview />;
    case 'search':
      return <Search query={route.query} />;
    case 'memories':
      return <Memories tab={route.tab} />;
    case 'memory':
      return <MemoryView key={route.id} id={route.id} />;
    case 'projects':
      return <Projects />;
    case 'project':
      return <ProjectView key={route.id} id={route.id} tab={route.tab} />;
    case 'sessions':
      return <Sessions />;
    case 'session':
      return <SessionView key={route.id} id={route.id} />;
    case 'live':
      return <Live />;
    case 'review':
      return <Review />;
    case 'settings':
      return <Settings />;
    case 'import':
      return <Import />;
    case 'team':
      return <TeamOrMembers />;
    case 'trash':
      return <Trash />;
    case 'nowhere':
      return (
        <Notice title="Page not found" alone>
          <a href={to.view('/')}>Back to the overview</a>
        </Notice>
      );
  }
}

/** Moves the focus to a new view, for screen readers, unless the user is typing. */
function useMovedFocus(route: Route, main: { readonly current: HTMLElement | null }): void {
  const before = useRef(route);
  const place = 'id' in route ? `${route.view}/${route.id}` : route.view;
  useEffect(() => {
    if (before.current === route) return;
    before.current = route;
    if (!(document.activeElement instanceof HTMLInputElement)) main.current?.focus({ preventScroll: true });
  }, [place]);
}
