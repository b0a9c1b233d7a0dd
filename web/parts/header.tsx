/** Name, views and the search field, which is always there: `/` goes to it from anywhere. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { go, to, type Route } from '../route.ts';

/** Long enough not to ask for every letter, short enough to feel at once. */
const TYPING_MS = 120;

const VIEWS = [
  { path: '/', name: 'Overview', views: ['overview'] },
  { path: '/projects', name: 'Projects', views: ['projects', 'project'] },
  { path: '/sessions', name: 'Sessions', views: ['sessions'] },
] as const;

export function Header({ route }: { readonly route: Route }) {
  const isOn = (views: readonly string[]) => views.includes(route.view);
  return (
    <header class="top">
      <div class="top-inner">
        <a class="brand" href="/">
          <img src="/tidemark.svg" alt="" width="28" height="28" />
          <span>Tidemark</span>
        </a>
        <nav aria-label="Views">
          {VIEWS.map(({ path, name, views }) => (
            <a key={path} href={path} aria-current={isOn(views) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <SearchField route={route} />
      </div>
    </header>
  );
}

function SearchField({ route }: { readonly route: Route }) {
  const field = useRef<HTMLInputElement>(null);
  const asked = route.view === 'search' ? route.query : '';
  const [text, setText] = useState(asked);
  useSlash(field);
  useEffect(() => {
    // What is being typed is ahead of the address.
    if (document.activeElement !== field.current || route.view !== 'search') setText(asked);
  }, [asked, route.view]);
  useEffect(() => {
    if (text === asked || document.activeElement !== field.current) return;
    const timer = setTimeout(
      () => go(to.search(text), route.view === 'search' ? 'replace' : 'push'),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [text]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    go(to.search(text), route.view === 'search' ? 'replace' : 'push');
    document.querySelector<HTMLElement>('[data-row]')?.focus();
  };
  return (
    <form role="search" class="search" action="/search" onSubmit={submit}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="7" cy="7" r="4.5" />
        <path d="m10.5 10.5 3.5 3.5" />
      </svg>
      <input
        ref={field}
        type="search"
        name="q"
        value={text}
        aria-label="Search what is remembered"
        placeholder="Search what is remembered"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('[data-row]')?.focus();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function useSlash(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}
