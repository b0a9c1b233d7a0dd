/**
 * Improves with a model what `local` made: in the background, one turn at a time, newest first. The queue is what the
 * ledger says (distilled by `local`, by no model yet, not passed over), so a crash forgets nothing. Never on the way of
 * an event, and never a request beyond a ceiling.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, type Config } from '../config/index.ts';
import {
  chooseDriver,
  distillByModel,
  estimate,
  overCeiling,
  readPrices,
  summarizeByModel,
  summaryRequest,
  type Asked,
  type Asking,
  type Ceiling,
  type Choice,
  type Driver,
  type DriverName,
  type DriverRequest,
  type NamedHealth,
} from '../distill/index.ts';
import type { Spent } from '../index/index.ts';
import type { Places } from '../model/index.ts';
import { keepImproved, passTurn, prepareTurn, recordCost } from './improve.ts';
import { modelSummary, noteSummary } from './model-summary.ts';
import { sessionHead } from './session-head.ts';
import { writeEntries } from './upkeep.ts';
import { summarizeSession, wholeTurns } from './sessions.ts';
import type { Stores } from './stores.ts';

/** Older turns are improved only when somebody asks for it: importing years of history must not cost by itself. */
const WINDOW_MS = 3 * 24 * 60 * 60 * 1000;
/** A driver that failed four times in a row is left alone for this long. */
const REST_MS = 5 * 60_000;
/** The local summary of a shorter session says it all. */
const TURNS_WORTH_A_SUMMARY = 2;
const RECENT_SESSIONS = 20;
/** How many turns are looked at to tell what a day will cost. */
const SAMPLED_TURNS = 20;
const SAMPLED_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface ImproverOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly programFolders: readonly string[];
  /** Work on the stores; they may be closed and opened again between two uses. */
  readonly use: <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;
  readonly tell: (what: string, facts: object) => void;
  readonly wait?: Asking['wait'];
  readonly timeoutMs?: number;
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
  readonly expected: { readonly tokens: number; readonly usd: number };
  /** Why it ended before all was done. */
  readonly stopped?: 'no-consent' | 'no-driver' | 'ceiling' | 'cancelled';
}

export interface DistillHealth {
  readonly wanted: string;
  readonly consent: boolean;
  /** What distils now. */
  readonly driver: string;
  readonly model: string;
  readonly evidence: string;
  readonly next?: string;
  readonly waiting: number;
  readonly passed: Readonly<Record<string, number>>;
  readonly today: Spent;
  readonly ceiling: boolean;
  /** What a day like the last ones would cost. */
  readonly expected: {
    readonly turnsPerDay: number;
    readonly tokensPerDay: number;
    readonly usdPerDay: number;
  };
}

type Step = 'improved' | 'trivial' | 'failed' | 'try-other' | Ceiling | 'stopped';

export class Improver {
  readonly #options: ImproverOptions;
  readonly #stopping = new AbortController();
  readonly #resting = new Map<DriverName, number>();
  #chosen: { readonly key: string; readonly choice: Choice } | undefined;
  #loop: Promise<void> | undefined;
  #again = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** A clock that is wrong must not make us pay for a summary again and again. */
  readonly #summarized = new Set<string>();
  #memories = 0;
  #lastAt = 0;

  constructor(options: ImproverOptions) {
    this.#options = options;
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
    await this.#closeDriver();
    await this.#loop;
    await this.#turn.catch(() => {});
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
    if (!config['distill.consent'] || config['distill.driver'] === 'local') return this.#closeDriver();
    const since = this.#since(WINDOW_MS);
    const [turn] = await this.#options.use(({ index }) => index.improvable({ since, limit: 1 }));
    const session = turn === undefined ? await this.#sessionToSummarize(since) : undefined;
    if (turn === undefined && session === undefined) return false;
    const driver = await this.#driver(config);
    if (!driver || this.#stopping.signal.aborted) return false;
    const step = await this.#alone(() =>
      turn === undefined
        ? this.#summarize(session ?? '', driver, config)
        : this.#improve(turn, driver, config),
    );
    return step !== 'stopped' && step !== 'day';
  }

