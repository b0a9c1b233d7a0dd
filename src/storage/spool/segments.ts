/** The spool's files, numbered: events are appended to the last, and a whole file goes when all in it is done. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { AppendLog, removeFile, readLines } from '../../files/index.ts';
import { idOfLine } from './line.ts';

const NAME = /^(\d{8})\.jsonl$/;

export class Segments {
  readonly #folder: string;
  readonly #limit: number;
  /** Sizes of the files nothing more is written to. */
  readonly #sealed = new Map<number, number>();
  /** Sealed, while their last appends are still under way. */
  readonly #settling = new Map<number, Promise<void>>();
  #current: AppendLog | undefined;
  #number: number;
  #closed = false;

  private constructor(folder: string, limit: number, number: number) {
    this.#folder = folder;
    this.#limit = limit;
    this.#number = number;
  }

  /** `atLeast`: numbers below were used before and are not used again. */
  static async open(folder: string, limit: number, atLeast: number): Promise<Segments> {
    const numbers = (await readdir(folder)).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
    numbers.sort((a, b) => a - b);
    const last = numbers.pop();
    const segments = new Segments(folder, limit, Math.max(1, atLeast, last ?? 0));
    for (const number of numbers) segments.#sealed.set(number, (await stat(segments.path(number))).size);
    if (last !== undefined) await segments.#reopen(last);
    return segments;
  }

  /** In the order of the calls; resolves when durable. */
  async append(line: Buffer): Promise<void> {
    if (this.#closed) throw new TidemarkError('closed', 'the spool is closed');
    if (this.#current && this.#current.expectedSize >= this.#limit) this.seal();
    this.#current ??= new AppendLog(this.path(this.#number));
    await this.#current.append(line);
  }

  path(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, '0')}.jsonl`);
  }

  /** The lowest number there is, or the one to come. */
  get first(): number {
    const [first = this.#number] = this.#sealed.keys(); // they are sealed in order
    return first;
  }

  /** The numbers there are, in order. */
  numbers(): number[] {
    return [
      ...this.#sealed.keys(),
      ...this.#settling.keys(),
      ...(this.#current ? [this.#number] : []),
    ].toSorted((a, b) => a - b);
  }

  /** Durable bytes of a segment. */
  end(number: number): number {
    return number === this.#number ? (this.#current?.size ?? 0) : (this.#sealed.get(number) ?? 0);
  }

  /** True when nothing more will come in it. */
  isFinished(number: number): boolean {
    return number < this.#number && !this.#settling.has(number);
  }

  /** The next event begins a new file. */
  seal(): void {
    const file = this.#current;
    const number = this.#number;
    if (!file) return;
    this.#current = undefined;
    this.#number++;
    this.#settling.set(number, this.#settle(number, file));
  }

  async removeBefore(number: number): Promise<void> {
    for (const done of this.#sealed.keys()) {
      if (done >= number) continue;
      await removeFile(this.path(done));
      this.#sealed.delete(done);
    }
  }

  /** Resolves when nothing is under way any more in one segment, or in any. */
  async settled(number?: number): Promise<void> {
    await (number === undefined ? Promise.all(this.#settling.values()) : this.#settling.get(number));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#current?.close();
    await this.settled();
  }

  async #settle(number: number, file: AppendLog): Promise<void> {
    // What was acknowledged is durable; a descriptor that does not close has nothing to add.
    await file.close().catch(() => {});
    this.#sealed.set(number, file.size);
    this.#settling.delete(number);
  }

  async #reopen(last: number): Promise<void> {
    const file = new AppendLog(this.path(last), wholeLength);
    await file.open();
    this.#number = Math.max(this.#number, last);
    if (this.#number === last) {
      this.#current = file;
      return;
    }
    await file.close();
    this.#sealed.set(last, file.size);
  }
}

/** Up to the end of the last line that is whole. A damaged line before it is kept for its reader to report. */
async function wholeLength(path: string): Promise<number> {
  let length = 0;
  for await (const { offset, length: size, bytes, ended } of readLines(path)) {
    if (ended && bytes && idOfLine(bytes) !== undefined) length = offset + size;
  }
  return length;
}
