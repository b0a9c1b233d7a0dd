/** The search field on every view: `/` focuses it, and it searches while the user types. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { go, to, type Route } from '../route.ts';
import { Icon } from './icon.tsx';

/** Long enough to skip single letters, short enough to feel immediate. */
const TYPING_MS = 120;

export function SearchField({ route }: { readonly route: Route }) {
  const field = useRef<HTMLInputElement>(null);
  const asked = route.view === 'search' ? route.query : '';
  const [text, setText] = useState(asked);
  useEffect(() => {
    // The typed text is newer than the address.
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
  const toFirstRow = () => document.querySelector<HTMLElement>('[data-row]')?.focus();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    go(to.search(text), route.view === 'search' ? 'replace' : 'push');
    toFirstRow();
  };
  return (
    <form role="search" class="search" action="/search" onSubmit={submit}>
      <Icon name="search" />
      <input
        ref={field}
        id="search"
        data-testid="search-input"
        type="search"
        name="q"
        value={text}
        aria-label="Search memories"
        placeholder="Search memories"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            toFirstRow();
          }
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
