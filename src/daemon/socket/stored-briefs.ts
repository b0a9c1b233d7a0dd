/** Stores the current brief of each folder in a file, for sessions that start while no daemon answers. */
import { mkdirSync, rmSync } from 'node:fs';
import type { Question } from '../../capture/index.ts';
import { briefFile, type Places } from '../../core/index.ts';
import { writeAtomically } from '../../files/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

export class StoredBriefs {
  readonly #places: Places;
  readonly #workers: WorkerPool;
  readonly #log: Log;
  /** Folders whose brief is being made, and whether it must be made again. */
  readonly #underWay = new Map<string, boolean>();

  constructor(places: Places, workers: WorkerPool, log: Log) {
    this.#places = places;
    this.#workers = workers;
    this.#log = log;
  }

  /** One at a time for each folder, also with a long backlog: the reader has prompts to answer too. */
  update(dir: string): void {
    const underWay = this.#underWay.has(dir);
    this.#underWay.set(dir, underWay);
    if (!underWay) void this.#update(dir);
  }

  /** After a pause or a forget: the next events store new ones. */
  dropAll(): void {
    rmSync(this.#places.briefs, { recursive: true, force: true });
  }

  async #update(dir: string): Promise<void> {
    await this.#store(dir);
    if (!this.#underWay.get(dir)) return void this.#underWay.delete(dir);
    this.#underWay.set(dir, false);
    await this.#update(dir);
  }

  async #store(dir: string): Promise<void> {
    try {
      const question: Question = {
        name: 'SessionStart',
        session: '',
        projectDir: dir,
        already: [],
        since: '',
      };
      const { output } = await this.#workers.read('answer', question);
      if (!output) return rmSync(briefFile(this.#places, dir), { force: true });
      mkdirSync(this.#places.briefs, { recursive: true, mode: 0o700 });
      const stored = { at: new Date().toISOString(), output };
      await writeAtomically(briefFile(this.#places, dir), JSON.stringify(stored), { synced: false });
    } catch (error) {
      this.#log.warn('brief not stored', factsOf(error));
    }
  }
}
