/**
 * Distills turns with the small model in the background, after the rules did: one turn at a time, the newest session
 * first, and within a session oldest first. The ledger is the queue (distilled by the rules, not passed), so a crash
 * loses nothing. Turns that the small model has read stay as they are, also with a newer model.
 * Never uses the stores while the model works.
 */
import { rmSync } from 'node:fs';
import { given } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { readTextSync, STATE_BYTES, writeAtomically } from '../../files/index.ts';
import type { Stores } from '../../memory/index.ts';
import type { SmallModel } from '../../models/index.ts';
import { smallDistiller } from './distiller.ts';
import { prepareKeep, storeKept, type Kept } from './keep-turn.ts';

/** Turns looked up at once: the query sorts all that wait, which takes long after an import of many. */
const LOOKED_UP = 500;
/** A turn that fails this often is passed. */
const MAX_FAILURES = 2;
/** A turn that was begun this often and never ended ends the daemon, so it is passed. */
const MAX_BEGUN = 5;
/** Pause after the model itself failed. */
const BACKOFF_MS = 5 * 60_000;
/** Any input: shows whether the model works at all. */
const PROBE = [{ about: '', sentences: ['user: ok'] }];

/** The model, or why there is none. */
export type KeepModel =
  | { readonly kind: 'model'; readonly model: SmallModel }
  | { readonly kind: 'none'; readonly why: string; readonly next: string };

export interface KeeperOptions {
  /** Runs work on the stores, which may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  readonly model: () => Promise<KeepModel>;
  /** Names the turn under way, for the next start if this one is killed. */
  readonly file: string;
  readonly tell: (what: string, facts: object) => void;
}

/** The state of the queue. */
export interface KeepCounts {
  /** Turns that only the rules have read. */
  readonly waiting: number;
  /** Turns that the model could not read, by reason. */
  readonly passed: Readonly<Record<string, number>>;
}

/** Whether it works, as it tells. */
export interface KeepState {
  readonly working: boolean;
  /** The failure of the model itself that ended its work. */
  readonly trouble?: string;
}

export interface KeepHealth extends KeepCounts, KeepState {
  /** Version of the model; null: the rules alone distill. */
  readonly model: string | null;
  readonly why?: string;
  readonly next?: string;
}

