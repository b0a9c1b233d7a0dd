/** Past sessions brought in from the page: one import at a time, told as it goes, called off when asked. */
import { TidemarkError } from '../core/index.ts';
import type { DaemonCall } from '../daemon/index.ts';
import type { ImportProgress, ImportReport } from '../exchange/import/index.ts';
import type { ImportRequest, ImportState } from '../http/index.ts';

/** A bar moves smoothly enough at this rate, and thousands of sessions a second would be thousands of events. */
const TELL_EVERY_MS = 200;

export interface ImportsOptions {
  readonly call: DaemonCall;
  readonly tell: (state: ImportState) => void;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

export class Imports {
  readonly #options: ImportsOptions;
  #state: ImportState = { state: 'idle' };
  #cancel: AbortController | undefined;
  #told = 0;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  get state(): ImportState {
    return this.#state;
  }

  /** Goes on by itself from here. Throws TidemarkError `busy` while another is under way. */
  start(request: ImportRequest & { readonly configDir: string }): ImportState {
    if (this.#state.state === 'running')
      throw new TidemarkError('busy', 'an import is under way', { hint: 'Wait for it, or stop it.' });
    const startedAt = this.#now();
    this.#cancel = new AbortController();
    this.#become({ state: 'running', startedAt, progress: null });
    const progress = (facts: unknown): void => this.#advance(startedAt, facts as ImportProgress);
    this.#options.call('import.history', request, progress, this.#cancel.signal).then(
      (report) =>
        this.#become({ state: 'done', startedAt, endedAt: this.#now(), report: report as ImportReport }),
      (error: unknown) => {
        this.#options.onError(error);
        // What went wrong inside may name paths; the log has it.
        const said = error instanceof TidemarkError ? error.message : 'something went wrong in the daemon';
        this.#become({ state: 'failed', startedAt, endedAt: this.#now(), error: said });
      },
    );
    return this.#state;
  }

  /** It ends after the session in hand; what was brought in stays, and the next run goes on from there. */
  cancel(): ImportState {
    this.#cancel?.abort();
    return this.#state;
  }

  #advance(startedAt: string, progress: ImportProgress): void {
    if (this.#state.state !== 'running') return;
    this.#state = { state: 'running', startedAt, progress };
    if (performance.now() - this.#told < TELL_EVERY_MS) return;
    this.#become(this.#state);
  }

  #become(state: ImportState): void {
    this.#state = state;
    this.#told = performance.now();
    this.#options.tell(state);
  }

  #now(): string {
    return this.#options.now().toISOString();
  }
}
