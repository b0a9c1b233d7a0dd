/** Checks now and then what the user should know: what is missing, and a newer version. Never while a caller waits. */
import { loadConfig, type Config } from '../../config/index.ts';
import type { Places } from '../../core/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import type { EmbedClient, EmbedHealth } from '../workers/embed-client.ts';
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
    const { places, env, notices, embedder } = this.#options;
    const { values } = loadConfig({ places, env });
    notices.set('embedder', missingEmbedder(values, await embedder.health()));
  }

  #notifyOfUpdate(found: Update | undefined): void {
    this.#options.notices.set('update', found && updateText(found));
  }
}

type Embedding = Pick<EmbedHealth, 'embedder' | 'why' | 'next' | 'trouble'>;

/** Returns what is missing for the embedder that the user chose: a key or a model. */
export function missingEmbedder(
  config: Config,
  { embedder, why, next, trouble }: Embedding,
): string | undefined {
  if (config['embed.driver'] !== 'openai') return undefined;
  const reason = embedder === null ? why : trouble;
  return reason && `Tidemark: search works by words alone: ${reason}.${then(next)}`;
}

function then(next: string | undefined): string {
  return next ? ` Next: ${next}` : '';
}
