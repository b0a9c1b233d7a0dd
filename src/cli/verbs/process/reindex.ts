/** Rebuilds the index from journal, turn store and ledger. */
import { counted } from '../../screen.ts';
import type { Verb } from '../../verb.ts';

export const reindex: Verb = {
  name: 'reindex',
  usage: 'reindex',
  summary: 'Rebuild the search index from the stored files.',
  async run({ options, client, screen }) {
    const built = await client.call('reindex', {}, ({ step, count }) => {
      screen.progress(`reading ${step}: ${count}`);
    });
    screen.done();
    if (options['json']) return screen.json(built);
    screen.print(
      `${counted(built.memories, 'memory')}, ${counted(built.turns, 'turn')}, ${counted(built.sessions, 'session')}.`,
    );
  },
};
