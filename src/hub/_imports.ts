/** Imports of past sessions that the page starts: one at a time, with progress reports, and cancellable. */
import { TidemarkError } from '../core/index.ts';
import type { ArgsOf, DaemonCall } from '../daemon/index.ts';
import type { ImportProgress } from '../exchange/import/index.ts';
import type { ImportRequest, ImportState } from '../http/index.ts';

/** Often enough for a smooth progress bar; an import may read thousands of sessions a second. */
const REPORT_EVERY_MS = 200;

export interface ImportsOptions {
  readonly call: DaemonCall;
  readonly report: (state: ImportState) => void;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

export class Imports {
  readonly #options: ImportsOptions;
  #state: ImportState = { state: 'idle' };
  #cancel: AbortController | undefined;
  #reportedAt = 0;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  get state(): ImportState {
    return this.#state;
  }

  /** Starts an import in the background. Throws TidemarkError `busy` while another one runs. */
  start(request: ImportRequest & Pick<ArgsOf<'import.history'>, 'sources'>): ImportState {
    if (this.#state.state === 'running')
      throw new TidemarkError('busy', 'an import is already running', { hint: 'Wait for it, or stop it.' });
    const startedAt = this.#now();
    this.#cancel = new AbortController();
    this.#become({ state: 'running', startedAt, progress: null });
    const progress = (facts: ImportProgress): void => this.#advance(startedAt, facts);
    this.#options.call('import.history', request, progress, this.#cancel.signal).then(
      (report) => this.#become({ state: 'done', startedAt, endedAt: this.#now(), report }),
      (error: unknown) => {
        this.#options.onError(error);
        // The text of an unexpected error may name paths; it belongs in the log.
        const message = error instanceof TidemarkError ? error.message : 'something went wrong in the daemon';
        this.#become({ state: 'failed', startedAt, endedAt: this.#now(), error: message });
      },
    );
    return this.#state;
  }

  /** Stops after the current session. Imported sessions stay, and the next import continues from there. */
  cancel(): ImportState {
    this.#cancel?.abort();
    return this.#state;
  }

  #advance(startedAt: string, progress: ImportProgress): void {
    if (this.#state.state !== 'running') return;
    this.#state = { state: 'running', startedAt, progress };
    if (performance.now() - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#become(this.#state);
  }

  #become(state: ImportState): void {
    this.#state = state;
    this.#reportedAt = performance.now();
    this.#options.report(state);
  }

  #now(): string {
    return this.#options.now().toISOString();
  }
}
