/** Version 1 of the API: every route, in the order the OpenAPI description lists them. */
import type { Route } from '../http/index.ts';
import { changes } from './changes.ts';
import { keys } from './keys.ts';
import { memories } from './memories.ts';
import { projects } from './projects.ts';
import { team } from './team.ts';

export const ROUTES: readonly Route[] = [...team, ...projects, ...changes, ...memories, ...keys];
