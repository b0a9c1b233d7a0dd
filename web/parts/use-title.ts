/** Sets the view's name in the browser's tab and history. */
import { useEffect } from 'preact/hooks';

export function useTitle(name: string): void {
  useEffect(() => {
    document.title = name === '' ? 'Tidemark' : `${name} · Tidemark`;
  }, [name]);
}
