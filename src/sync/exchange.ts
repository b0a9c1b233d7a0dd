/**
 * One exchange of a shared project with its team: what changed here is given its version, what changed there is taken in,
 * then what is still to go is sent. Every step may be cut short and done again.
 */
import { batches, idempotencyKey, outbox, type Clock, type Waiting } from './outbox.ts';
import type { Note, SharedProject, SharedStore } from './shared-store.ts';
import { takeIn, type TakenIn } from './take-in.ts';
import type { TeamServer } from './team-server.ts';
import type { Change, PullAnswer, PushResult } from './wire.ts';

/** Two who write at once may each be told `older` once or twice; beyond that the next exchange goes on. */
const MOST_ROUNDS = 4;

export interface ExchangeOptions {
  readonly server: Pick<TeamServer, 'pull' | 'push'>;
  /** The stores may be closed and opened again between two uses. */
  readonly use: <T>(work: (store: SharedStore) => Promise<T>) => Promise<T>;
  readonly share: SharedProject;
  readonly clock: Clock;
  /** Oneself, to know one's own changes by. */
  readonly member: string;
  readonly signal: AbortSignal;
  /** Nothing changed here since the last exchange: only the others are heard. */
  readonly unchanged?: boolean;
}

export interface Exchange {
  readonly sent: number;
  readonly taken: Readonly<Partial<Record<TakenIn, number>>>;
  /** Still to go. */
  readonly waiting: number;
  /** One may only read there: what waits stays here. */
  readonly mayNotWrite: boolean;
  /** Entries the server would not have, and why. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

export async function exchange(options: ExchangeOptions): Promise<Exchange> {
  const run = new Run(options);
  if (options.unchanged) {
    await run.pull();
    if (run.report().taken.kept === undefined) return run.report();
  }
  await run.noteChanges();
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
  #sent = 0;
  /** What was to go when it was looked at last; looked at again once something was taken in. */
  #waiting: readonly Waiting[] | undefined;
  #mayNotWrite = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** An edit made before the others' changes are known is dated when it was noticed, not when the server came back. */
  async noteChanges(): Promise<void> {
    await this.#outbox();
  }

  /** An entry that somebody is writing to at this moment holds up nothing but the cursor: it is heard of again. */
  async pull(): Promise<void> {
    const { server, share, use, signal } = this.#options;
    let after = await use(async (store) => store.cursor(share.remote));
    let isWhole = true;
    for (;;) {
      signal.throwIfAborted();
      const { changes, next, more } = await server.pull(share.remote, after);
      for (const one of changes) isWhole = (await this.#takeIn(one)) && isWhole;
      if (isWhole && next !== after) await use(async (store) => store.setCursor(share.remote, next));
      if (!more || next <= after) return;
      after = next;
    }
  }

  async #takeIn(came: PullAnswer['changes'][number]): Promise<boolean> {
    const { author, seq: _, ...change } = came;
    const { share, clock, member, use, signal } = this.#options;
    signal.throwIfAborted();
    const by = author.id === member ? undefined : author.name;
    const seen = { change: change as Change, author: by }; // the rest of the intersection
    try {
      const taken = await use((store) => takeIn(store, share, seen, clock));
      this.#taken[taken] = (this.#taken[taken] ?? 0) + 1;
      this.#waiting = undefined;
      return true;
    } catch (error) {
      if (codeOf(error) !== 'team.again') throw error;
      return false;
    }
  }

  /** Whether all that was to go has gone; else others were faster, and are to be heard first. */
  async push(): Promise<boolean> {
    const all = this.#waiting ?? (await this.#outbox());
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
      mayNotWrite: this.#mayNotWrite,
      refused: [...this.#refused].map(([id, reason]) => ({ id, reason })),
    };
  }

  async #outbox(): Promise<readonly Waiting[]> {
    const { share, clock, use } = this.#options;
    this.#waiting = await use((store) => outbox(store, share, clock));
    return this.#waiting;
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
      return notes.length === batch.length;
    } catch (error) {
      if (!isAboutContent(error)) throw error;
      // One entry the server will not have must not hold up the others.
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
  result: PushResult | undefined,
): readonly Note[] {
  if (result?.outcome !== 'stored' && result?.outcome !== 'same') return [];
  return [
    {
      kind: 'agreed',
      memory: idOf(change),
      state: change.op === 'put' ? 'put' : change.op === 'tombstone' ? 'forgotten' : 'withdrawn',
      version: change.op === 'put' ? change.entry.version : change.version,
      hash,
      ...(home === undefined ? {} : { home }),
      ...(author === undefined ? {} : { author }),
    },
  ];
}

function isAboutContent(error: unknown): error is Error {
  return ['team.bad', 'team.too-big'].includes(codeOf(error));
}

/** The store's errors are those of another program, and no instances of ours. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function idOf(change: Change): string {
  return change.op === 'put' ? change.entry.id : change.id;
}
