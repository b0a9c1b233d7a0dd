/** Events that could not be processed or not even read: set aside with the reason, for `doctor` to show. */
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpooledEvent } from '../../core/index.ts';
import {
  makeFolder,
  readText,
  removeFile,
  STATE_BYTES,
  syncFolder,
  writeAtomically,
} from '../../files/index.ts';
import { readEvent } from './line.ts';

export interface QuarantinedEvent {
  readonly id: string;
  readonly at: string;
  readonly reason: string;
  readonly event?: SpooledEvent;
  /** The text that could not be read as an event. */
  readonly raw?: string;
  /** The file next to this one that could not be read as an event. */
  readonly file?: string;
}

interface Note {
  readonly id: string;
  readonly deaths: number;
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

  /** An event that is set aside twice is stored once. */
  async put(entry: Omit<QuarantinedEvent, 'at'>): Promise<void> {
    const name = nameOf(entry.id);
    await writeAtomically(
      join(this.#folder, name),
      `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`,
    );
    this.#names.add(name);
  }

  /** Moves a file here unchanged; it may be too large or too damaged to read. */
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

  /** Returns the event that was set aside, if it can be delivered again. */
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

/**
 * Records which event is being processed alone because the daemon died while it was being processed before. Written
 * first: a note that exists at the next start names the event that ended the daemon.
 */
export class Suspect {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns how often the daemon died while it processed this event alone. */
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
      return undefined; // missing or incomplete: counts as the first time
    }
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
    return { id, at: '', reason: 'the recorded reason cannot be read' };
  }
}

function nameOf(id: string): string {
  return `${id.replace(UNSAFE, '_').replace(/^\.+/, '_').slice(0, LONGEST_NAME)}${SUFFIX}`;
}

function isEntry(name: string): boolean {
  return name.endsWith(SUFFIX) && !name.startsWith('.');
}
