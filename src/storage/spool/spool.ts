/**
 * Stores events that are accepted but not yet processed. Delivers every acknowledged event until it is done, across
 * crashes: at least once, in order within a session. Never processes an event itself.
 */
import { join } from 'node:path';
import { TidemarkError, type Places, type SpooledEvent } from '../../core/index.ts';
import {
  Mutex,
  readLines,
  fileError,
  makeFolder,
  removeTemporaries,
  type ReportProblem,
} from '../../files/index.ts';
import { CursorFile, positionKey, type Cursor, type Position } from './cursor.ts';
import { drainInbox } from './inbox.ts';
import { EVENT_ID, encodeLine, idOfLine } from './line.ts';
import { Quarantine, type QuarantinedEvent } from './quarantine.ts';
import { RecentIds } from './recent-ids.ts';
import { Segments } from './segments.ts';
import { SpoolWindow } from './window.ts';

/** Large enough that new files are rare, small enough that a finished file is deleted soon. */
const SEGMENT_BYTES = 8 * 1024 * 1024;
const CURSOR = 'cursor.jsonl';

export interface SpoolOptions {
  readonly report?: ReportProblem;
  readonly segmentBytes?: number;
}

export interface Delivery {
  readonly event: SpooledEvent;
  readonly position: Position;
  /** How often its processing was started before, also by a daemon that died. */
  readonly tries: number;
}

export interface SpoolStatus {
  readonly depth: number;
  /** Time of the oldest pending event. */
  readonly oldest: string | undefined;
  readonly setAside: number;
}

interface Opened {
  readonly inbox: string;
  readonly cursorFile: CursorFile;
  readonly segments: Segments;
  readonly recent: RecentIds;
  readonly quarantine: Quarantine;
  readonly cursor: Cursor;
  readonly depth: number;
  readonly report: ReportProblem;
}

export class Spool {
  readonly #opened: Opened;
  readonly #window: SpoolWindow;
  readonly #tries: Map<string, number>;
  readonly #accepting = new Map<string, Promise<unknown>>();
  #depth: number;
  /** Time of the first event accepted since the window had read everything. */
  #firstUnread: string | undefined;
  readonly #drains = new Mutex();
  #saving: Promise<void> = Promise.resolve();
  #nextSave: Promise<void> | undefined;

