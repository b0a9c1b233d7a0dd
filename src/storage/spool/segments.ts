/** The numbered files of the spool: events are appended to the last, and a file is deleted when all its events are done. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { AppendLog, removeFile, readLines } from '../../files/index.ts';
import type { Position } from './cursor.ts';
import { idOfLine } from './line.ts';

const NAME = /^(\d{8})\.jsonl$/;

export class Segments {
  readonly #folder: string;
  readonly #limit: number;
  /** Sizes of the files that are complete. */
  readonly #sealed = new Map<number, number>();
  /** Sealed files whose last appends are still being written. */
  readonly #settling = new Map<number, Promise<void>>();
  #current: AppendLog | undefined;
  #number: number;
  #closed = false;

  private constructor(folder: string, limit: number, number: number) {
    this.#folder = folder;
    this.#limit = limit;
    this.#number = number;
  }

  /** Numbers below the cursor's were used before and are not used again, nor is its own if that file is gone. */
  static async open(folder: string, limit: number, cursor: Position): Promise<Segments> {
    const numbers = (await readdir(folder)).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
    numbers.sort((a, b) => a - b);
    const isGone = cursor.offset > 0 && !numbers.includes(cursor.segment);
    const atLeast = isGone ? cursor.segment + 1 : cursor.segment;
    const last = numbers.pop();
    const segments = new Segments(folder, limit, Math.max(1, atLeast, last ?? 0));
    for (const number of numbers) segments.#sealed.set(number, (await stat(segments.path(number))).size);
    if (last !== undefined) await segments.#reopen(last);
    return segments;
  }

  /** Appends in the order of the calls; resolves when durable. */
  async append(line: Buffer): Promise<void> {
    if (this.#closed) throw new TidemarkError('closed', 'the spool is closed');
    if (this.#current && this.#current.expectedSize >= this.#limit) this.seal();
    this.#current ??= new AppendLog(this.path(this.#number));
    await this.#current.append(line);
  }

  path(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, '0')}.jsonl`);
  }

  /** The lowest existing number, or the next one. */
  get first(): number {
    const [first = this.#number] = this.#sealed.keys(); // they are sealed in order
    return first;
  }

  /** Returns the existing numbers in order. */
  numbers(): number[] {
    return [
      ...this.#sealed.keys(),
      ...this.#settling.keys(),
      ...(this.#current ? [this.#number] : []),
    ].toSorted((a, b) => a - b);
  }

  /** Returns the durable bytes of a segment. */
  end(number: number): number {
    return number === this.#number ? (this.#current?.size ?? 0) : (this.#sealed.get(number) ?? 0);
  }

  /** Reports whether nothing more will be appended to it. */
  isFinished(number: number): boolean {
    return number < this.#number && !this.#settling.has(number);
  }

  /** Makes the next event begin a new file. */
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

  /** Resolves when all writes to one segment, or to all segments, are finished. */
  async settled(number?: number): Promise<void> {
    await (number === undefined ? Promise.all(this.#settling.values()) : this.#settling.get(number));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#current?.close();
    await this.settled();
  }

  async #settle(number: number, file: AppendLog): Promise<void> {
    // Acknowledged events are durable, so a failed close loses nothing.
    await file.close().catch(() => {});
    this.#sealed.set(number, file.size);
    this.#settling.delete(number);
  }

  async #reopen(last: number): Promise<void> {
    const file = new AppendLog(this.path(last), completeLength);
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

/** Returns the end of the last complete line. A damaged line before it stays, and its reader reports it. */
async function completeLength(path: string): Promise<number> {
  let length = 0;
  for await (const { end, bytes, ended } of readLines(path)) {
    if (ended && bytes && idOfLine(bytes) !== undefined) length = end;
  }
  return length;
}
