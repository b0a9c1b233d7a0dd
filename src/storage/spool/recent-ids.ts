/**
 * The ids accepted last, so that an event delivered twice is stored once, also after its segment is deleted. Bounded: a
 * second delivery comes within seconds or at the next start.
 */
import { readText, writeAtomically } from '../../files/index.ts';

const MAX_IDS = 20_000;
/** An id is at most 128 characters. */
const IDS_BYTES = 4 * 1024 * 1024;

export class RecentIds {
  readonly #path: string;
  readonly #ids = new Set<string>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(path: string): Promise<RecentIds> {
    const recent = new RecentIds(path);
    for (const id of await readIds(path)) recent.add(id);
    return recent;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_IDS && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** Must be called before a segment is deleted. */
  async save(): Promise<void> {
    await writeAtomically(this.#path, JSON.stringify([...this.#ids]));
  }
}

async function readIds(path: string): Promise<string[]> {
  try {
    const ids: unknown = JSON.parse(await readText(path, IDS_BYTES));
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
