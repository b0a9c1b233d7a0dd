/**
 * The event that is being processed alone because the daemon died before while it was under way. Written down first:
 * whoever finds the note at the next start knows which event ended the daemon.
 */
import { rm } from 'node:fs/promises';
import { readText, STATE_BYTES, writeAtomically } from '../../files/index.ts';

interface Note {
  readonly id: string;
  readonly deaths: number;
}

export class Suspect {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** How often the daemon died of this event while it had it alone. */
  async begin(id: string): Promise<number> {
    const note = await this.#read();
    const deaths = note?.id === id ? note.deaths + 1 : 0;
    await writeAtomically(this.#path, JSON.stringify({ id, deaths } satisfies Note), { synced: false });
    return deaths;
  }

  async end(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async #read(): Promise<Note | undefined> {
    try {
      const note = JSON.parse(await readText(this.#path, STATE_BYTES)) as Partial<Note>;
      return typeof note.id === 'string' && typeof note.deaths === 'number'
        ? { id: note.id, deaths: note.deaths }
        : undefined;
    } catch {
      return undefined; // none, or not whole: then it counts as the first time
    }
  }
}
