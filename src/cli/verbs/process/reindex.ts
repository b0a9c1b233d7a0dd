/** Builds the index again from journal, turn store and ledger. */
import { counted } from '../../screen.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';

export const reindex: Verb = {
  name: 'reindex',
  usage: 'reindex',
  summary: 'Build the index again from journal, turn store and ledger.',
  options: { ...JSON_OPTION },
  async run({ options, client, screen }) {
    const built = await client.call<{ memories: number; turns: number; sessions: number }>(
      'reindex',
      {},
      (facts) => {
        const { step, count } = facts as { step: string; count: number };
        screen.progress(`reading ${step}: ${count}`);
      },
    );
    screen.done();
    if (options['json']) return screen.json(built);
    screen.print(
      `${counted(built.memories, 'memory', 'memories')}, ${counted(built.turns, 'turn')}, ${counted(built.sessions, 'session')}.`,
    );
  },
};
