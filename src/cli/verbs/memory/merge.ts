/** Several memories that say the same become one, and what was merged by hand stands for itself again. */
import type { Memory } from '../../../core/index.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';
import { idsFrom, memoryLine } from './_memory.ts';

export const merge: Verb = {
  name: 'merge',
  usage: 'merge <id> <id…> | merge --undo <id…>',
  summary: 'Merge memories into the first one, which counts them from then on.',
  options: {
    undo: { type: 'boolean', doc: 'Let what was merged by hand into this memory stand for itself again.' },
    ...JSON_OPTION,
  },
  async run({ args, options, client, screen }) {
    if (options['undo']) {
      const ids = idsFrom(args, 'merge --undo <id>');
      const memories = await client.call<readonly Memory[]>('unmerge', { ids });
      if (options['json']) return screen.json(memories);
      for (const memory of memories) screen.print(memoryLine(memory, screen));
      return;
    }
    const ids = idsFrom(args, 'merge <id> <id>', 2);
    const memory = await client.call<Memory>('merge', { ids });
    if (options['json']) return screen.json(memory);
    screen.print(memoryLine(memory, screen));
    screen.say(`To take it back: tidemark merge --undo ${memory.id}`);
  },
};
