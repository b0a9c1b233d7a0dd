/**
 * Improves with a model what `local` made: in the background, one turn at a time, newest first. The queue is what the
 * ledger says (distilled by `local`, by no model yet, not passed over), so a crash forgets nothing. Never on the way of
 * an event, and never a request beyond a ceiling.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, type Config } from '../config/index.ts';
import type { Places } from '../core/index.ts';
import { Mutex } from '../files/index.ts';
import type { Spent } from '../database/index.ts';
import {
  modelSummary,
  sessionHead,
  summarizeSession,
  sessionTurns,
  type Stores,
  writeEntries,
} from '../memory/index.ts';
import type { Ceiling, Estimate } from './budget.ts';
import { distillByModel, summarizeByModel, type Asked } from './by-model.ts';
import { endLeftChildren, watchChildren } from './drivers/child-processes.ts';
import { DriverPool } from './drivers/driver-pool.ts';
import type { Driver, DriverRequest } from './drivers/driver.ts';
import { distillHealth, expectedCost, USUAL_MODEL, type DistillHealth } from './health.ts';
import { keepImproved, passTurn, prepareTurn } from './improve.ts';
import { summaryRequest } from './request.ts';
import { dayOf, watchSpending, type About, type Watched } from './spending.ts';

/** Older turns are improved only when somebody asks for it: importing years of history must not cost by itself. */
const WINDOW_MS = 3 * 24 * 60 * 60 * 1000;
/** The local summary of a shorter session says it all. */
const TURNS_WORTH_A_SUMMARY = 2;
const RECENT_SESSIONS = 20;
const MEMORIES_OF_A_SESSION = 40;
const CEILING_REACHED =
  "Tidemark: today's ceiling for distilling is reached; no model is asked until tomorrow. See: tidemark cost";

export interface ImproverOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly programFolders: readonly string[];
  /** Work on the stores; they may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  readonly tell: (what: string, facts: object) => void;
}

export interface DistillArgs {
  readonly since: string;
  readonly dryRun?: boolean;
  /** A yes for this run only. */
  readonly agreed?: boolean;
}

export interface DistillReport {
  readonly driver: string;
  readonly turns: number;
  readonly improved: number;
  readonly trivial: number;
  readonly failed: number;
  readonly memories: number;
  readonly spent: Spent;
  readonly expected: Estimate;
  /** Why it ended before all was done. */
  readonly stopped?: 'no-consent' | 'no-driver' | 'ceiling' | 'cancelled';
}

type Step = 'improved' | 'trivial' | 'failed' | 'try-other' | Ceiling | 'stopped';

export class Improver {
  readonly #options: ImproverOptions;
  readonly #stopping = new AbortController();
  readonly #seat: DriverPool;
  /** A clock that is wrong must not make us pay for a summary again and again. */
  readonly #summarized = new Set<string>();
  #loop: Promise<void> | undefined;
  #again = false;
  readonly #requests = new Mutex();
  #memories = 0;
  #lastAt = 0;

