/** Version 1 of the API: every route, in the order the description lists them. */
import type { Route } from '../http/index.ts';
import { audit } from './audit.ts';
import { changes } from './changes.ts';
import { hub } from './hub.ts';
import { keys } from './keys.ts';
import { me } from './me.ts';
import { members } from './members.ts';
import { memories } from './memories.ts';
import { projects } from './projects.ts';
import { search } from './search.ts';

export const ROUTES: readonly Route[] = [
  ...me,
  ...projects,
  ...changes,
  ...memories,
  ...search,
  ...members,
  ...keys,
  ...audit,
  ...hub,
];
