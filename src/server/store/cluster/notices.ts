/**
 * Notices of committed changes, of all servers of a database: which team and which projects, never a text. PostgreSQL
 * sends them (NOTIFY at the commit, LISTEN on one direct connection). A broken connection is opened again, and everything
 * may have changed meanwhile. Without such a connection no notice comes, and the hub and waiting machines are
 * served by polling.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { connectionTo, type Address } from '../connect.ts';

/** No projects: something that decides about access changed in the team. */
export interface Notice {
  readonly team: string;
  readonly projects: readonly string[];
}

/** Where notices come from. `process`: one server has the database for itself. `none`: only a pooler can be reached. */
export type NoticeSource =
  | { readonly kind: 'database'; readonly address: Address }
  | { readonly kind: 'process' }
  | { readonly kind: 'none' };

/** Undefined: anything may have changed, and `isLive` too. */
type Hear = (notice: Notice | undefined) => void;
type Report = (what: 'listening' | 'not listening', error?: unknown) => void;

const CHANNEL = 'tidemark';
const PROBE = 'probe';
/** A payload is limited to 8,000 bytes. A transaction that changes more projects announces its whole team. */
const MOST_PROJECTS = 50;
/** How often the way to the database and back is tried, and how long it may take. */
const PROBE_EVERY_MS = 30_000;
const PROBE_WITHIN_MS = 5000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

export class Notices {
  readonly #source: NoticeSource;
  readonly #hearers = new Set<Hear>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #isListening = false;

  constructor(source: NoticeSource) {
    this.#source = source;
  }

  get source(): NoticeSource['kind'] {
    return this.#source.kind;
  }

  /** Whether notices arrive now. */
  get isLive(): boolean {
    return this.#source.kind === 'process' || this.#isListening;
  }

  /** @returns a function that ends it */
  hear(hear: Hear): () => void {
    this.#hearers.add(hear);
    return () => void this.#hearers.delete(hear);
  }

  /** Opens the connection in the background, and again whenever it breaks. */
  start(report: Report): void {
    const source = this.#source;
    if (source.kind === 'database') this.#running ??= this.#run(source.address, report);
  }

  /**
   * Returns the statements that commit a transaction, which sends its notice. All ids are checked. A commit that notifies
   * waits for others that do, so a transaction sends one notice, and only if it changed something.
   */
  commitWith(notice: Notice | undefined): string {
    if (!notice || this.#source.kind === 'process') return 'COMMIT';
    const named = notice.projects.length > MOST_PROJECTS ? [] : notice.projects;
    return `SELECT pg_notify('${CHANNEL}', '${[notice.team, ...named].join(' ')}'); COMMIT`;
  }

  /** Called after a commit in this process. */
  committed(notice: Notice): void {
    if (this.#source.kind === 'process') this.#tell(notice);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(address: Address, report: Report): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#listen(address, () => {
          failures = 0;
          report('listening');
        });
      } catch (error) {
        if (signal.aborted) return;
        if (failures++ === 0) report('not listening', error);
      }
      if (this.#isListening) {
        this.#isListening = false;
        this.#tell(undefined);
      }
      const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
      // Many servers lose their connection at the same moment.
      await delay(wait * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Never resolves: throws when the connection breaks, no longer delivers, or is closed. */
  async #listen(address: Address, ready: () => void): Promise<never> {
    const { signal } = this.#closing;
    const client = new Client({ ...connectionTo(address), application_name: 'tidemark-live' });
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => {}); // it may break between two uses
    const end = (): void => lost.reject(new Error('closed'));
    let probe = { word: '', heard: () => {} };
    client.on('error', (error) => lost.reject(error));
    client.on('end', end);
    client.on('notification', ({ payload = '' }) => {
      if (payload === probe.word) return probe.heard();
      const [team = '', ...projects] = payload.split(' ');
      if (team !== PROBE) this.#tell({ team, projects });
    });
    signal.addEventListener('abort', end, { once: true });
    try {
      await Promise.race([client.connect(), lost.promise]);
      await Promise.race([client.query(`LISTEN ${CHANNEL}`), lost.promise]);
      for (;;) {
        const heard = Promise.withResolvers<void>();
        probe = { word: `${PROBE} ${randomUUID()}`, heard: heard.resolve };
        const late = setTimeout(() => lost.reject(new Error('a notice did not arrive')), PROBE_WITHIN_MS);
        const sent = client.query('SELECT pg_notify($1, $2)', [CHANNEL, probe.word]);
        sent.catch((error: unknown) => lost.reject(error));
        await Promise.race([heard.promise, lost.promise]).finally(() => clearTimeout(late));
        if (!this.#isListening) {
          this.#isListening = true;
          ready();
          this.#tell(undefined);
        }
        await Promise.race([delay(PROBE_EVERY_MS, undefined, { signal, ref: false }), lost.promise]);
      }
    } finally {
      signal.removeEventListener('abort', end);
      // `end` would wait for the database, which may be frozen.
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }

  #tell(notice: Notice | undefined): void {
    for (const hear of this.#hearers) hear(notice);
  }
}
