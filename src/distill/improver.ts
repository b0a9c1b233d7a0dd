/**
 * Improves the memories that `local` made with a model: in the background, one turn at a time, oldest first within a project. The ledger
 * is the queue (distilled by `local`, by no model yet, not passed), so a crash loses nothing. Never delays an event and
 * never exceeds a ceiling.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, type Config } from '../config/index.ts';
import { given, type Places } from '../core/index.ts';
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
import { distillByModel, summarizeByModel, type ModelCall, type ModelResult } from './by-model.ts';
import { endLeftChildren, watchChildren } from './drivers/child-processes.ts';
import type { Choice } from './drivers/choose.ts';
import { DriverPool } from './drivers/driver-pool.ts';
import type { Driver } from './drivers/driver.ts';
import { consentOffer, type ConsentOffer } from './consent.ts';
import { billingOf } from './drivers/billing.ts';
import { distillHealth, DEFAULT_MODEL, type DistillHealth } from './health.ts';
import { expectedCost, storedPace, transcriptPace } from './pace.ts';
import { storeImproved, passTurn, prepareTurn } from './improve.ts';
import { summaryRequest } from './request.ts';
import { dayOf, meteredCall, type MeteredOptions } from './spending.ts';

/** Older turns are improved only on request: importing years of history must not cost money by itself. */
const WINDOW_MS = 3 * 24 * 60 * 60 * 1000;
/** An empty session has nothing to summarize. */
const MIN_SUMMARY_TURNS = 1;
const RECENT_SESSIONS = 20;
const MEMORIES_OF_A_SESSION = 40;
/** Requests of one millisecond never add up to this. */
const CLOCK_SLACK_MS = 60_000;
const CEILING_REACHED =
  "Tidemark: today's limit for language models is reached; none is used until tomorrow. See: tidemark cost";

export interface ImproverOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly programFolders: readonly string[];
  /** Runs work on the stores, which may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  readonly tell: (what: string, facts: object) => void;
}

export interface DistillArgs {
  readonly since: string;
  readonly dryRun?: boolean;
  /** Consent for this run only. */
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
  /** The last failure of a driver. */
  readonly problem?: {
    readonly driver: string;
    readonly reason: string;
    readonly message: string;
    readonly next?: string;
  };
  /** Why it ended early. */
  readonly stopped?: 'no-consent' | 'no-driver' | 'ceiling' | 'cancelled';
}

/** `changed`: the turn changed meanwhile; it stays queued. */
type Step = 'improved' | 'trivial' | 'failed' | 'changed' | 'try-other' | Ceiling | 'stopped';

export class Improver {
  readonly #options: ImproverOptions;
  readonly #stopping = new AbortController();
  readonly #drivers: DriverPool;
  /** Prevents paying for the same summary again when the clock is wrong. */
  readonly #summarized = new Set<string>();
  #loop: Promise<void> | undefined;
  #again = false;
  readonly #requests = new Mutex();
  #memories = 0;
  #problem: DistillReport['problem'];
  #lastAt = 0;

