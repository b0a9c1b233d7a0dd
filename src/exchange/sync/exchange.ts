/**
 * One exchange of a shared project with its team: local changes get their versions, the team's changes are taken in, then
 * the local changes are sent. Every step can be interrupted and repeated.
 */
import { given } from '../../core/index.ts';
import type { Delayed, HeldBack, SharingRules } from './gate.ts';
import { batches, idempotencyKey, outbox, type Clock, type Outbox, type Waiting } from './outbox.ts';
import type { PulledPage, PushedAnswer, SkippedChange } from './received.ts';
import type { Note, SharedProject, SharedStore } from './shared-store.ts';
import { takeIn, type TakenIn } from './take-in.ts';
import type { TeamServer } from './team-server.ts';
import type { Change, Version } from './wire.ts';

/** Two machines that write at once may each get `older` once or twice; after that the next exchange continues. */
const MOST_ROUNDS = 4;

/** Unreadable changes retried per exchange: each costs one request. */
const MOST_RETRIED = 10;

interface ExchangeOptions {
  readonly server: Pick<TeamServer, 'pull' | 'push'>;
  /** The stores may be closed and opened again between two uses. */
  readonly use: <T>(work: (store: SharedStore) => Promise<T>) => Promise<T>;
  readonly share: SharedProject;
  readonly clock: Clock;
  readonly rules: SharingRules;
  /** The user's id in the team, to recognise the user's own changes. */
  readonly member: string;
  readonly signal: AbortSignal;
  /** Nothing changed here since the last exchange, so it only pulls. */
  readonly unchanged?: boolean;
  /** Takes what the team makes stricter on this machine. Returns the new rules if that changed them. */
  readonly onSettings?: (settings: Readonly<Record<string, unknown>>) => Promise<SharingRules | undefined>;
}

export interface Exchange {
  readonly sent: number;
  readonly taken: Readonly<Partial<Record<TakenIn, number>>>;
  /** Changes not sent yet. */
  readonly waiting: number;
  /** New entries that do not leave yet, and those that stay. Undefined: nothing changed here, so they are as before. */
  readonly local: { readonly delayed: readonly Delayed[]; readonly held: readonly HeldBack[] } | undefined;
  /** The user has only read access there, so nothing is sent. */
  readonly mayNotWrite: boolean;
  /** Entries the server refused, and why. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  /** Changes of the team found unreadable for the first time. */
  readonly newlySkipped: readonly SkippedChange[];
}

export async function exchange(options: ExchangeOptions): Promise<Exchange> {
  const run = new Run(options);
  if (options.unchanged) {
    await run.pull();
    if (run.report().taken.kept === undefined && !run.hasNewRules) return run.report();
  }
  // Before the pull: an edit is dated when it was noticed, not when the server came back.
  await run.outbox();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await run.pull();
    if (await run.push()) break;
  }
  return run.report();
}

class Run {
  readonly #options: ExchangeOptions;
  readonly #taken: Partial<Record<TakenIn, number>> = {};
  readonly #refused = new Map<string, string>();
  readonly #newlySkipped: SkippedChange[] = [];
  #sent = 0;
  /** The outbox as last computed; undefined once a change was taken in. */
  #waiting: readonly Waiting[] | undefined;
  #local: Exchange['local'];
  #mayNotWrite = false;
  #latest: number | undefined;
  #hasRetried = false;
  #rules: SharingRules;
  hasNewRules = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  /**
   * An entry that is being written right now stops the cursor, so it comes again. A change that cannot be read does not
   * stop the cursor: it is recorded and asked for again.
   */
  async pull(): Promise<void> {
    const { server, share, use, signal } = this.#options;
    let after = await use(async (store) => store.cursor(share.remote));
    let isWhole = true;
    for (;;) {
      signal.throwIfAborted();
      const page = await server.pull(share.remote, after);
      const { next, more } = page;
      if (page.access === 'read') this.#mayNotWrite = true;
      this.#setBound(page);
      if (page.settings) await this.#takeSettings(page.settings);
      for (const one of page.changes) isWhole = (await this.#takeIn(one)) && isWhole;
      if (page.skipped.length > 0) await this.#noteSkipped(page.skipped);
      if (isWhole && next !== after) await use(async (store) => store.setCursor(share.remote, next));
      if (!more || next <= after) break;
      after = next;
    }
    if (!this.#hasRetried) await this.#retrySkipped();
    this.#hasRetried = true;
  }

  /** Versions made with this machine's time alone are made again with the server's bound: either clock may be wrong. */
  #setBound({ latest }: PulledPage): void {
    if (latest === undefined) return;
    if (this.#latest === undefined && this.#waiting?.length !== 0) this.#waiting = undefined;
    this.#latest = latest;
  }

  /** Entries that may leave are chosen again under stricter rules, before any of them is sent. */
  async #takeSettings(settings: NonNullable<PulledPage['settings']>): Promise<void> {
    const rules = await this.#options.onSettings?.(settings);
    if (!rules) return;
    this.#rules = { ...rules, again: true };
    this.hasNewRules = true;
    this.#waiting = undefined;
  }

  async #noteSkipped(found: readonly SkippedChange[]): Promise<void> {
    const { share, use } = this.#options;
    await use(async (store) => {
      const known = store.skipped(share.remote);
      const fresh = found.filter(({ seq }) => !known.some((one) => one.seq === seq));
      if (fresh.length > 0) store.setSkipped(share.remote, [...known, ...fresh]);
      this.#newlySkipped.push(...fresh);
    });
  }

