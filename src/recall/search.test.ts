import { fixtureIndex, FIXTURE_MEMORIES } from '../../test/support/recall-fixture.ts';
import { expectSearch } from '../../test/support/search-expectations.ts';
import type { MemoryIndex } from '../database/index.ts';
import { search } from './search.ts';

/** The team's database is held to the same in test/server/recall.test.ts. */
expectSearch({
  personal: true,
  meaning: 'all',
  open: async (memories) => {
    const index: MemoryIndex = fixtureIndex();
    const known = new Set(FIXTURE_MEMORIES.map(({ id }) => id));
    index.upsertMemories(memories.filter(({ id }) => !known.has(id)).map((memory) => ({ memory })));
    return {
      search: async (text, options) => search(index, text, options),
      embed: async (vectorOf) => {
        index.setVectorModel('test');
        const waiting = index.unembedded(1000);
        index.putVectors(
          'test',
          waiting.map((one, i) => ({ ...one, vector: vectorOf(one.text, i) })),
        );
      },
      close: async () => index.close(),
    };
  },
});