  /** `tidemark distill`: everything `local` made since then, also what failed before. */
  async run(
    args: DistillArgs,
    signal: AbortSignal,
    progress: (facts: object) => void,
  ): Promise<DistillReport> {
    const config = args.agreed ? { ...this.#config(), 'distill.consent': true } : this.#config();
    const limit = Number.MAX_SAFE_INTEGER;
    const turns = await this.#options.use(({ index }) =>
      index.improvable({ since: args.since, again: true, limit }),
    );
    const choice = await this.#choose({ ...config, 'distill.consent': true });
    const model = choice.kind === 'model' ? choice.driver.model : '';
    const expected = await this.#expected(turns, model, config);
    const counts = { turns: turns.length, improved: 0, trivial: 0, failed: 0 };
    const started = await this.#options.use(({ index }) => index.spent());
    this.#memories = 0;
    const report = async (stopped?: DistillReport['stopped']): Promise<DistillReport> => ({
      driver: choice.kind === 'model' ? choice.driver.name : 'local',
      ...counts,
      memories: this.#memories,
      spent: difference(await this.#options.use(({ index }) => index.spent()), started),
      expected,
      ...(stopped ? { stopped } : {}),
    });
    if (args.dryRun) return report();
    if (!config['distill.consent']) return report('no-consent');
    for (const [done, turn] of turns.entries()) {
      progress({ done, total: turns.length, improved: counts.improved });
      if (signal.aborted || this.#stopping.signal.aborted) return report('cancelled');
      const driver = await this.#driver(config);
      if (!driver) return report('no-driver');
      const step = await this.#alone(() => this.#improve(turn, driver, config, signal));
      if (step === 'stopped') return report('cancelled');
      if (step === 'day') return report('ceiling');
      if (step === 'improved' || step === 'trivial') counts[step]++;
      else counts.failed++;
    }
    return report();
  }

  async health(): Promise<DistillHealth> {
    const config = this.#config();
    const choice = await this.#choose(config);
    const now = new Date();
    const found = await this.#options.use(({ index }) => ({
      waiting: index.improvable({ since: this.#since(WINDOW_MS), limit: 10_000 }).length,
      passed: index.passedTurns(this.#since(SAMPLED_DAYS * DAY_MS)),
      today: index.spent({ since: dayOf(now) }),
    }));
    const failed = found.passed.filter(({ reason }) => reason !== 'trivial' && reason !== 'gone');
    const passed = Object.fromEntries(
      [...Map.groupBy(failed, ({ reason }) => reason)].map(([reason, turns]) => [reason, turns.length]),
    );
    return {
      wanted: config['distill.driver'],
      consent: config['distill.consent'],
      ...told(choice),
      waiting: choice.kind === 'model' ? found.waiting : 0,
      passed,
      today: found.today,
      ceiling: found.today.inputTokens + found.today.outputTokens >= config['distill.dailyTokens'],
      expected: await this.#expectedPerDay(config),
    };
  }

  async #improve(id: string, driver: Driver, config: Config, signal?: AbortSignal): Promise<Step> {
    const { use } = this.#options;
    const prepared = await use((stores) => prepareTurn(stores, id));
    if (prepared.kind === 'pass') {
      await use((stores) => passTurn(stores, id, driver.name, prepared.reason, this.#now()));
      return 'trivial';
    }
    const { turn, request } = prepared;
    const on = { session: turn.session, turn: turn.id };
    const { asking, ceiling } = await this.#asking(driver, config, request, on, signal);
    const asked = await distillByModel(request, asking);
    if (asked.kind !== 'done') return this.#notImproved(id, asked, driver, ceiling(), config);
    const made = await use((stores) => keepImproved(stores, turn, asked.value, driver.name, this.#now()));
    this.#memories += made.length;
    this.#options.tell('improved', { turn: id, by: driver.name, memories: made.map((memory) => memory.id) });
    return 'improved';
  }

  async #summarize(id: string, driver: Driver, config: Config): Promise<Step> {
    const { use } = this.#options;
    const found = await use(async (stores) => {
      const turns = await wholeTurns(stores, id);
      const memories = stores.index.memoriesBy({ session: id, limit: RECENT_SESSIONS * 2 });
      const session = stores.index.session(id);
      const request = summaryRequest(id, turns, memories, session?.worktree);
      return { turns, request, endedAt: session?.endedAt };
    });
    const last = found.turns.at(-1);
    const pass = (reason: string): Promise<void> =>
      use((stores) => passTurn(stores, summaryKey(id), driver.name, reason, this.#now()));
    if (!last) {
      await pass('gone');
      return 'trivial';
    }
    this.#summarized.add(id + found.endedAt);
    const { asking, ceiling } = await this.#asking(driver, config, found.request, { session: id });
    const asked = await summarizeByModel(found.request, asking);
    if (asked.kind !== 'done') return this.#notImproved(summaryKey(id), asked, driver, ceiling(), config);
    await use(async (stores) => {
      summarizeSession(stores, id, found.turns);
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
    ceiling: Ceiling | undefined,
    config: Config,
  ): Promise<Step> {
    if (this.#stopping.signal.aborted) return 'stopped';
    const pass = (reason: string): Promise<void> =>
      this.#options.use((stores) => passTurn(stores, id, driver.name, reason, this.#now()));
    if (asked.kind === 'over-ceiling') {
      if (ceiling !== 'session') return this.#full();
      await pass('session-ceiling');
      return 'session';
    }
    if (asked.reason === 'aborted') return 'stopped';
    this.#options.tell('not improved', {
      turn: id,
      by: driver.name,
      reason: asked.reason,
      message: asked.message,
    });
    if (asked.reason !== 'invalid-reply' && asked.reason !== 'no-answer') {
      this.#resting.set(driver.name, Date.now() + (asked.restMs ?? REST_MS));
      await this.#closeDriver();
      if (await this.#driver(config)) return 'try-other';
    }
    await pass(asked.reason);
    return 'failed';
  }

  async #asking(
    driver: Driver,
    config: Config,
    request: DriverRequest,
    on: { readonly session: string; readonly turn?: string },
    signal?: AbortSignal,
  ): Promise<{ readonly asking: Asking; readonly ceiling: () => Ceiling | undefined }> {
    const { use, wait, timeoutMs } = this.#options;
    const prices = readPrices(config['distill.prices']);
    const next = estimate(request, driver.model, prices);
    const ceilings = {
      dailyTokens: config['distill.dailyTokens'],
      dailyUsd: config['distill.dailyUsd'],
      sessionTokens: config['distill.sessionTokens'],
    };
    const look = () =>
      use(({ index }) => {
        const day = index.spent({ since: dayOf(new Date()) });
        const session = index.spent({ session: on.session });
        return {
          dayTokens: day.inputTokens + day.outputTokens,
          dayUsd: day.usd,
          sessionTokens: session.inputTokens + session.outputTokens,
        };
      });
    let spending = await look();
    let reached: Ceiling | undefined;
    const asking: Asking = {
      driver,
      signal: signal ? AbortSignal.any([signal, this.#stopping.signal]) : this.#stopping.signal,
      mayAsk: () => (reached = overCeiling(spending, next, ceilings)) === undefined,
      spent: async (usage) => {
        await use((stores) => recordCost(stores, usage, { ...on, driver, prices, now: this.#now() }));
        spending = await look();
      },
      replied: (text) => use((stores) => this.#keepReply(stores, text, driver.name, on)),
      ...(wait ? { wait } : {}),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
    return { asking, ceiling: () => reached };
  }

  async #keepReply(
    stores: Stores,
    text: string,
    driver: string,
    on: { readonly session: string; readonly turn?: string },
  ): Promise<void> {
    const about = on.turn === undefined ? { session: on.session } : { turn: on.turn };
    const record = { kind: 'reply', at: this.#now().toISOString(), driver, text, ...about } as const;
    await stores.ledger.append(record);
    noteSummary(stores.index, record);
  }

  async #sessionToSummarize(since: string): Promise<string | undefined> {
    return this.#options.use(({ index }) => {
      const passed = new Set(index.passedTurns(since).map(({ turn }) => turn));
      return index
        .sessions({ limit: RECENT_SESSIONS })
        .find(
          ({ id, endedAt, lastAt, turns }) =>
            endedAt !== undefined &&
            endedAt >= since &&
            turns >= TURNS_WORTH_A_SUMMARY &&
            !this.#summarized.has(id + endedAt) &&
            !passed.has(summaryKey(id)) &&
            modelSummary(index, id, lastAt < endedAt ? lastAt : endedAt) === undefined,
        )?.id;
    });
  }

  /** The day's ceiling: told once, and `local` does it until tomorrow. */
  #full(): Step {
    const { places, tell } = this.#options;
    const marker = join(places.told, `ceiling-${dayOf(new Date())}`);
    if (!existsSync(marker)) {
      mkdirSync(places.told, { recursive: true, mode: 0o700 });
      writeFileSync(marker, '', { mode: 0o600 });
      tell('to the user', {
        text: "Tidemark: today's ceiling for distilling is reached; no model is asked until tomorrow. See: tidemark cost",
      });
    }
    return 'day';
  }

  async #driver(config: Config): Promise<Driver | undefined> {
    const choice = await this.#choose(config);
    return choice.kind === 'model' ? choice.driver : undefined;
  }

  /** Settings are read anew each time; the driver is kept as long as they say the same and it is not to rest. */
  async #choose(config: Config): Promise<Choice> {
    const now = Date.now();
    const rested = (name: DriverName): boolean => (this.#resting.get(name) ?? 0) <= now;
    const settings = Object.entries(config).filter(([key]) => key.startsWith('distill.'));
    const key = JSON.stringify(settings);
    const kept = this.#chosen;
    if (kept?.key === key && kept.choice.kind === 'model' && rested(kept.choice.driver.name))
      return kept.choice;
    await this.#closeDriver();
    const choice = await chooseDriver(config, this.#options, this.#stopping.signal, rested);
    this.#chosen = { key, choice };
    return choice;
  }

  async #closeDriver(): Promise<false> {
    const chosen = this.#chosen;
    this.#chosen = undefined;
    if (chosen?.choice.kind === 'model') await chosen.choice.driver.close();
    return false;
  }

  async #expected(turns: readonly string[], model: string, config: Config) {
    const prices = readPrices(config['distill.prices']);
    let tokens = 0;
    let usd = 0;
    for (const id of turns) {
      const prepared = await this.#options.use((stores) => prepareTurn(stores, id));
      if (prepared.kind === 'pass') continue;
      const one = estimate(prepared.request, model, prices);
      tokens += one.tokens;
      usd += one.usd;
    }
    return { tokens, usd };
  }

  async #expectedPerDay(config: Config): Promise<DistillHealth['expected']> {
    const since = this.#since(SAMPLED_DAYS * DAY_MS);
    const { turns, all } = await this.#options.use(({ index }) => ({
      turns: index.improvable({ since, again: true, limit: SAMPLED_TURNS }),
      all: index.turnsSince(since),
    }));
    const model = this.#chosen?.choice.kind === 'model' ? this.#chosen.choice.driver.model : 'haiku';
    const { tokens, usd } = await this.#expected(turns, model, config);
    const each = all / SAMPLED_DAYS / Math.max(1, turns.length);
    return { turnsPerDay: all / SAMPLED_DAYS, tokensPerDay: tokens * each, usdPerDay: usd * each };
  }

  /** One request at a time, whoever asks. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return turn;
  }

  #config(): Config {
    return loadConfig({ places: this.#options.places, env: this.#options.env }).values;
  }

  /** Never the same instant twice: the ledger tells requests apart by it. */
  #now(): Date {
    this.#lastAt = Math.max(Date.now(), this.#lastAt + 1);
    return new Date(this.#lastAt);
  }

  #since(ms: number): string {
    return new Date(Date.now() - ms).toISOString();
  }
}

function told(choice: Choice): Pick<DistillHealth, 'driver' | 'model' | 'evidence' | 'next'> {
  if (choice.kind === 'model')
    return { driver: choice.driver.name, model: choice.driver.model, evidence: choice.health.evidence };
  if (choice.why !== 'none-works') return { driver: 'local', model: '', evidence: choice.why };
  const first: NamedHealth | undefined = choice.health[0];
  return {
    driver: 'local',
    model: '',
    evidence: choice.health.map(({ name, evidence }) => `${name}: ${evidence}`).join('; '),
    ...(first?.next ? { next: first.next } : {}),
  };
}

function difference(now: Spent, before: Spent): Spent {
  return {
    requests: now.requests - before.requests,
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
    usd: now.usd - before.usd,
  };
}

/** Days are those of UTC, like every time here. */
function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

function summaryKey(session: string): string {
  return `summary:${session}`;
}
