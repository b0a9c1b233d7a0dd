/** The tools, in the order a client lists them. */
import type { Tool } from '../tool.ts';
import { forget } from './forget.ts';
import { projects } from './projects.ts';
import { remember } from './remember.ts';
import { resolve } from './resolve.ts';
import { search } from './search.ts';
import { show } from './show.ts';
import { timeline } from './timeline.ts';
import { transcript } from './transcript.ts';

export const TOOLS: readonly Tool[] = [
  search,
  show,
  transcript,
  timeline,
  remember,
  resolve,
  forget,
  projects,
];
