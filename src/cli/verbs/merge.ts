/** Several memories that say the same become one. */
import type { Memory } from '../../model/index.ts';
import { JSON_OPTION, type Verb } from '../verb.ts';
import { idsFrom, memoryLine } from './_memory.ts';

export const merge: Verb = {
  name: 'merge',
  usage: 'merge <id> <id…>',
  summary: 'Merge memories into the first one, which counts them from then on.',
  options: { ...JSON_OPTION },
  async run({ args, options, client, screen }) {
    const ids = idsFrom(args, 'merge <id> <id>', 2);
    const memory = await client.call<Memory>('merge', { ids });
    if (options['json']) return screen.json(memory);
    screen.print(memoryLine(memory, screen));
  },
};
