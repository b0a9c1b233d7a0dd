/**
 * Sends live events to every open page. Keeps the last events for pages that reconnect. Never waits: a page that reads
 * too slowly is disconnected and reconnects by itself.
 */
import { randomBytes } from 'node:crypto';
import type { Events } from './hub-app.ts';
import type { LiveEvent } from './wire.ts';

/** More than anyone has open; each costs the daemon a socket. */
const MOST_LISTENERS = 64;
/** Covers a laptop that slept for a minute; after a night the page loads everything again. */
const STORED_EVENTS = 500;
const BEAT_MS = 15_000;
/** A listener with more unread bytes counts as gone. */
const MOST_UNREAD_BYTES = 256 * 1024;
const RETRY_MS = 2000;

const encoder = new TextEncoder();

interface Listener {
  readonly controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** Checked with every heartbeat: false once the visit is over. */
  readonly mayListen: () => boolean;
}

export class Feed {
  /** Part of every event id: ids from before a restart are not valid any more. */
  readonly #instance = randomBytes(6).toString('hex');
  readonly #listeners = new Set<Listener>();
  #stored: { readonly number: number; readonly text: string }[] = [];
  #last = 0;
  #beat: NodeJS.Timeout | undefined;

  get listeners(): number {
    return this.#listeners.size;
  }

  publish(event: LiveEvent): void {
    const number = ++this.#last;
    const text = this.#text(event, number);
    this.#stored = [...this.#stored.slice(1 - STORED_EVENTS), { number, text }];
    for (const listener of this.#listeners) this.#send(listener, text);
  }

  /** Returns the stream for one page, from the event after `lastEventId`; undefined when there are too many listeners. */
  open(lastEventId: string | undefined, mayListen: () => boolean): Events | undefined {
    if (this.#listeners.size >= MOST_LISTENERS) return undefined;
    let listener: Listener | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          listener = { controller, mayListen };
          this.#listeners.add(listener);
          const missed = this.#missed(lastEventId);
          // A page that is cut off before it got all missed events must not count as having received them.
          const seen = missed.length === 0 ? this.#last : undefined;
          this.#send(listener, `retry: ${RETRY_MS}\n${this.#text({ kind: 'hello' }, seen)}`);
          for (const text of missed) this.#send(listener, text);
          this.#beat ??= setInterval(() => this.#sendBeat(), BEAT_MS).unref();
        },
        cancel: () => this.#remove(listener),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_UNREAD_BYTES }),
    );
  }

  /** Ends the streams of listeners whose visit is over. */
  dismiss(): void {
    for (const listener of this.#listeners) if (!listener.mayListen()) this.#end(listener);
  }

  close(): void {
    for (const listener of this.#listeners) this.#end(listener);
  }

  #missed(lastEventId: string | undefined): readonly string[] {
    if (lastEventId === undefined) return [];
    const [instance, number] = lastEventId.split('-');
    const seen = Number(number);
    const oldest = this.#stored[0]?.number ?? this.#last + 1;
    if (instance !== this.#instance || !Number.isSafeInteger(seen) || seen < oldest - 1 || seen > this.#last)
      return [this.#text({ kind: 'reset' }, this.#last)];
    return this.#stored.filter((event) => event.number > seen).map(({ text }) => text);
  }

  #text(event: LiveEvent, number: number | undefined): string {
    const id = number === undefined ? '' : `id: ${this.#instance}-${number}\n`;
    return `${id}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
  }

  #sendBeat(): void {
    this.dismiss();
    for (const listener of this.#listeners) this.#send(listener, ': beat\n\n');
  }

  #send(listener: Listener, text: string): void {
    const { controller } = listener;
    if ((controller.desiredSize ?? 0) <= 0) {
      this.#remove(listener);
      return controller.error(new Error('reads too slowly'));
    }
    controller.enqueue(encoder.encode(text));
  }

  #end(listener: Listener): void {
    this.#remove(listener);
    listener.controller.close();
  }

  #remove(listener: Listener | undefined): void {
    if (listener) this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#beat);
    this.#beat = undefined;
  }
}
