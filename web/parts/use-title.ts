/** Sets the view's name in the browser's tab and history. */
import { useEffect } from 'preact/hooks';
import { plainLine } from '../../src/core/plain/index.ts';

export function useTitle(name: string): void {
  useEffect(() => {
    document.title = name === '' ? 'Tidemark' : `${plainLine(name).replaceAll('`', '')} · Tidemark`;
  }, [name]);
}
