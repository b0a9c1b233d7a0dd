/** The append logs of one store. Few are open at a time, because an import may touch a hundred months. */
import { AppendLog, type WholeLength } from './append-log.ts';

const OPEN_AT_ONCE = 8;

export class AppendLogs {
  readonly #wholeLength: WholeLength | undefined;
  readonly #open = new Map<string, AppendLog>();

  constructor(wholeLength?: WholeLength) {
    this.#wholeLength = wholeLength;
  }

  async append(path: string, data: Uint8Array): Promise<number> {
    const file = this.#open.get(path) ?? new AppendLog(path, this.#wholeLength);
    this.#open.delete(path);
    this.#open.set(path, file); // the map is ordered by last use
    const [offset] = await Promise.all([file.append(data), this.#closeSome()]);
    return offset;
  }

  /** Returns how far a file that is being written may be read; undefined for a file that is not open. */
  durableSize(path: string): number | undefined {
    const file = this.#open.get(path);
    return file?.isOpen ? file.size : undefined;
  }

  async close(path: string): Promise<void> {
    const file = this.#open.get(path);
    this.#open.delete(path);
    await file?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((path) => this.close(path)));
  }

  /** Closes idle files only: a second writer must not open a file while the first still writes. */
  async #closeSome(): Promise<void> {
    const idle = [...this.#open].filter(([, file]) => file.isIdle).map(([path]) => path);
    const tooMany = Math.max(0, this.#open.size - OPEN_AT_ONCE);
    await Promise.all(idle.slice(0, tooMany).map((path) => this.close(path)));
  }
}
