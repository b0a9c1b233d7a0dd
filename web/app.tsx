/** The frame of the page: header, the view the address asks for, footer, and the keys. */
import { useEffect, useRef } from 'preact/hooks';
import { Footer } from './parts/footer.tsx';
import { Header } from './parts/header.tsx';
import { Notice } from './parts/notice.tsx';
import { useRowKeys } from './parts/row-keys.ts';
import { useRoute, type Route } from './route.ts';
import { MemoryView } from './views/memory.tsx';
import { Overview } from './views/overview.tsx';
import { ProjectView } from './views/project.tsx';
import { Projects } from './views/projects.tsx';
import { Search } from './views/search.tsx';
import { Sessions } from './views/sessions.tsx';

export function App() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  useRowKeys();
  useMovedFocus(route, main);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header route={route} />
      <main id="main" tabIndex={-1} ref={main}>
        <View route={route} />
      </main>
      <Footer />
    </>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'overview':
      return <Overview />;
    case 'search':
      return <Search query={route.query} />;
    case 'memory':
      return <MemoryView key={route.id} id={route.id} />;
    case 'projects':
      return <Projects />;
    case 'project':
      return <ProjectView key={route.id} id={route.id} />;
    case 'sessions':
      return <Sessions />;
    case 'nowhere':
      return (
        <Notice title="There is nothing here" alone>
          <a href="/">Back to the overview</a>
        </Notice>
      );
  }
}

/** A reader of the screen hears the new view; who types in the search field stays there. */
function useMovedFocus(route: Route, main: { readonly current: HTMLElement | null }): void {
  const before = useRef(route);
  const place = 'id' in route ? `${route.view}/${route.id}` : route.view;
  useEffect(() => {
    if (before.current === route) return;
    before.current = route;
    if (!(document.activeElement instanceof HTMLInputElement)) main.current?.focus({ preventScroll: true });
  }, [place]);
}
