/** The files of one store that are open for appending: few at a time, since an import may touch a hundred months. */
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
    this.#open.set(path, file); // last in the map is the one used last
    const [offset] = await Promise.all([file.append(data), this.#closeSome()]);
    return offset;
  }

  /** How far a file may be read while it is being written, if it is. */
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

  /** Only idle ones: a second writer must never open a file the first is not finished with. */
  async #closeSome(): Promise<void> {
    const idle = [...this.#open].filter(([, file]) => file.isIdle).map(([path]) => path);
    const tooMany = Math.max(0, this.#open.size - OPEN_AT_ONCE);
    await Promise.all(idle.slice(0, tooMany).map((path) => this.close(path)));
  }
}