  private constructor(opened: Opened) {
    this.#opened = opened;
    this.#depth = opened.depth;
    this.#tries = new Map(Object.entries(opened.cursor.tries));
    this.#window = new SpoolWindow(opened.segments, opened.cursor, async (position, bytes, reason) => {
      this.#depth--;
      const id = `spool-${position.segment}-${position.offset}`;
      await opened.quarantine.put({ id, reason, raw: bytes?.toString('utf8') ?? '' });
      opened.report({ file: opened.segments.path(position.segment), offset: position.offset, reason });
    });
  }

  /** Only for the process that holds the daemon's lock. */
  static async open(
    places: Pick<Places, 'spool' | 'inbox' | 'setAside'>,
    options: SpoolOptions = {},
  ): Promise<Spool> {
    const { spool: folder, inbox } = places;
    for (const each of [folder, inbox]) await makeFolder(each);
    await removeTemporaries(folder);
    const cursorFile = new CursorFile(join(folder, CURSOR));
    const saved = await cursorFile.read();
    const segments = await Segments.open(folder, options.segmentBytes ?? SEGMENT_BYTES, saved);
    const cursor = cursorIn(segments, saved);
    const recent = await RecentIds.open(join(folder, 'recent.json'));
    const depth = await countPending(segments, cursor, recent);
    const report = options.report ?? (() => {});
    const quarantine = await Quarantine.open(places.setAside);
    const spool = new Spool({ inbox, cursorFile, segments, recent, quarantine, cursor, depth, report });
    await spool.#window.fill();
    return spool;
  }

  /** Resolves when the event is durable. An event that was accepted before is `known` and not stored again. */
  async append(event: SpooledEvent): Promise<'accepted' | 'known'> {
    const { id } = event;
    if (!EVENT_ID.test(id)) throw new TidemarkError('bad-event', 'the event has no valid id');
    const accepting = this.#accepting.get(id);
    if (accepting) return accepting.then(() => 'known');
    if (this.#opened.recent.has(id)) return 'known';
    const accepted = this.#accept(event).finally(() => this.#accepting.delete(id));
    this.#accepting.set(id, accepted);
    await accepted;
    return 'accepted';
  }

  /** Returns the next event whose session has no event in progress, after the try is recorded. */
  async next(): Promise<Delivery | undefined> {
    this.#firstUnread = undefined;
    await this.#window.fill();
    const taken = this.#window.take();
    if (!taken) return undefined;
    const tries = this.#tries.get(taken.event.id) ?? 0;
    this.#tries.set(taken.event.id, tries + 1);
    await this.#save();
    return { ...taken, tries };
  }

  /** Marks an event as done. Resolves when this survives SIGKILL. */
  async done(position: Position): Promise<void> {
    const event = this.#window.settle(position);
    if (!event) return;
    this.#tries.delete(event.id);
    this.#depth--;
    await this.#save();
  }

  /** Reports whether later events of its session wait for this one. */
  isFollowed(position: Position): boolean {
    return this.#window.isFollowed(position);
  }

  /** Returns an event that failed through no fault of its own: it is delivered again and the try does not count. */
  async giveBack(position: Position): Promise<void> {
    const event = this.#window.giveBack(position);
    if (!event) return;
    this.#tries.set(event.id, Math.max(0, (this.#tries.get(event.id) ?? 0) - 1));
    await this.#save();
  }

  /** Stores the event and the reason in quarantine. The caller still has to mark it done. */
  async setAside(event: SpooledEvent, reason: string): Promise<void> {
    await this.#opened.quarantine.put({ id: event.id, reason, event });
  }

  quarantined(): Promise<QuarantinedEvent[]> {
    return this.#opened.quarantine.list();
  }

  /** Queues a quarantined event again. Returns false when no readable event has this id. */
  async restore(id: string): Promise<boolean> {
    const event = await this.#opened.quarantine.event(id);
    if (!event) return false;
    await this.#accept(event);
    await this.#opened.quarantine.remove(id);
    return true;
  }

  /** Deletes a quarantined event. */
  async discard(id: string): Promise<void> {
    await this.#opened.quarantine.remove(id);
  }

  /** Moves the events of the inbox into the spool and returns their number. `onAccepted` gets each new one. */
  drainInbox(onAccepted: (event: SpooledEvent) => void = () => {}): Promise<number> {
    const { inbox, quarantine } = this.#opened;
    // One run at a time: the next run finds a file that is written during this one.
    return this.#drains.run(() =>
      drainInbox(inbox, quarantine, async (event) => {
        const taken = await this.append(event);
        if (taken === 'accepted') onAccepted(event);
        return taken;
      }),
    );
  }

  /** Deletes the text of processed events when none is pending. */
  async sweep(): Promise<void> {
    if (this.#depth > 0) return;
    this.#opened.segments.seal();
    await this.#opened.segments.settled();
    await this.#window.fill();
    await this.#save();
  }

  status(): SpoolStatus {
    const oldest = this.#window.oldest?.at ?? (this.#depth > 0 ? this.#firstUnread : undefined);
    return { depth: this.#depth, oldest, setAside: this.#opened.quarantine.count };
  }

  /** Waits for running appends and accepts no more. */
  async close(): Promise<void> {
    await this.#drains.idle();
    await this.sweep();
    await this.#opened.segments.close();
    await this.#save();
    await this.#opened.cursorFile.close();
  }

  async #accept(event: SpooledEvent): Promise<void> {
    await this.#opened.segments.append(encodeLine(event));
    this.#opened.recent.add(event.id);
    this.#firstUnread ??= event.at;
    this.#depth++;
  }

  /** Calls during a write share the next write. */
  #save(): Promise<void> {
    this.#nextSave ??= this.#saving.then(() => {
      this.#nextSave = undefined;
      this.#saving = this.#saveNow();
      return this.#saving;
    });
    return this.#nextSave;
  }

  /** A failed save is reported, not thrown: the next one includes it, and at worst events are delivered again. */
  async #saveNow(): Promise<void> {
    const { cursorFile, segments, recent, report } = this.#opened;
    const mark = this.#window.mark;
    try {
      await cursorFile.write({ ...mark, tries: Object.fromEntries(this.#tries) });
      if (segments.first >= mark.segment) return;
      await recent.save();
      await segments.removeBefore(mark.segment);
    } catch (error) {
      report({ file: CURSOR, reason: fileError(error, CURSOR).message });
    }
  }
}

/** The saved cursor may be older than the segments: then the events that still exist are delivered again. */
function cursorIn(segments: Segments, saved: Cursor): Cursor {
  if (segments.first > saved.segment) return { ...saved, segment: segments.first, offset: 0 };
  return saved.offset > segments.end(saved.segment) ? { ...saved, offset: 0 } : saved;
}

/** Reads the ids of the stored events and counts the pending ones. */
async function countPending(segments: Segments, cursor: Cursor, recent: RecentIds): Promise<number> {
  const done = new Set(cursor.done.map(positionKey));
  let pending = 0;
  for (const segment of segments.numbers()) {
    for await (const { start: offset, bytes } of readLines(segments.path(segment), {
      end: segments.end(segment),
    })) {
      const id = bytes && idOfLine(bytes);
      if (id) recent.add(id);
      const isBefore = segment < cursor.segment || (segment === cursor.segment && offset < cursor.offset);
      if (!isBefore && !done.has(positionKey({ segment, offset }))) pending++;
    }
  }
  return pending;
}
