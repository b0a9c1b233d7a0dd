/**
 * Keeps the driver in use until the settings change. A driver that failed is not used for a while, and with `auto` the
 * next one replaces it. Closing a driver ends its processes.
 */
import type { Config } from '../../config/index.ts';
import { chooseDriver, type Choice, type DriverContext } from './choose.ts';
import type { Driver, DriverName } from './driver.ts';

/** How long a driver is not used after four failures in a row. */
const REST_MS = 5 * 60_000;

export class DriverPool {
  readonly #context: DriverContext;
  readonly #signal: AbortSignal;
  readonly #resting = new Map<DriverName, number>();
  #current: { readonly key: string; readonly choice: Choice } | undefined;

  constructor(context: DriverContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  async driver(config: Config): Promise<Driver | undefined> {
    const choice = await this.choose(config);
    return choice.kind === 'model' ? choice.driver : undefined;
  }

  async choose(config: Config): Promise<Choice> {
    const now = Date.now();
    const rested = (name: DriverName): boolean => (this.#resting.get(name) ?? 0) <= now;
    const key = JSON.stringify(Object.entries(config).filter(([name]) => name.startsWith('distill.')));
    const current = this.#current;
    if (current?.key === key && current.choice.kind === 'model' && rested(current.choice.driver.name))
      return current.choice;
    await this.close();
    const choice = await chooseDriver(config, this.#context, this.#signal, rested);
    this.#current = { key, choice };
    return choice;
  }

  /** Does not use the driver for a while, or for as long as it asked. */
  async rest(driver: Driver, ms = REST_MS): Promise<void> {
    this.#resting.set(driver.name, Date.now() + ms);
    await this.close();
  }

  /** Uses drivers again that failed recently. */
  forgetFailures(): void {
    this.#resting.clear();
  }

  async close(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    if (current?.choice.kind === 'model') await current.choice.driver.close();
  }
}
