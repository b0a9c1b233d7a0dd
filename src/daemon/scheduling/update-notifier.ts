/** Looks now and then for what a person should be told: what is missing, and a newer version. Never while anybody waits. */
import { loadConfig } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import type { DistillHealth } from '../../distill/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import type { EmbedClient } from '../workers/embed-client.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { missing } from './missing.ts';
import type { Notices } from './notices.ts';
import { isDue, knownUpdate, look, updateText, type Update } from './update-check.ts';

/** Whoever puts a key in place hears of it soon enough. */
const MISSING_EVERY_MS = 10 * 60_000;
/** A daemon that has just started has better things to do; one that lives this long is in use. */
const UPDATE_AFTER_MS = 5 * 60_000;

export interface UpdateNotifierOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly notices: Notices;
  readonly workers: Pick<WorkerPool, 'write'>;
  readonly embedder: Pick<EmbedClient, 'health'>;
}

export class UpdateNotifier {
  readonly #options: UpdateNotifierOptions;
  readonly #startedAt = Date.now();
  #lookedAt = 0;

  constructor(options: UpdateNotifierOptions) {
    this.#options = options;
    this.#tellUpdate(knownUpdate(options.places));
  }

  async look(): Promise<void> {
    const { places, env, log } = this.#options;
    const now = Date.now();
    try {
      if (now - this.#lookedAt >= MISSING_EVERY_MS) {
        this.#lookedAt = now;
        await this.#lookForMissing();
      }
      const { values } = loadConfig({ places, env });
      if (now - this.#startedAt >= UPDATE_AFTER_MS && isDue(places, values['updates.check'], now, __dirname))
        await this.lookForUpdate();
    } catch (error) {
      log.warn('lookout failed', factsOf(error));
    }
  }

  async lookForUpdate(): Promise<Update | null> {
    const { places, env } = this.#options;
    const found = await look(places, env);
    this.#tellUpdate(found);
    return found ?? null;
  }

  async #lookForMissing(): Promise<void> {
    const { places, env, notices, workers, embedder } = this.#options;
    const { values } = loadConfig({ places, env });
    // Nothing is asked of a distiller nobody agreed to.
    const distilling = values['distill.consent']
      ? await workers.write<DistillHealth>('distill.health', {})
      : undefined;
    const found = missing(values, distilling, await embedder.health());
    notices.set('distiller', found.distiller);
    notices.set('embedder', found.embedder);
  }

  #tellUpdate(found: Update | undefined): void {
    this.#options.notices.set('update', found && updateText(found));
  }
}