  constructor(options: ImproverOptions) {
    this.#options = options;
    endLeftChildren(options.places);
    this.#seat = new DriverPool(
      { ...options, processes: watchChildren(options.places) },
      this.#stopping.signal,
    );
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#again = true;
    this.#loop ??= this.#work()
      .catch((error: unknown) =>
        this.#options.tell('distilling failed', {
          error: error instanceof Error ? error.message : String(error),
        }),
      )
      .finally(() => (this.#loop = undefined));
  }

  /** Ends the request under way; its turn stays queued. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#seat.leave();
    await this.#loop;
    await this.#requests.idle();
  }

  /** `tidemark distill`: everything `local` made since then, also what failed before. */
  async run(
    args: DistillArgs,
    signal: AbortSignal,
    progress: (facts: object) => void,
  ): Promise<DistillReport> {
    const { use } = this.#options;
    const config = args.agreed ? { ...this.#config(), 'distill.consent': true } : this.#config();
    const limit = Number.MAX_SAFE_INTEGER;
    const turns = await use(({ index }) => index.improvable({ since: args.since, again: true, limit }));
    const choice = await this.#seat.choose({ ...config, 'distill.consent': true });
    const [driver, model] =
      choice.kind === 'model' ? [choice.driver.name, choice.driver.model] : ['local', USUAL_MODEL];
    const expected = await expectedCost(use, turns, model, config);
    const counts = { improved: 0, trivial: 0, failed: 0 };
    const before = await use(({ index }) => index.spent());
    this.#memories = 0;
    const report = async (stopped?: DistillReport['stopped']): Promise<DistillReport> => {
      const spent = difference(await use(({ index }) => index.spent()), before);
      const facts = { driver, turns: turns.length, ...counts, memories: this.#memories, spent, expected };
      return stopped ? { ...facts, stopped } : facts;
    };
    if (args.dryRun) return report();
    if (!config['distill.consent']) return report('no-consent');
    for (const [done, turn] of turns.entries()) {
      progress({ done, total: turns.length, improved: counts.improved });
      const step = await this.#askFor(turn, config, signal);
      if (step === undefined) return report('no-driver');
      if (step === 'stopped') return report('cancelled');
      if (step === 'day') return report('ceiling');
      counts[step === 'improved' || step === 'trivial' ? step : 'failed']++;
    }
    return report();
  }

  async health(): Promise<DistillHealth> {
    const config = this.#config();
    return distillHealth(this.#options.use, config, await this.#seat.choose(config), WINDOW_MS);
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopping.signal.aborted) {
      this.#again = false;
      while (await this.#next()) this.#again = false;
    }
  }

  /** Whether there may be more to do. */
  async #next(): Promise<boolean> {
    const config = this.#config();
    if (!config['distill.consent'] || config['distill.driver'] === 'local') {
      await this.#seat.leave();
      return false;
    }
    const since = new Date(Date.now() - WINDOW_MS).toISOString();
    const [turn] = await this.#options.use(({ index }) => index.improvable({ since, limit: 1 }));
    const session = turn === undefined ? await this.#sessionToSummarize(since) : undefined;
    const step =
      turn === undefined ? await this.#summaryFor(session, config) : await this.#askFor(turn, config);
    return step !== undefined && step !== 'stopped' && step !== 'day';
  }

  /** A driver that fails makes room for the next one, as long as there is one. Undefined: there is none. */
  async #askFor(turn: string, config: Config, signal?: AbortSignal): Promise<Step | undefined> {
    for (;;) {
      if (signal?.aborted || this.#stopping.signal.aborted) return 'stopped';
      const driver = await this.#seat.driver(config);
      if (!driver) return undefined;
      const step = await this.#alone(() => this.#improve(turn, driver, config, signal));
      if (step !== 'try-other') return step;
    }
  }

  async #summaryFor(session: string | undefined, config: Config): Promise<Step | undefined> {
    const driver = session === undefined ? undefined : await this.#seat.driver(config);
    if (session === undefined || !driver) return undefined;
    return this.#alone(() => this.#summarize(session, driver, config));
  }

  async #improve(id: string, driver: Driver, config: Config, signal?: AbortSignal): Promise<Step> {
    const { use, tell } = this.#options;
    const prepared = await use((stores) => prepareTurn(stores, id));
    if (prepared.kind === 'pass') {
      await this.#pass(id, driver, prepared.reason);
      return 'trivial';
    }
    const { turn, request } = prepared;
    const about = { session: turn.session, turn: id };
    const watched = await this.#watch(driver, config, request, about, [id], signal);
    const asked = await distillByModel(request, watched.asking);
    if (asked.kind !== 'done') return this.#notImproved(id, asked, driver, watched, config);
    const made = await use((stores) => keepImproved(stores, turn, asked.value, driver.name, this.#now()));
    this.#memories += made.length;
    tell('improved', { turn: id, by: driver.name, memories: made.map((memory) => memory.id) });
    return 'improved';
  }

  async #summarize(id: string, driver: Driver, config: Config): Promise<Step> {
    const { use } = this.#options;
    const { turns, request, endedAt } = await use(async (stores) => {
      const all = await sessionTurns(stores, id);
      const memories = stores.index.memoriesBy({ session: id, limit: MEMORIES_OF_A_SESSION });
      const session = stores.index.session(id);
      return {
        turns: all,
        request: summaryRequest(id, all, memories, session?.worktree),
        endedAt: session?.endedAt,
      };
    });
    this.#summarized.add(id + endedAt);
    const last = turns.at(-1);
    if (!last) return 'trivial';
    const of = turns.map((turn) => turn.id);
    const watched = await this.#watch(driver, config, request, { session: id }, of);
    const asked = await summarizeByModel(request, watched.asking);
    if (asked.kind !== 'done') return this.#notImproved(summaryKey(id), asked, driver, watched, config);
    await use(async (stores) => {
      summarizeSession(stores, id, turns);
      if (stores.index.memoriesBy({ session: id, limit: 1 }).length > 0)
        await writeEntries(stores, [], [await sessionHead(stores, last)]);
    });
    return 'improved';
  }

  /** Marks the turn, unless it is to be asked again: by us later, or by another driver now. */
  async #notImproved(
    id: string,
    asked: Exclude<Asked<unknown>, { kind: 'done' }>,
    driver: Driver,
    { ceiling }: Watched,
    config: Config,
  ): Promise<Step> {
    if (this.#stopping.signal.aborted) return 'stopped';
    if (asked.kind === 'over-ceiling') {
      if (ceiling() !== 'session') return this.#full();
      await this.#pass(id, driver, 'session-ceiling');
      return 'session';
    }
    const { reason, message } = asked;
    if (reason === 'aborted') return 'stopped';
    this.#options.tell('not improved', { turn: id, by: driver.name, reason, message });
    if (reason !== 'invalid-reply' && reason !== 'no-answer') {
      await this.#seat.rest(driver, asked.restMs);
      if (await this.#seat.driver(config)) return 'try-other';
    }
    await this.#pass(id, driver, reason);
    return 'failed';
  }

  /** The day's ceiling: told once, and `local` does it until tomorrow. */
  #full(): Step {
    const { places, tell } = this.#options;
    const marker = join(places.told, `ceiling-${dayOf(new Date())}`);
    if (!existsSync(marker)) {
      mkdirSync(places.told, { recursive: true, mode: 0o700 });
      writeFileSync(marker, '', { mode: 0o600 });
      tell('to the user', { text: CEILING_REACHED });
    }
    return 'day';
  }

  #pass(id: string, driver: Driver, reason: string): Promise<void> {
    return this.#options.use((stores) => passTurn(stores, id, driver.name, reason, this.#now()));
  }

  #watch(
    driver: Driver,
    config: Config,
    request: DriverRequest,
    about: About,
    turns: readonly string[],
    signal?: AbortSignal,
  ): Promise<Watched> {
    const stopping = this.#stopping.signal;
    return watchSpending(driver, config, request, about, {
      use: this.#options.use,
      now: () => this.#now(),
      signal: signal ? AbortSignal.any([signal, stopping]) : stopping,
      turns,
    });
  }

  #sessionToSummarize(since: string): Promise<string | undefined> {
    return this.#options.use(({ index }) => {
      const passed = new Set(index.passedTurns(since).map(({ turn }) => turn));
      const found = index
        .sessions({ limit: RECENT_SESSIONS })
        .find(
          ({ id, endedAt = '', lastAt, turns }) =>
            endedAt >= since &&
            turns >= TURNS_WORTH_A_SUMMARY &&
            !this.#summarized.has(id + endedAt) &&
            !passed.has(summaryKey(id)) &&
            modelSummary(index, id, lastAt < endedAt ? lastAt : endedAt) === undefined,
        );
      return found?.id;
    });
  }

  /** One request at a time, whoever asks. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#requests.run(work);
  }

  /** Read anew each time, so that a yes counts at once. */
  #config(): Config {
    return loadConfig({ places: this.#options.places, env: this.#options.env }).values;
  }

  /** Never the same instant twice: the ledger tells requests apart by it. */
  #now(): Date {
    this.#lastAt = Math.max(Date.now(), this.#lastAt + 1);
    return new Date(this.#lastAt);
  }
}

function difference(now: Spent, before: Spent): Spent {
  return {
    requests: now.requests - before.requests,
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
    usd: now.usd - before.usd,
  };
}

function summaryKey(session: string): string {
  return `summary:${session}`;
}