  constructor(options: ImproverOptions) {
    this.#options = options;
    endLeftChildren(options.places);
    this.#drivers = new DriverPool(
      { ...options, processes: watchChildren(options.places) },
      this.#stopping.signal,
    );
  }

  /** Looks for work in the background. Returns at once. */
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

  /** Whether a model is at work or about to be. */
  get busy(): boolean {
    return this.#loop !== undefined;
  }

  /** Ends the current request; its turn stays queued. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#drivers.close();
    await this.#loop;
    await this.#requests.idle();
  }

  /**
   * `tidemark distill`: improves everything `local` made since then, also turns that failed before, with every driver
   * again, also one that failed a moment ago.
   */
  async run(
    args: DistillArgs,
    signal: AbortSignal,
    progress: (facts: { readonly done: number; readonly total: number; readonly improved: number }) => void,
  ): Promise<DistillReport> {
    const { use } = this.#options;
    const config = args.agreed ? { ...this.#config(), 'distill.consent': true } : this.#config();
    const limit = Number.MAX_SAFE_INTEGER;
    this.#drivers.forgetFailures();
    this.#problem = undefined;
    const turns = await use(({ index }) => index.improvable({ since: args.since, again: true, limit }));
    const choice = await this.#drivers.choose({ ...config, 'distill.consent': true });
    const [driver, model] =
      choice.kind === 'model' ? [choice.driver.name, choice.driver.model] : ['local', DEFAULT_MODEL];
    const expected = await expectedCost(use, turns, model, config);
    const counts = { improved: 0, trivial: 0, failed: 0 };
    const before = await use(({ index }) => index.spent());
    this.#memories = 0;
    const report = async (stopped?: DistillReport['stopped']): Promise<DistillReport> => {
      const spent = difference(await use(({ index }) => index.spent()), before);
      const problem = this.#problem ?? notWorking(choice);
      const facts = {
        driver,
        turns: turns.length,
        ...counts,
        memories: this.#memories,
        spent,
        expected,
        ...given({ problem }),
      };
      return stopped ? { ...facts, stopped } : facts;
    };
    if (args.dryRun) return report();
    if (!config['distill.consent']) return report('no-consent');
    for (const [done, turn] of turns.entries()) {
      progress({ done, total: turns.length, improved: counts.improved });
      const step = await this.#improveWithAny(turn, config, signal);
      if (step === undefined) return report('no-driver');
      if (step === 'stopped') return report('cancelled');
      if (step === 'day') return report('ceiling');
      counts[step === 'improved' || step === 'trivial' ? step : 'failed']++;
    }
    return report();
  }

  async health(): Promise<DistillHealth> {
    const config = this.#config();
    return distillHealth(this.#options.use, config, await this.#drivers.choose(config), WINDOW_MS);
  }

  /** The question for the user's consent. `files`: the agent's transcripts, newest first. */
  async offer(files: Parameters<typeof transcriptPace>[0]): Promise<ConsentOffer> {
    const { use, env, places } = this.#options;
    const config = this.#config();
    const choice = await this.#drivers.choose({ ...config, 'distill.consent': true });
    const driver = choice.kind === 'model' ? choice.driver : undefined;
    const model = driver?.model ?? DEFAULT_MODEL;
    const options = { model, config, now: new Date() };
    const pace = (await storedPace(use, options)) ?? (await transcriptPace(files, options));
    const billing = driver
      ? await billingOf(driver, config, { env, cwd: places.home }, this.#stopping.signal)
      : ({ kind: 'unknown' } as const);
    return consentOffer({
      billing,
      dailyUsd: config['distill.dailyUsd'],
      dailyTokens: config['distill.dailyTokens'],
      ...given({
        pace,
        driver: driver && { name: driver.name, model: driver.model },
        host: URL.parse(config['distill.apiUrl'])?.host,
        missing:
          choice.kind === 'local' && choice.why === 'none-works'
            ? choice.health.map(({ evidence }) => evidence)
            : undefined,
      }),
    });
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopping.signal.aborted) {
      this.#again = false;
      while (await this.#next()) this.#again = false;
    }
  }

  /** Returns whether there may be more to do. */
  async #next(): Promise<boolean> {
    const config = this.#config();
    if (!config['distill.consent'] || config['distill.driver'] === 'local') {
      await this.#drivers.close();
      return false;
    }
    const since = new Date(Date.now() - WINDOW_MS).toISOString();
    const [turn] = await this.#options.use(({ index }) => index.improvable({ since, limit: 1 }));
    const session = turn === undefined ? await this.#sessionToSummarize(since) : undefined;
    const step =
      turn === undefined ? await this.#summaryFor(session, config) : await this.#improveWithAny(turn, config);
    return step !== undefined && step !== 'stopped' && step !== 'day';
  }

  /** Tries the drivers in order until one does not fail. Undefined: there is none. */
  async #improveWithAny(turn: string, config: Config, signal?: AbortSignal): Promise<Step | undefined> {
    for (;;) {
      if (signal?.aborted || this.#stopping.signal.aborted) return 'stopped';
      const driver = await this.#drivers.driver(config);
      if (!driver) return undefined;
      const step = await this.#alone(() => this.#improve(turn, driver, config, signal));
      if (step !== 'try-other') return step;
    }
  }

  async #summaryFor(session: string | undefined, config: Config): Promise<Step | undefined> {
    const driver = session === undefined ? undefined : await this.#drivers.driver(config);
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
    const call = await this.#call({ driver, config, request, about, turns: [id] }, signal);
    const result = await distillByModel(request, call);
    if (result.kind !== 'done') return this.#notImproved(id, result, driver, config);
    const made = await use((stores) =>
      storeImproved(stores, prepared, result.value, driver.name, this.#now()),
    );
    if (made === undefined) {
      tell('not improved', { turn: id, by: driver.name, reason: 'changed' });
      return 'changed';
    }
    this.#memories += made.length;
    tell('improved', {
      turn: id,
      session: turn.session,
      by: driver.name,
      memories: made.map((memory) => memory.id),
    });
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
    const about = { session: id };
    const call = await this.#call({ driver, config, request, about, turns: turns.map((turn) => turn.id) });
    const result = await summarizeByModel(request, call);
    if (result.kind !== 'done') return this.#notImproved(summaryKey(id), result, driver, config);
    await use(async (stores) => {
      summarizeSession(stores, id, turns);
      if (stores.index.memoriesBy({ session: id, limit: 1 }).length > 0)
        await writeEntries(stores, [], [await sessionHead(stores, last)]);
    });
    return 'improved';
  }

  /** Marks the turn as passed, unless it is tried again: later, or with another driver now. */
  async #notImproved(
    id: string,
    result: Exclude<ModelResult<unknown>, { kind: 'done' }>,
    driver: Driver,
    config: Config,
  ): Promise<Step> {
    if (this.#stopping.signal.aborted) return 'stopped';
    if (result.kind === 'over-ceiling') {
      if (result.ceiling === 'day') return this.#dayCeiling();
      await this.#pass(id, driver, 'session-ceiling');
      return 'session';
    }
    const { reason, message } = result;
    if (reason === 'aborted') return 'stopped';
    this.#options.tell('not improved', { turn: id, by: driver.name, reason, message });
    this.#problem = { driver: driver.name, reason, message };
    if (reason !== 'invalid-reply' && reason !== 'no-answer') {
      await this.#drivers.rest(driver, result.restMs);
      if (await this.#drivers.driver(config)) return 'try-other';
    }
    await this.#pass(id, driver, reason);
    return 'failed';
  }

  /** Notifies the user once a day; `local` distills alone until tomorrow. */
  #dayCeiling(): Step {
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

  #call(
    options: Omit<MeteredOptions, 'use' | 'now' | 'signal'>,
    signal: AbortSignal = this.#stopping.signal,
  ): Promise<ModelCall> {
    return meteredCall({
      ...options,
      use: this.#options.use,
      now: () => this.#now(),
      signal: AbortSignal.any([signal, this.#stopping.signal]),
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
            turns >= MIN_SUMMARY_TURNS &&
            !this.#summarized.has(id + endedAt) &&
            !passed.has(summaryKey(id)) &&
            modelSummary(index, id, lastAt < endedAt ? lastAt : endedAt) === undefined,
        );
      return found?.id;
    });
  }

  /** Runs one request at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#requests.run(work);
  }

  /** Read again each time, so that consent takes effect at once. */
  #config(): Config {
    return loadConfig({ places: this.#options.places, env: this.#options.env }).values;
  }

  /** Never returns the same instant twice in a row: the ledger identifies requests by it. Follows a clock that is set back. */
  #now(): Date {
    const now = Date.now();
    const isSetBack = this.#lastAt - now > CLOCK_SLACK_MS;
    this.#lastAt = isSetBack ? now : Math.max(now, this.#lastAt + 1);
    return new Date(this.#lastAt);
  }
}

/** Why no driver could be chosen, in its own words. */
function notWorking(choice: Choice): DistillReport['problem'] {
  if (choice.kind !== 'local' || choice.why !== 'none-works') return undefined;
  const message = choice.health.map(({ name, evidence }) => `${name}: ${evidence}`).join('; ');
  const next = choice.health.find((one) => one.next !== undefined)?.next;
  return { driver: 'none', reason: 'missing', message, ...given({ next }) };
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
