/** Issues closed, and opened again. */
import type { Memory } from '../../../core/index.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { idsFrom, memoryLine } from './_memory.ts';

export const resolve: Verb = {
  name: 'resolve',
  usage: 'resolve <id…>',
  summary: 'Say that issues are resolved; they sink in recall.',
  options: { ...JSON_OPTION },
  run: (context) => settle(context, true),
};

export const reopen: Verb = {
  name: 'reopen',
  usage: 'reopen <id…>',
  summary: 'Open issues again, or let what was superseded hold again.',
  options: { ...JSON_OPTION },
  run: (context) => settle(context, false),
};

async function settle({ args, options, client, screen }: Context, done: boolean): Promise<void> {
  const ids = idsFrom(args, done ? 'resolve <id>' : 'reopen <id>');
  const memories = await client.call<readonly Memory[]>('settle', { ids, done });
  if (options['json']) return screen.json(memories);
  for (const memory of memories) screen.print(memoryLine(memory, screen));
}
