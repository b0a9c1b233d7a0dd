/** A team's database as a store to be searched in tests: memories as a member would have shared them. */
import type { Memory } from '../../src/core/index.ts';
import {
  createTeam,
  ensureProject,
  pushChanges,
  putVectors,
  searchMemories,
  type TeamStore,
  waitingTexts,
} from '../../src/server/store/index.ts';
import { PROJECT } from './recall-fixture.ts';
import type { Searched } from './search-expectations.ts';
import { entryOfMemory, put } from './team.ts';

/** A new team in the database, with these memories. Closing it leaves the store open: it is the caller's. */
export async function openTeam(store: TeamStore, memories: readonly Memory[]): Promise<Searched> {
  const caller = await createTeam(store, { name: 'Acme', owner: 'Ada' });
  const ids = new Map<string, string>();
  for (const project of new Set(memories.map((memory) => memory.project))) {
    const name = project === PROJECT ? 'payments' : project;
    const changes = memories
      .filter((memory) => memory.project === project)
      .map((memory) => put(entryOfMemory(memory)));
    const { id } = await store.transaction(caller, async (work) => {
      const made = await ensureProject(work, { name, keys: [project] });
      await pushChanges(work, made.id, { changes, idempotencyKey: `fill ${project}` });
      return made;
    });
    ids.set(project, id);
  }
  const named = new Map([...ids].map(([name, id]) => [id, name]));
  const ownName = (memory: Memory): Memory => ({
    ...memory,
    project: named.get(memory.project) ?? memory.project,
  });
  return {
    search: async (text, { project, ...options }) => {
      const asked = project === undefined ? options : { ...options, project: ids.get(project) ?? project };
      const found = await store.transaction(
        caller,
        (work) => searchMemories(work, store.vectors, text, asked),
        { readOnly: true },
      );
      return {
        ...found,
        hits: found.hits.map((hit) => ({ ...hit, memory: ownName(hit.memory) })),
        considered: found.considered.map((hit) => ({ ...hit, memory: ownName(hit.memory) })),
      };
    },
    embed: async (vectorOf) => {
      const about = { model: 'test', mode: store.vectors };
      await store.transaction(caller, async (work) => {
        const waiting = await waitingTexts(work, 1000);
        const made = waiting.map((one, i) => ({ ...one, vector: vectorOf(one.text, i) }));
        await putVectors(work, about, made);
      });
    },
    close: async () => {},
  };
}
