/** The hub's place in the daemon: its port is opened when somebody asks for it, not before, and once. Serves nothing itself. */
import type { Happening } from '../api/watchers.ts';

/** The hub is an edge above the daemon: whoever starts the daemon hands it in. */
export interface Hub {
  readonly port: number;
  /** How many pages follow what happens. */
  readonly listeners: number;
  /** An address that lets one browser in, once. */
  link(): string;
  close(): Promise<void>;
}

/** `progress` hears of long work before it is done; `signal` calls it off. */
export type DaemonCall = (
  method: string,
  args: unknown,
  progress?: (facts: unknown) => void,
  signal?: AbortSignal,
) => Promise<unknown>;

export interface HubOptions {
  readonly port: number;
  readonly call: DaemonCall;
  /** Hears of what happens until it is called off. */
  readonly listen: (listener: (happening: Happening) => void) => () => void;
  readonly onError: (error: unknown) => void;
}

export type StartHub = (options: HubOptions) => Promise<Hub>;

export class HubServer {
  readonly #open: () => Promise<Hub>;
  #opening: Promise<Hub> | undefined;
  #hub: Hub | undefined;

  /** `onOpen` is waited for before anybody gets the hub. */
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
    opening.catch(() => (this.#opening = undefined)); // the next one who asks tries again
    return opening;
  }

  get listeners(): number {
    return this.#hub?.listeners ?? 0;
  }

  async close(): Promise<void> {
    await (await this.#opening)?.close();
  }
}
