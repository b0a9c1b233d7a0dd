/**
 * A file that only grows, with group commit: appends that wait share one fdatasync. Bytes that could not be made durable
 * are cut off again, so that a full disk never leaves half a record. One writer per file.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TidemarkError } from '../core/index.ts';
import { FILE_MODE } from './atomic-write.ts';
import { fileError } from './file-error.ts';
import { syncFolder } from './folders.ts';

/** A larger commit only makes the first caller wait longer. */
const COMMIT_BYTES = 4 * 1024 * 1024;

const OPEN_AT_ONCE = 8;

/** Returns how many bytes of an existing file are complete records; the rest was never acknowledged and is cut off. */
type CompleteLength = (path: string) => Promise<number>;

interface Waiting {
  readonly data: Uint8Array;
  readonly resolve: (offset: number) => void;
  readonly reject: (error: TidemarkError) => void;
}

export class AppendLog {
  readonly path: string;
  readonly #completeLength: CompleteLength | undefined;
  #file: FileHandle | undefined;
  #size = 0;
  #queued = 0;
  /** The file may have bytes beyond `#size`. */
  #hasPartialWrite = false;
  #waiting: Waiting[] = [];
  #committing: Promise<void> | undefined;
  #closed = false;

  /** Does not touch the file: the first append opens or creates it. */
  constructor(path: string, completeLength?: CompleteLength) {
    this.path = path;
    this.#completeLength = completeLength;
  }

  /** Bytes that are durable. Zero before the file was opened. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that are durable or about to be. */
  get expectedSize(): number {
    return this.#size + this.#queued;
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  get isIdle(): boolean {
    return this.#committing === undefined;
  }

  /** Resolves with the offset of the first byte, once all of it is durable. */
  append(data: Uint8Array): Promise<number> {
    if (this.#closed) return Promise.reject(new TidemarkError('closed', `${this.path} is closed`));
    this.#queued += data.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ data, resolve, reject });
      this.#committing ??= this.#commitAll();
    });
  }

  /** Opens an existing file now and cuts off an incomplete record. */
  async open(): Promise<void> {
    try {
      await this.#opened();
    } catch (error) {
      throw fileError(error, this.path);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#committing;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #commitAll(): Promise<void> {
    await Promise.resolve(); // appends of the same tick join the first commit
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        let offset = await this.#commit(Buffer.concat(batch.map(({ data }) => data)));
        for (const { data, resolve } of batch) {
          resolve(offset);
          offset += data.length;
        }
      } catch (error) {
        const known = fileError(error, this.path);
        for (const { data, reject } of batch) {
          this.#queued -= data.length;
          reject(known);
        }
      }
    }
    this.#committing = undefined;
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { data } of this.#waiting) {
      if (count > 0 && bytes + data.length > COMMIT_BYTES) break;
      bytes += data.length;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(data: Buffer): Promise<number> {
    const file = await this.#opened();
    await this.#trim(file);
    const offset = this.#size;
    this.#hasPartialWrite = true;
    try {
      await writeAll(file, data, offset);
      await file.datasync();
    } catch (error) {
      await this.#trim(file).catch(() => {}); // tried again before the next commit
      throw error;
    }
    this.#hasPartialWrite = false;
    this.#size += data.length;
    this.#queued -= data.length;
    return offset;
  }

  async #trim(file: FileHandle): Promise<void> {
    if (!this.#hasPartialWrite) return;
    await file.truncate(this.#size);
    this.#hasPartialWrite = false;
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    const file = await open(this.path, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    try {
      await file.chmod(FILE_MODE);
      const { size } = await file.stat();
      const complete = size > 0 && this.#completeLength ? await this.#completeLength(this.path) : size;
      if (complete < size) await file.truncate(complete);
      if (complete < size) await file.sync();
      if (size === 0) await syncFolder(dirname(this.path));
      this.#size = complete;
      this.#file = file;
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

/** The append logs of one store. Few are open at a time, because an import may touch a hundred months. */
export class AppendLogs {
  readonly #completeLength: CompleteLength | undefined;
  readonly #open = new Map<string, AppendLog>();

  constructor(completeLength?: CompleteLength) {
    this.#completeLength = completeLength;
  }

  async append(path: string, data: Uint8Array): Promise<number> {
    const file = this.#open.get(path) ?? new AppendLog(path, this.#completeLength);
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

async function writeAll(file: FileHandle, data: Buffer, offset: number): Promise<void> {
  let written = 0;
  while (written < data.length) {
    const { bytesWritten } = await file.write(data, written, data.length - written, offset + written);
    written += bytesWritten;
  }
}
