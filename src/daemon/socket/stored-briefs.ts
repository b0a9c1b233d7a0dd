/** The brief of each folder as it would be now, kept in a file for the moment a session starts and no daemon answers. */
import { mkdirSync, rmSync } from 'node:fs';
import type { Answer, Question } from '../../capture/index.ts';
import { briefFile, type Places } from '../../core/index.ts';
import { writeAtomically } from '../../files/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

export class StoredBriefs {
  readonly #places: Places;
  readonly #workers: WorkerPool;
  readonly #log: Log;
  /** Folders whose brief is being made, and whether it has to be made again. */
  readonly #underWay = new Map<string, boolean>();

  constructor(places: Places, workers: WorkerPool, log: Log) {
    this.#places = places;
    this.#workers = workers;
    this.#log = log;
  }

  /** One at a time for each folder, however many events a backlog holds: the reader has prompts to answer too. */
  renew(dir: string): void {
    const underWay = this.#underWay.has(dir);
    this.#underWay.set(dir, underWay);
    if (!underWay) void this.#renew(dir);
  }

  /** What was paused or forgotten must not be said from a file either; the next events make new ones. */
  dropAll(): void {
    rmSync(this.#places.briefs, { recursive: true, force: true });
  }

  async #renew(dir: string): Promise<void> {
    await this.#keep(dir);
    if (!this.#underWay.get(dir)) return void this.#underWay.delete(dir);
    this.#underWay.set(dir, false);
    await this.#renew(dir);
  }

  async #keep(dir: string): Promise<void> {
    try {
      const question: Question = {
        name: 'SessionStart',
        session: '',
        projectDir: dir,
        already: [],
        since: '',
      };
      const { output } = await this.#workers.read<Answer>('answer', question);
      if (!output) return rmSync(briefFile(this.#places, dir), { force: true });
      mkdirSync(this.#places.briefs, { recursive: true, mode: 0o700 });
      const kept = { at: new Date().toISOString(), output };
      await writeAtomically(briefFile(this.#places, dir), JSON.stringify(kept), { synced: false });
    } catch (error) {
      this.#log.warn('brief not kept', factsOf(error));
    }
  }
}
