/**
 * The one driver that is asked now. It stays as long as the settings say the same; one that failed is left alone for a
 * while, and with `auto` the next one takes its place. Its processes are ended with it.
 */
import type { Config } from '../../config/index.ts';
import { chooseDriver, type Choice, type Surroundings } from './choose.ts';
import type { Driver, DriverName } from './driver.ts';

/** A driver that failed four times in a row is left alone for this long. */
const REST_MS = 5 * 60_000;

export class DriverPool {
  readonly #around: Surroundings;
  readonly #signal: AbortSignal;
  readonly #resting = new Map<DriverName, number>();
  #taken: { readonly key: string; readonly choice: Choice } | undefined;

  constructor(around: Surroundings, signal: AbortSignal) {
    this.#around = around;
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
    const taken = this.#taken;
    if (taken?.key === key && taken.choice.kind === 'model' && rested(taken.choice.driver.name))
      return taken.choice;
    await this.leave();
    const choice = await chooseDriver(config, this.#around, this.#signal, rested);
    this.#taken = { key, choice };
    return choice;
  }

  /** Leaves the driver alone, for as long as it asked for or for a while. */
  async rest(driver: Driver, ms = REST_MS): Promise<void> {
    this.#resting.set(driver.name, Date.now() + ms);
    await this.leave();
  }

  async leave(): Promise<void> {
    const taken = this.#taken;
    this.#taken = undefined;
    if (taken?.choice.kind === 'model') await taken.choice.driver.close();
  }
}