  /** A later version of this program or of the server may make a change readable. */
  async #retrySkipped(): Promise<void> {
    const { server, share, use, signal } = this.#options;
    const fresh = new Set(this.#newlySkipped.map(({ seq }) => seq));
    const known = await use(async (store) => store.skipped(share.remote));
    const retried = known.filter(({ seq }) => !fresh.has(seq)).slice(0, MOST_RETRIED);
    if (retried.length === 0) return;
    const still: SkippedChange[] = [];
    for (const one of retried) {
      signal.throwIfAborted();
      const { changes, skipped } = await server.pull(share.remote, one.seq - 1, 1);
      const readable = changes.find(({ seq }) => seq === one.seq);
      if (readable ? !(await this.#takeIn(readable)) : skipped.some(({ seq }) => seq === one.seq))
        still.push(skipped[0] ?? one);
      // Neither: the entry changed since and came with its new number.
    }
    // Retried changes go to the end of the list, so each gets a turn.
    const others = known.filter((one) => !retried.includes(one));
    await use(async (store) => store.setSkipped(share.remote, [...others, ...still]));
  }

  get #clock(): Clock {
    return { ...this.#options.clock, ...given({ latest: this.#latest }) };
  }

  async #takeIn(came: PulledPage['changes'][number]): Promise<boolean> {
    const { author, seq: _, ...change } = came;
    const { share, member, use, signal } = this.#options;
    signal.throwIfAborted();
    const by = author.id === member ? undefined : author.name;
    const seen = { change: change as Change, author: by }; // the rest of the intersection
    try {
      const taken = await use((store) => takeIn(store, share, seen, this.#clock));
      this.#taken[taken] = (this.#taken[taken] ?? 0) + 1;
      this.#waiting = undefined;
      return true;
    } catch (error) {
      if (codeOf(error) !== 'team.again') throw error;
      return false;
    }
  }

  /** Returns whether everything was sent; if not, another machine was faster and its changes must be pulled first. */
  async push(): Promise<boolean> {
    const all = this.#waiting ?? (await this.outbox());
    if (this.#mayNotWrite) return true;
    const waiting = all.filter(({ change }) => !this.#refused.has(idOf(change)));
    let settled = true;
    try {
      for (const batch of batches(waiting)) settled = (await this.#send(batch)) && settled;
    } catch (error) {
      if (codeOf(error) !== 'team.refused') throw error;
      this.#mayNotWrite = true;
      return true;
    }
    return settled;
  }

  report(): Exchange {
    return {
      sent: this.#sent,
      taken: this.#taken,
      waiting: this.#waiting?.length ?? 0,
      local: this.#local,
      mayNotWrite: this.#mayNotWrite,
      refused: [...this.#refused].map(([id, reason]) => ({ id, reason })),
      newlySkipped: this.#newlySkipped,
    };
  }

  /** Computes the changes to send and records a version for each. */
  async outbox(): Promise<readonly Waiting[]> {
    const { share, use } = this.#options;
    const { waiting, ...local } = await use<Outbox>((store) =>
      outbox(store, share, this.#clock, this.#rules),
    );
    this.#local = local;
    this.#waiting = waiting;
    return waiting;
  }

  async #send(batch: readonly Waiting[]): Promise<boolean> {
    const { server, share, use, signal } = this.#options;
    signal.throwIfAborted();
    const changes = batch.map(({ change }) => change);
    try {
      const { results } = await server.push(share.remote, changes, idempotencyKey(share.remote, changes));
      const answers = new Map(results.map((result) => [result.id, result]));
      const notes = batch.flatMap((one) => agreedNote(one, answers.get(idOf(one.change))));
      if (notes.length > 0) await use((store) => store.note(share.remote, notes));
      this.#sent += notes.length;
      const gone = new Set(notes.map(({ memory }) => memory));
      this.#waiting = this.#waiting?.filter(({ change }) => !gone.has(idOf(change)));
      const refused = results.filter(({ outcome }) => outcome === 'refused');
      for (const { id, reason } of refused) this.#refused.set(id, reason ?? 'the server gives no reason');
      return notes.length + refused.length >= batch.length;
    } catch (error) {
      if (!isAboutContent(error)) throw error;
      // One refused entry must not block the others: halve the batch until it is alone.
      const [first] = batch;
      if (batch.length === 1 && first) this.#refused.set(idOf(first.change), error.message);
      if (batch.length <= 1) return true;
      const half = Math.ceil(batch.length / 2);
      const before = await this.#send(batch.slice(0, half));
      return (await this.#send(batch.slice(half))) && before;
    }
  }
}

function agreedNote(
  { change, hash, home, author }: Waiting,
  result: PushedAnswer['results'][number] | undefined,
): readonly Note[] {
  if (result?.outcome !== 'stored' && result?.outcome !== 'same') return [];
  return [
    {
      kind: 'agreed',
      memory: idOf(change),
      state: change.op === 'put' ? 'put' : change.op === 'tombstone' ? 'forgotten' : 'withdrawn',
      version: versionOf(change),
      hash,
      ...given({ home, author }),
    },
  ];
}

function isAboutContent(error: unknown): error is Error {
  return ['team.bad', 'team.too-big'].includes(codeOf(error));
}

/** Reads the code by name: errors of the store come from another bundle, so `instanceof` does not work. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function versionOf(change: Change): Version {
  return change.op === 'put' ? change.entry.version : change.version;
}

function idOf(change: Change): string {
  return change.op === 'put' ? change.entry.id : change.id;
}
