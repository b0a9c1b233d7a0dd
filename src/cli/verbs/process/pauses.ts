/** How it is told that capture looks away, with the way out of it. */
import type { FolderView } from '../../../daemon/index.ts';

const SHORT_ID = 8;

export const LEFT_OUT =
  'This folder is left out (.tidemark-ignore or capture.ignore): nothing said here is kept or brought back.';

export function pauseLine({ scope, of = '' }: FolderView['paused'][number], project: string): string {
  switch (scope) {
    case 'everywhere':
      return 'Paused everywhere: nothing is kept. Go on with: tidemark resume --everywhere';
    case 'project':
      return `Paused in ${project}: nothing said here is kept. Go on with: tidemark resume`;
    case 'session': {
      const short = of.slice(0, SHORT_ID);
      return `Paused in session ${short}. Go on with: tidemark resume --session ${short}`;
    }
  }
}
