/** A database with one big team and many small ones, filled the way clients fill it: by pushing changes. */
import type { Memory } from '../src/model/index.ts';
import {
  createTeam,
  ensureProject,
  pushChanges,
  type Caller,
  type TeamStore,
} from '../src/server/store/index.ts';
import { entryOfMemory, put } from '../test/support/team.ts';
import type { Synthetic } from './_synthetic.ts';

export interface FilledTeam {
  readonly caller: Caller;
  readonly projects: readonly string[];
}

/** As many as a client may send at once. */
const BATCH = 500;
/** A team of a million has many projects; one of a thousand has few. */
const PER_PROJECT = 50_000;

export async function fillTeam(
  store: TeamStore,
  synthetic: Synthetic,
  {
    name,
    memories,
    onProgress = () => {},
  }: {
    readonly name: string;
    readonly memories: number;
    readonly onProgress?: (done: number) => void;
  },
): Promise<FilledTeam> {
  const caller = await createTeam(store, { name, owner: 'Ada' });
  const projects: string[] = [];
  for (let i = 0; i < Math.max(1, Math.ceil(memories / PER_PROJECT)); i++) {
    const wanted = { name: `${name} ${i}`, keys: [`bench:${name}:${i}`] };
    projects.push((await store.transaction(caller, (work) => ensureProject(work, wanted))).id);
  }
  for (let i = 0; i < memories; i += BATCH) {
    const project = projects[(i / BATCH) % projects.length] ?? '';
    const size = Math.min(BATCH, memories - i);
    const some = Array.from({ length: size }, (_, k): Memory => synthetic.memory(i + k).memory);
    const request = {
      changes: some.map((memory) => put(entryOfMemory(memory))),
      idempotencyKey: `fill ${i} of ${memories}`,
    };
    await store.transaction(caller, (work) => pushChanges(work, project, request));
    onProgress(i + size);
  }
  return { caller, projects };
}
