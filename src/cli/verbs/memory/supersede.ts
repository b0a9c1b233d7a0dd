/** One memory replaces another. */
import type { Memory } from '../../../core/index.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';
import { idsFrom, memoryLine } from './_memory.ts';

export const supersede: Verb = {
  name: 'supersede',
  usage: 'supersede <old> <new>',
  summary: 'Say that one memory replaces another; the old one sinks and names the new one.',
  options: { ...JSON_OPTION },
  async run({ args, options, client, screen }) {
    const [old, by] = idsFrom(args, 'supersede <old> <new>', 2);
    const pair = await client.call<readonly Memory[]>('supersede', { old, by });
    if (options['json']) return screen.json(pair);
    for (const memory of pair) screen.print(memoryLine(memory, screen));
  },
};
