/** Starts the hub's server in the daemon when it is first requested. */
import type { DaemonCall } from '../api/table.ts';
import type { DaemonEvent } from '../api/watchers.ts';

/** The hub is in a folder above the daemon, so the program passes it in. */
export interface Hub {
  readonly port: number;
  /** How many pages listen to events. */
  readonly listeners: number;
  /** An address that lets one browser log in, once. */
  link(): string;
  close(): Promise<void>;
}

export interface HubOptions {
  readonly port: number;
  readonly call: DaemonCall;
  /** Returns a function that ends the subscription. */
  readonly listen: (listener: (event: DaemonEvent) => void) => () => void;
  readonly onError: (error: unknown) => void;
}

export type StartHub = (options: HubOptions) => Promise<Hub>;

export class HubServer {
  readonly #open: () => Promise<Hub>;
  #opening: Promise<Hub> | undefined;
  #hub: Hub | undefined;

  /** `onOpen` completes before `open` resolves. */
  constructor(start: StartHub, options: HubOptions, onOpen: (hub: Hub) => Promise<void>) {
    this.#open = async () => {
      const hub = await start(options);
      await onOpen(hub);
      this.#hub = hub;
      return hub;
    };
  }

  open(): Promise<Hub> {
    if (this.#opening) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    opening.catch(() => (this.#opening = undefined)); // the next request tries again
    return opening;
  }

  get listeners(): number {
    return this.#hub?.listeners ?? 0;
  }

  async close(): Promise<void> {
    await (await this.#opening)?.close();
  }
}
