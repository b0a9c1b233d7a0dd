/**
 * Keeps the database small in the background: prunes once an hour, and reads the figures for the metrics at most once a
 * minute. Requests never wait for it; a failure is logged and tried again with the next round.
 */
import { errorFacts, type Mount } from '../http/index.ts';
import { upkeepOf, type TeamStore, type Upkeep } from '../store/index.ts';
import { daysBefore, pruneAll } from './pruning.ts';

interface UpkeepOptions {
  readonly keptDays: number;
  /** Shorter in tests. */
  readonly everyMs?: number;
}

const HOUR_MS = 60 * 60_000;
/** The first round does not compete with the start of the server. */
const FIRST_MS = 60_000;
/** A scrape every few seconds must not cost the database anything. */
const FIGURES_MS = 60_000;

export function keepUp({ keptDays, everyMs = HOUR_MS }: UpkeepOptions): Mount {
  return ({ store, metrics, log, leaving, now }) => {
    const pruned = metrics.counter(
      'tidemark_pruned_rows_total',
      'Rows deleted because their period is over.',
    );
    const figures = new Figures(store, keptDays, now);
    figures.showIn(metrics);
    let running: Promise<void> | undefined;
    const round = async (): Promise<void> => {
      try {
        const report = await pruneAll(store, { keptDays, now: now(), signal: leaving });
        for (const [kind, rows] of Object.entries(report)) pruned.add(rows, { kind });
        if (Object.keys(report).length > 0) log('info', 'pruned', report);
      } catch (error) {
        log('error', 'not pruned', errorFacts(error));
      }
    };
    const begin = (): void => void (running ??= round().finally(() => (running = undefined)));
    const first = setTimeout(begin, Math.min(FIRST_MS, everyMs));
    const timer = setInterval(begin, everyMs);
    first.unref();
    timer.unref();
    return async () => {
      clearTimeout(first);
      clearInterval(timer);
      await running;
      await figures.idle();
    };
  };
}

/** The figures of the database as of the last minute. A scrape gets the last ones and lets newer ones be read. */
class Figures {
  readonly #store: TeamStore;
  readonly #keptDays: number;
  readonly #now: () => Date;
  #last: { readonly upkeep: Upkeep; readonly bytes: number } | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(store: TeamStore, keptDays: number, now: () => Date) {
    this.#store = store;
    this.#keptDays = keptDays;
    this.#now = now;
  }

  showIn(metrics: Parameters<Mount>[0]['metrics']): void {
    metrics.refresh(() => this.#fresh());
    metrics.gauge(
      'tidemark_database_bytes',
      'Size of the tables with their indexes.',
      () => this.#last?.bytes,
    );
    metrics.gauge(
      'tidemark_unembedded_texts',
      'Texts without a vector, counted up to 10,001.',
      () => this.#last?.upkeep.unembedded,
    );
    metrics.gauge('tidemark_prunable_rows', 'Rows whose period is over, counted up to 10,001.', () =>
      Object.entries(this.#last?.upkeep.prunable ?? {}).map(([table, value]) => ({
        labels: { table },
        value,
      })),
    );
  }

  async idle(): Promise<void> {
    await this.#reading;
  }

  /** Waits only for the very first figures. */
  async #fresh(): Promise<void> {
    const now = this.#now().getTime();
    if (now - this.#readAt < FIGURES_MS) return;
    this.#readAt = now;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    if (!this.#last) await this.#reading;
  }

  /** Keeps the old figures while the database does not answer; `/readyz` reports that. */
  async #read(): Promise<void> {
    try {
      const upkeep = await upkeepOf(this.#store, daysBefore(this.#now(), this.#keptDays));
      const row = await this.#store.outside((work) => work.row(BYTES));
      this.#last = { upkeep, bytes: Number(row?.['bytes']) };
    } catch {
      this.#last = undefined;
    }
  }
}

const BYTES = `SELECT sum(pg_total_relation_size(oid))::text AS bytes FROM pg_class
  WHERE relnamespace = 'tidemark'::regnamespace AND relkind = 'r'`;