type Step = 'kept' | 'skipped' | 'failed' | 'stopped' | 'broken';

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #stopping = new AbortController();
  readonly #failures = new Map<string, number>();
  #begun: { readonly turn: string; readonly times: number } | undefined;
  #loop: Promise<void> | undefined;
  #again = false;
  #isReported = false;
  #pausedUntil = 0;
  #trouble: string | undefined;
  /** Row of the last turn that was looked up. */
  #newest = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#begun = begunIn(options.file);
  }

  /** Looks for work in the background. Returns at once. */
  wake(): void {
    this.#again = true;
    if (this.#loop || this.#stopping.signal.aborted || Date.now() < this.#pausedUntil) return;
    this.#loop = this.#work()
      .catch((error: unknown) => this.#options.tell('keeping failed', { error: messageOf(error) }))
      .finally(() => {
        this.#loop = undefined;
        this.#report(false);
        // Woken after the last look and before the end.
        if (this.#again) this.wake();
      });
  }

  /** Whether turns are being read or looked up; the daemon runs as long. */
  get busy(): boolean {
    return this.#loop !== undefined;
  }

  /** Ends at once; the turn under way stays queued. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopping.signal.aborted) {
      this.#again = false;
      const choice = await this.#options.model();
      if (choice.kind === 'none') return;
      const queue = await this.#lookUp();
      if (queue.length === 0) continue;
      this.#trouble = undefined;
      this.#report(true);
      for (let turn = queue.shift(); turn !== undefined; turn = queue.shift()) {
        const step = await this.#keep(turn, choice.model);
        if (step === 'stopped' || step === 'broken') return;
        if (!this.#again) continue;
        this.#again = false;
        queue.unshift(...(await this.#lookUp(this.#newest))); // turns captured meanwhile come first
      }
      this.#again = true;
    }
  }

  #lookUp(after?: number): Promise<string[]> {
    return this.#options.use(({ index }) => {
      const turns = index.keepable(LOOKED_UP, after);
      this.#newest = index.newestTurnRow();
      // A turn that never ended may have ended the daemon: the others come first.
      const isSuspect = (turn: string): boolean => turn === this.#begun?.turn;
      return [...turns.filter((turn) => !isSuspect(turn)), ...turns.filter(isSuspect)];
    });
  }

  /** Tells whether it works, so that the daemon does not end meanwhile. */
  #report(isWorking: boolean): void {
    if (isWorking === this.#isReported) return;
    this.#isReported = isWorking;
    const state: KeepState = { working: isWorking, ...given({ trouble: this.#trouble }) };
    this.#options.tell('keeping', state);
  }

  /** Reads one turn. A second failure of its own, or too many starts without an end, pass it. */
  async #keep(turn: string, model: SmallModel): Promise<Step> {
    const { signal } = this.#stopping;
    if (signal.aborted) return 'stopped';
    if (!(await this.#begin(turn))) return this.#pass(turn, 'interrupted');
    try {
      const kept = await this.#read(turn, model, signal);
      this.#failures.delete(turn);
      // A turn that changed meanwhile stays queued: it may still go on.
      if (kept.kind === 'passed') return kept.reason === GONE ? this.#pass(turn, GONE) : 'skipped';
      return 'kept';
    } catch (error) {
      if (signal.aborted) return 'stopped';
      const broken = await failureOf(model, signal);
      if (signal.aborted) return 'stopped';
      if (broken === undefined) return this.#failed(turn, messageOf(error));
      const isOff = (await this.#options.model()).kind === 'none';
      if (isOff) return 'stopped'; // the user switched it off meanwhile
      this.#trouble = broken;
      this.#pausedUntil = Date.now() + BACKOFF_MS;
      this.#options.tell('the small model failed', { error: broken });
      return 'broken';
    } finally {
      this.#options.tell('read', readingOf(turn));
      this.#end();
    }
  }

  /** Uses the stores for a turn. Its time does not pass while another task uses them alone. */
  #useFor<T>(turn: string, work: (stores: Stores) => Promise<T>): Promise<T> {
    const { use, tell } = this.#options;
    tell('read', readingOf(turn));
    return use((stores) => {
      tell('reading', readingOf(turn));
      return work(stores);
    });
  }

  async #read(id: string, model: SmallModel, signal: AbortSignal): Promise<Kept> {
    const { tell } = this.#options;
    const prepared = await this.#useFor(id, (stores) => prepareKeep(stores, id, new Date()));
    if (prepared.kind === 'passed') return prepared;
    const distilled = await smallDistiller(model).distill(prepared.input, signal);
    signal.throwIfAborted();
    const kept = await this.#useFor(id, (stores) => storeKept(stores, prepared, distilled, new Date()));
    if (kept.kind === 'kept') {
      const { session } = prepared.input.turn;
      tell('kept', { turn: id, session, memories: kept.memories.map((memory) => memory.id) });
    }
    return kept;
  }

  async #failed(turn: string, reason: string): Promise<Step> {
    const failures = (this.#failures.get(turn) ?? 0) + 1;
    this.#failures.set(turn, failures);
    this.#options.tell('turn not kept', { turn, reason });
    return failures < MAX_FAILURES ? 'failed' : this.#pass(turn, reason);
  }

  async #pass(turn: string, reason: string): Promise<Step> {
    this.#failures.delete(turn);
    this.#options.tell('read', readingOf(turn));
    await this.#options.use(async ({ ledger, index }) => {
      const at = new Date().toISOString();
      const record = { kind: 'passed', at, turn, reason: reason.slice(0, MAX_REASON) } as const;
      await ledger.append(record);
      index.markPassed(record);
    });
    return 'failed';
  }

  /** Returns false for a turn that never ended before. */
  async #begin(turn: string): Promise<boolean> {
    const times = this.#begun?.turn === turn ? this.#begun.times + 1 : 1;
    if (times > MAX_BEGUN) {
      this.#end();
      return false;
    }
    this.#begun = { turn, times };
    await writeAtomically(this.#options.file, JSON.stringify(this.#begun), { synced: false });
    return true;
  }

  #end(): void {
    this.#begun = undefined;
    rmSync(this.#options.file, { force: true });
  }
}

export function keepCounts(index: MemoryIndex): KeepCounts {
  const passed = index.passedTurns().filter(({ reason }) => reason !== GONE);
  const byReason = [...Map.groupBy(passed, ({ reason }) => reason)];
  return {
    waiting: index.keepableCount(),
    passed: Object.fromEntries(byReason.map(([reason, turns]) => [reason, turns.length])),
  };
}

/** The turn is no longer in the turn store, which is no failure. */
const GONE = 'gone';
const MAX_REASON = 200;

/** Names a turn for the clock of the writer's reads. */
const readingOf = (turn: string) => ({ path: `turn ${turn}` });

/** Why the model does not work at all; undefined if it does, so that the turn must be the reason. */
async function failureOf(model: SmallModel, signal: AbortSignal): Promise<string | undefined> {
  try {
    await model.keep(PROBE, signal);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function begunIn(file: string): { readonly turn: string; readonly times: number } | undefined {
  try {
    const { turn, times } = JSON.parse(readTextSync(file, STATE_BYTES)) as Record<string, unknown>;
    return typeof turn === 'string' && typeof times === 'number' ? { turn, times } : undefined;
  } catch {
    return undefined; // no file, or a damaged one
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
