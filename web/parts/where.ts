/** When memories were injected, in words. */
import type { Recall } from '../../src/http/index.ts';

export const WHERE: Readonly<Record<Recall['where'], string>> = {
  brief: 'at the start of a session',
  prompt: 'with a prompt',
  read: 'when a file was read',
  edit: 'before an edit',
  stop: 'to stop a call',
};
