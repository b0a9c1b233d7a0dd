/** Light or dark: the system's theme, unless the user chose one. `public/theme.js` sets it before the first paint. */
import { useEffect, useState } from 'preact/hooks';
import { storeOf } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const STORED = 'tidemark-theme';
const DARK = matchMedia('(prefers-color-scheme: dark)');

export const theme = storeOf<Theme>(stored());

export function setTheme(chosen: Theme): void {
  theme.set(() => chosen);
  if (chosen === 'system') {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset['theme'];
    return;
  }
  localStorage.setItem(STORED, chosen);
  document.documentElement.dataset['theme'] = chosen;
}

/** Returns the theme in use, for canvases, which do not follow styles. */
export function useLight(): 'light' | 'dark' {
  const chosen = theme.use();
  const [isDark, setDark] = useState(DARK.matches);
  useEffect(() => {
    const changed = () => setDark(DARK.matches);
    DARK.addEventListener('change', changed);
    return () => DARK.removeEventListener('change', changed);
  }, []);
  return chosen === 'system' ? (isDark ? 'dark' : 'light') : chosen;
}

function stored(): Theme {
  const value = localStorage.getItem(STORED);
  return value === 'light' || value === 'dark' ? value : 'system';
}
