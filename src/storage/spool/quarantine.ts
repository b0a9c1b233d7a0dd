/** Events that could not be processed, or not even read: set aside with the reason, for `doctor` to show. */
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpooledEvent } from '../../core/index.ts';
import { readText, makeFolder, removeFile, syncFolder, writeAtomically } from '../../files/index.ts';
import { readEvent } from './line.ts';

export interface QuarantinedEvent {
  readonly id: string;
  readonly at: string;
  readonly reason: string;
  readonly event?: SpooledEvent;
  /** What could not be read as an event, as text or as a file beside this one. */
  readonly raw?: string;
  readonly file?: string;
}

/** An event of at most 16 MB in JSON, or a line of the spool of at most 64 MB, with its reason. */
const ENTRY_BYTES = 128 * 1024 * 1024;
const SUFFIX = '.json';
const UNSAFE = /[^A-Za-z0-9._-]/g;
const LONGEST_NAME = 120;

export class Quarantine {
  readonly #folder: string;
  readonly #names: Set<string>;

  private constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.#names = new Set(names);
  }

  static async open(folder: string): Promise<Quarantine> {
    await makeFolder(folder);
    return new Quarantine(folder, (await readdir(folder)).filter(isEntry));
  }

  get count(): number {
    return this.#names.size;
  }

  /** Setting the same thing aside twice keeps one of it. */
  async put(entry: Omit<QuarantinedEvent, 'at'>): Promise<void> {
    const name = nameOf(entry.id);
    await writeAtomically(
      join(this.#folder, name),
      `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`,
    );
    this.#names.add(name);
  }

  /** Moves a file here as it is; it may be too large or too broken to read. */
  async putFile(path: string, id: string, reason: string): Promise<void> {
    const file = `${nameOf(id)}.unread`;
    await this.put({ id, reason, file });
    await rename(path, join(this.#folder, file));
    await syncFolder(this.#folder);
  }

  async list(): Promise<QuarantinedEvent[]> {
    const names = (await readdir(this.#folder)).filter(isEntry).toSorted();
    return Promise.all(names.map((name) => readEntry(join(this.#folder, name), name)));
  }

  /** The event that was set aside, if it can be delivered again. */
  async event(id: string): Promise<SpooledEvent | undefined> {
    const name = nameOf(id);
    return this.#names.has(name) ? (await readEntry(join(this.#folder, name), name)).event : undefined;
  }

  async remove(id: string): Promise<void> {
    const name = nameOf(id);
    await removeFile(join(this.#folder, `${name}.unread`));
    await removeFile(join(this.#folder, name));
    this.#names.delete(name);
  }
}

async function readEntry(path: string, name: string): Promise<QuarantinedEvent> {
  const id = name.slice(0, -SUFFIX.length);
  try {
    const entry = JSON.parse(await readText(path, ENTRY_BYTES)) as QuarantinedEvent;
    const event = entry.event ? readEvent(JSON.stringify(entry.event)) : undefined;
    const { event: _, ...rest } = entry;
    return { ...rest, id, ...(event?.ok ? { event: event.event } : {}) };
  } catch {
    return { id, at: '', reason: 'its reason cannot be read any more' };
  }
}

function nameOf(id: string): string {
  return `${id.replace(UNSAFE, '_').replace(/^\.+/, '_').slice(0, LONGEST_NAME)}${SUFFIX}`;
}

function isEntry(name: string): boolean {
  return name.endsWith(SUFFIX) && !name.startsWith('.');
}
