/**
 * The user's pace, from stored turns or, before any is stored, from the agents' own transcripts: turns per day, and the
 * tokens and dollars that a model would need for them. Only reads.
 */
import { readerOf, type SessionFile } from '../agents/index.ts';
import type { Config } from '../config/index.ts';
import type { StoredTurn, Turn } from '../core/index.ts';
import type { Stores } from '../memory/index.ts';
import { admit } from './admission.ts';
import { estimate, type Estimate } from './budget.ts';
import { readPrices } from './drivers/prices.ts';
import { prepareTurn } from './improve.ts';
import { turnRequest } from './request.ts';

export interface Pace {
  readonly from: 'memory' | 'transcripts';
  /** Days that the average covers, at most four weeks. */
  readonly days: number;
  readonly turnsPerDay: number;
  readonly tokensPerDay: number;
  readonly usdPerDay: number;
}

export interface PaceOptions {
  readonly model: string;
  readonly config: Config;
  readonly now: Date;
}

export type Use = <T>(work: (stores: Stores) => T | Promise<T>) => Promise<T>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Long enough for an average with holidays, short enough to describe the present. */
const PACE_DAYS = 28;
/** Turns that the cost of one turn is averaged over. */
const SAMPLED_TURNS = 20;
/** Requests after which their recorded cost counts instead of an estimate. */
const MEASURED_REQUESTS = 20;
/** About three seconds of reading on a slow machine. */
const MOST_TRANSCRIPT_BYTES = 16 * 1024 * 1024;

/** Undefined: no turn is stored from the last four weeks. */
export async function storedPace(use: Use, options: PaceOptions): Promise<Pace | undefined> {
  const { now, model, config } = options;
  const since = new Date(now.getTime() - PACE_DAYS * DAY_MS).toISOString();
  const found = await use(({ index }) => ({
    ...index.turnSpan(since, now.toISOString()),
    sample: index.improvable({ since, again: true, limit: SAMPLED_TURNS }),
    spent: index.spent({ since }),
  }));
  if (found.turns === 0 || found.first === undefined) return undefined;
  const { spent, sample } = found;
  const measured = spent.requests >= MEASURED_REQUESTS;
  const cost: Estimate = measured
    ? { tokens: spent.inputTokens + spent.outputTokens, usd: spent.usd }
    : await expectedCost(use, sample, model, config);
  return paceOf(
    'memory',
    found.turns,
    found.first,
    now,
    perTurn(cost, measured ? spent.requests : sample.length),
  );
}

/**
 * `files` are sorted by their last change, newest first. Reads the newest ones up to a size; the average covers the time
 * for which every file was read. Undefined: they contain no turn of the last four weeks.
 */
export async function transcriptPace(
  files: readonly SessionFile[],
  { now, model, config }: PaceOptions,
): Promise<Pace | undefined> {
  const oldest = new Date(now.getTime() - PACE_DAYS * DAY_MS);
  const recent = files.filter(({ modifiedAt }) => modifiedAt >= oldest);
  let bytes = 0;
  const read = recent.filter((file, place) => (bytes += file.bytes) <= MOST_TRANSCRIPT_BYTES || place === 0);
  const unread = recent.find((file) => !read.includes(file));
  const since = (unread?.modifiedAt ?? oldest).toISOString();
  const until = now.toISOString();
  const turns: Turn[] = [];
  for (const { agent, path } of read) {
    try {
      for await (const { turn } of readerOf(agent).readTurns(path))
        if (turn.origin === 'person' && turn.startedAt >= since && turn.startedAt <= until) turns.push(turn);
    } catch {
      // An unreadable file is not part of the average; the import reports it.
    }
  }
  const [first] = turns.map(({ startedAt }) => startedAt).toSorted();
  if (first === undefined) return undefined;
  const prices = readPrices(config['distill.prices']);
  const sample = turns.slice(-SAMPLED_TURNS).map((turn): StoredTurn => ({ ...turn, project: '' }));
  const costs = sample.flatMap((turn) =>
    admit(turn).admitted ? [estimate(turnRequest({ turn, related: [] }), model, prices)] : [],
  );
  return paceOf('transcripts', turns.length, first, now, perTurn(sum(costs), sample.length));
}

/** The highest cost of improving these turns; trivial ones cost nothing. */
export async function expectedCost(
  use: Use,
  turns: readonly string[],
  model: string,
  config: Config,
): Promise<Estimate> {
  const prices = readPrices(config['distill.prices']);
  const costs: Estimate[] = [];
  for (const id of turns) {
    const prepared = await use((stores) => prepareTurn(stores, id));
    if (prepared.kind === 'ask') costs.push(estimate(prepared.request, model, prices));
  }
  return sum(costs);
}

function paceOf(from: Pace['from'], turns: number, first: string, now: Date, each: Estimate): Pace {
  const days = Math.min(PACE_DAYS, Math.max(1, Math.ceil((now.getTime() - Date.parse(first)) / DAY_MS)));
  const turnsPerDay = turns / days;
  return {
    from,
    days,
    turnsPerDay,
    tokensPerDay: each.tokens * turnsPerDay,
    usdPerDay: each.usd * turnsPerDay,
  };
}

function perTurn({ tokens, usd }: Estimate, turns: number): Estimate {
  const n = Math.max(1, turns);
  return { tokens: tokens / n, usd: usd / n };
}

function sum(costs: readonly Estimate[]): Estimate {
  return costs.reduce((all, one) => ({ tokens: all.tokens + one.tokens, usd: all.usd + one.usd }), {
    tokens: 0,
    usd: 0,
  });
}
