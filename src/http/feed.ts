/**
 * What happens, told to every open page as it happens. Keeps the last events for those who come back, waits for nobody:
 * who reads too slowly is let go and comes back by itself.
 */
import { randomBytes } from 'node:crypto';
import type { Events } from './hub-app.ts';
import type { LiveEvent } from './wire.ts';

/** More than anyone has open; each costs a socket of the daemon's. */
const MOST_LISTENERS = 64;
/** A laptop that slept for a minute finds all it missed; after a night it asks anew. */
const KEPT_EVENTS = 500;
const BEAT_MS = 15_000;
/** What may wait for one listener before it counts as gone. */
const MOST_WAITING_BYTES = 256 * 1024;
const RETRY_MS = 2000;

const encoder = new TextEncoder();

interface Listener {
  readonly controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** Asked with every beat: false once the visit is over. */
  readonly mayListen: () => boolean;
}

export class Feed {
  /** Numbers of another daemon's life mean nothing here. */
  readonly #life = randomBytes(6).toString('hex');
  readonly #listeners = new Set<Listener>();
  #kept: { readonly number: number; readonly text: string }[] = [];
  #last = 0;
  #beat: NodeJS.Timeout | undefined;

  get listeners(): number {
    return this.#listeners.size;
  }

  publish(event: LiveEvent): void {
    const number = ++this.#last;
    const text = this.#text(event, number);
    this.#kept = [...this.#kept.slice(1 - KEPT_EVENTS), { number, text }];
    for (const listener of this.#listeners) this.#send(listener, text);
  }

  /** The stream of a page that begins to listen, after the event it has seen last; undefined when too many do. */
  open(lastEventId: string | undefined, mayListen: () => boolean): Events | undefined {
    if (this.#listeners.size >= MOST_LISTENERS) return undefined;
    let listener: Listener | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          listener = { controller, mayListen };
          this.#listeners.add(listener);
          const missed = this.#missed(lastEventId);
          // Who is cut off before all that was missed is there must not count as having heard it.
          const seen = missed.length === 0 ? this.#last : undefined;
          this.#send(listener, `retry: ${RETRY_MS}\n${this.#text({ kind: 'hello' }, seen)}`);
          for (const text of missed) this.#send(listener, text);
          this.#beat ??= setInterval(() => this.#sendBeat(), BEAT_MS).unref();
        },
        cancel: () => this.#forget(listener),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
    );
  }

  /** Ends the streams of those who may no longer listen. */
  dismiss(): void {
    for (const listener of this.#listeners) if (!listener.mayListen()) this.#end(listener);
  }

  close(): void {
    for (const listener of this.#listeners) this.#end(listener);
  }

  #missed(lastEventId: string | undefined): readonly string[] {
    if (lastEventId === undefined) return [];
    const [life, number] = lastEventId.split('-');
    const seen = Number(number);
    const oldest = this.#kept[0]?.number ?? this.#last + 1;
    if (life !== this.#life || !Number.isSafeInteger(seen) || seen < oldest - 1 || seen > this.#last)
      return [this.#text({ kind: 'reset' }, this.#last)];
    return this.#kept.filter((event) => event.number > seen).map(({ text }) => text);
  }

  #text(event: LiveEvent, number: number | undefined): string {
    const id = number === undefined ? '' : `id: ${this.#life}-${number}\n`;
    return `${id}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
  }

  #sendBeat(): void {
    this.dismiss();
    for (const listener of this.#listeners) this.#send(listener, ': beat\n\n');
  }

  #send(listener: Listener, text: string): void {
    const { controller } = listener;
    if ((controller.desiredSize ?? 0) <= 0) {
      this.#forget(listener);
      return controller.error(new Error('reads too slowly'));
    }
    controller.enqueue(encoder.encode(text));
  }

  #end(listener: Listener): void {
    this.#forget(listener);
    listener.controller.close();
  }

  #forget(listener: Listener | undefined): void {
    if (listener) this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#beat);
    this.#beat = undefined;
  }
}
