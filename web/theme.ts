/** Light or dark: the system's theme, unless the user chose one. `public/theme.js` sets it before the first paint. */
import { useEffect, useState } from 'preact/hooks';
import { storeOf } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const STORED = 'tidemark-theme';
const DARK = matchMedia('(prefers-color-scheme: dark)');

export const theme = storeOf<Theme>(stored());

export function setTheme(wanted: Theme): void {
  theme.set(() => wanted);
  if (wanted === 'system') {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset['theme'];
    return;
  }
  localStorage.setItem(STORED, wanted);
  document.documentElement.dataset['theme'] = wanted;
}

/** Returns the theme in use, for canvases, which do not follow styles. */
export function useLight(): 'light' | 'dark' {
  const wanted = theme.use();
  const [isDark, setDark] = useState(DARK.matches);
  useEffect(() => {
    const changed = () => setDark(DARK.matches);
    DARK.addEventListener('change', changed);
    return () => DARK.removeEventListener('change', changed);
  }, []);
  return wanted === 'system' ? (isDark ? 'dark' : 'light') : wanted;
}

function stored(): Theme {
  const value = localStorage.getItem(STORED);
  return value === 'light' || value === 'dark' ? value : 'system';
}
