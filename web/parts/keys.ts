/**
 * The keys of the page. j and k (or the arrows, once on a row) move between rows; e and x act on the memory of the row or
 * of the page, u undoes the last action that a message offers to undo. Keys do nothing while the user types or a dialog is open.
 */
import { useEffect } from 'preact/hooks';
import { isTeam } from '../here.ts';
import { go, to } from '../route.ts';
import { editById, forgetById } from './actions.tsx';
import { helpIsOpen } from './help.tsx';
import { isOfMachine } from './places.ts';
import { undoLast } from './toasts.tsx';

/** After `g`. */
const PLACES: Readonly<Record<string, string>> = {
  o: '/',
  m: '/memories',
  p: '/projects',
  s: '/sessions',
  l: '/live',
  r: '/review',
  i: '/import',
  t: '/team',
  x: '/trash',
  c: '/settings',
};
/** How long `g` waits for its letter. */
const SECOND_KEY_MS = 1200;

export function useKeys(): void {
  useEffect(() => {
    let going = 0;
    const pressed = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const known = Date.now() - going < SECOND_KEY_MS ? PLACES[event.key] : undefined;
      const place = known !== undefined && isTeam() && isOfMachine(known.slice(1)) ? undefined : known;
      going = 0;
      const act = place === undefined ? actionOf(event.key) : () => go(to.view(place));
      if (event.key === 'g') going = Date.now();
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

function actionOf(key: string): (() => void) | undefined {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]');
  switch (key) {
    case '/':
      return focusSearch;
    case '?':
      return () => helpIsOpen.set(() => true);
    case 'j':
      return () => step(row, 1);
    case 'k':
      return () => step(row, -1);
    case 'ArrowDown':
      return row ? () => step(row, 1) : undefined;
    case 'ArrowUp':
      return row ? () => step(row, -1) : undefined;
    case 'u':
      return undoLast;
    case 'e':
    case 'x': {
      const id = (row ?? document.querySelector<HTMLElement>('h1[data-memory]'))?.dataset['memory'];
      if (id === undefined) return undefined;
      return key === 'e' ? () => void editById(id) : () => void forgetById(id);
    }
    default:
      return undefined;
  }
}

function step(row: HTMLElement | null | undefined, by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = row ? rows.indexOf(row) + by : rows.findIndex((one) => one.getBoundingClientRect().top >= 0);
  rows[Math.min(rows.length - 1, Math.max(0, at))]?.focus();
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search');
  field?.focus();
  field?.select();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox' && target.type !== 'radio')
  );
}
