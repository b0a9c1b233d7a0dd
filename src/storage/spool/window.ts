/**
 * The part of the spool in memory. Reads ahead up to a limit, delivers in order within each session, and keeps each
 * position until everything before it is done.
 */
import type { SpooledEvent } from '../../core/index.ts';
import { readLines } from '../../files/index.ts';
import { positionKey, type Cursor, type Position } from './cursor.ts';
import { decodeLine } from './line.ts';
import type { Segments } from './segments.ts';

/** Large enough that one slow session does not delay the others. */
const ENTRIES = 1024;
const BYTES = 16 * 1024 * 1024;

interface Entry {
  readonly position: Position;
  readonly bytes: number;
  /** Undefined once done: only the position is still needed. */
  event: SpooledEvent | undefined;
  isDelivered: boolean;
}

export type OnDamage = (position: Position, bytes: Buffer | undefined, reason: string) => Promise<void>;

export class SpoolWindow {
  readonly #segments: Segments;
  readonly #onDamage: OnDamage;
  readonly #doneBefore: ReadonlySet<string>;
  #entries: Entry[] = [];
  #bytes = 0;
  #head: Position;
  #filling: Promise<void> | undefined;

  constructor(segments: Segments, cursor: Cursor, onDamage: OnDamage) {
    this.#segments = segments;
    this.#onDamage = onDamage;
    this.#doneBefore = new Set(cursor.done.map(positionKey));
    this.#head = { segment: cursor.segment, offset: cursor.offset };
  }

  /** The oldest pending event that was read. */
  get oldest(): SpooledEvent | undefined {
    return this.#entries[0]?.event;
  }

  /** Everything before `segment` and `offset` is done, and so is each of `done`. */
  get mark(): Omit<Cursor, 'tries'> {
    const { segment, offset } = this.#entries[0]?.position ?? this.#head;
    return {
      segment,
      offset,
      done: this.#entries.filter(({ event }) => !event).map(({ position }) => position),
    };
  }

  /** Reads durable events into the window, but only once half of it is free. */
  async fill(): Promise<void> {
    if (this.#entries.length > ENTRIES / 2 || this.#bytes > BYTES / 2) return;
    this.#filling ??= this.#fill().finally(() => (this.#filling = undefined));
    await this.#filling;
  }

  /** Returns the first event whose session has no event in progress. */
  take(): { readonly event: SpooledEvent; readonly position: Position } | undefined {
    const busy = new Set<string>();
    for (const entry of this.#entries) {
      const { event, position } = entry;
      if (!event || busy.has(event.input.session_id)) continue;
      if (!entry.isDelivered) {
        entry.isDelivered = true;
        return { event, position };
      }
      busy.add(event.input.session_id);
    }
    return undefined;
  }

  /** Marks an event as done and returns it; undefined when it was done before. */
  settle(position: Position): SpooledEvent | undefined {
    const entry = this.#find(position);
    const event = entry?.event;
    if (!entry || !event) return undefined;
    entry.event = undefined;
    this.#bytes -= entry.bytes;
    this.#dropDone();
    return event;
  }

  giveBack(position: Position): SpooledEvent | undefined {
    const entry = this.#find(position);
    if (!entry?.event || !entry.isDelivered) return undefined;
    entry.isDelivered = false;
    return entry.event;
  }

  /** Reports whether later events of its session have been read. */
  isFollowed(position: Position): boolean {
    const entry = this.#find(position);
    const session = entry?.event?.input.session_id;
    if (!entry || session === undefined) return false;
    return this.#entries
      .slice(this.#entries.indexOf(entry) + 1)
      .some(({ event }) => event?.input.session_id === session);
  }

  async #fill(): Promise<void> {
    while (!this.#isFull()) {
      const { segment, offset } = this.#head;
      // The size of a segment is unknown until it is closed: stopping here would leave accepted events waiting.
      await this.#segments.settled(segment);
      const finished = this.#segments.isFinished(segment); // read before `end`, so that an append in between is not missed
      const end = this.#segments.end(segment);
      if (offset < end) await this.#readOn(segment, offset, end);
      else if (finished) this.#head = { segment: segment + 1, offset: 0 };
      else return;
    }
  }

  async #readOn(segment: number, start: number, end: number): Promise<void> {
    for await (const read of readLines(this.#segments.path(segment), { start, end })) {
      const { bytes } = read;
      const length = read.end - read.start;
      const position = { segment, offset: read.start };
      const line = bytes ? decodeLine(bytes) : ({ ok: false, reason: 'the line is too long' } as const);
      const isDone = this.#doneBefore.has(positionKey(position));
      if (!line.ok) await this.#onDamage(position, bytes, line.reason);
      const event = line.ok && !isDone ? line.event : undefined;
      this.#entries.push({ position, bytes: length, event, isDelivered: false });
      if (event) this.#bytes += length;
      this.#head = { segment, offset: read.end };
      this.#dropDone();
      if (this.#isFull()) return;
    }
    // The file became shorter, which only another program can cause: there is nothing to wait for.
    if (!this.#isFull()) this.#head = { segment, offset: end };
  }

  #isFull(): boolean {
    return this.#entries.length >= ENTRIES || this.#bytes >= BYTES;
  }

  #find(position: Position): Entry | undefined {
    const key = positionKey(position);
    return this.#entries.find((entry) => positionKey(entry.position) === key);
  }

  #dropDone(): void {
    const pending = this.#entries.findIndex(({ event }) => event);
    this.#entries = pending < 0 ? [] : pending === 0 ? this.#entries : this.#entries.slice(pending);
  }
}
