/** Checks now and then what the user should know: what is missing, and a newer version. Never while a caller waits. */
import { loadConfig, type Config } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import type { DistillHealth } from '../../distill/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import type { EmbedClient, EmbedHealth } from '../workers/embed-client.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { Notices } from './notices.ts';
import { checkForUpdate, isDue, knownUpdate, updateText, type Update } from './update-check.ts';

/** A notice about a missing key goes away this soon after the key is set. */
const MISSING_EVERY_MS = 10 * 60_000;
/** Not right after the start, when the daemon has other work. */
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
  #checkedAt = 0;

  constructor(options: UpdateNotifierOptions) {
    this.#options = options;
    this.#notifyOfUpdate(knownUpdate(options.places));
  }

  async check(): Promise<void> {
    const { places, env, log } = this.#options;
    const now = Date.now();
    try {
      if (now - this.#checkedAt >= MISSING_EVERY_MS) {
        this.#checkedAt = now;
        await this.#checkMissing();
      }
      const { values } = loadConfig({ places, env });
      if (now - this.#startedAt >= UPDATE_AFTER_MS && isDue(places, values['updates.check'], now, __dirname))
        await this.checkUpdate();
    } catch (error) {
      log.warn('update check failed', factsOf(error));
    }
  }

  async checkUpdate(): Promise<Update | null> {
    const { places, env } = this.#options;
    const found = await checkForUpdate(places, env);
    this.#notifyOfUpdate(found);
    return found ?? null;
  }

  async #checkMissing(): Promise<void> {
    const { places, env, notices, workers, embedder } = this.#options;
    const { values } = loadConfig({ places, env });
    // Without consent the distiller is not used at all.
    const distilling = values['distill.consent'] ? await workers.write('distill.health', {}) : undefined;
    const found = missing(values, distilling, await embedder.health());
    notices.set('distiller', found.distiller);
    notices.set('embedder', found.embedder);
  }

  #notifyOfUpdate(found: Update | undefined): void {
    this.#options.notices.set('update', found && updateText(found));
  }
}

type Distilling = Pick<DistillHealth, 'driver' | 'evidence' | 'next' | 'passed'>;
type Embedding = Pick<EmbedHealth, 'embedder' | 'why' | 'next' | 'trouble'>;

/** Returns what is missing for the distiller and the embedder that the user chose: a key, a model, a login. */
export function missing(
  config: Config,
  distilling: Distilling | undefined,
  embedder: Embedding,
): Readonly<Record<'distiller' | 'embedder', string | undefined>> {
  return { distiller: forDistiller(config, distilling), embedder: forEmbedder(config, embedder) };
}

function forDistiller(config: Config, health: Distilling | undefined): string | undefined {
  if (!config['distill.consent'] || config['distill.driver'] === 'local' || !health) return undefined;
  if (health.driver === 'local')
    return `Tidemark: no language model is available, so memories are made without one: ${health.evidence}.${then(health.next)}`;
  if (health.passed['refused'])
    return 'Tidemark: the model refused the request. Log in with the agent that the driver uses, or set distill.driver to api and give it a key. See: tidemark doctor';
  return undefined;
}

function forEmbedder(config: Config, { embedder, why, next, trouble }: Embedding): string | undefined {
  if (config['embed.driver'] !== 'openai') return undefined;
  const reason = embedder === null ? why : trouble;
  return reason && `Tidemark: search works by words alone: ${reason}.${then(next)}`;
}

function then(next: string | undefined): string {
  return next ? ` Next: ${next}` : '';
}
