/**
 * Deletes rows that are no longer needed, in small batches: answered requests, processed messages and ended log-ins of all
 * teams, and what a team's own periods end. Memories are forgotten with tombstones, so that machines drop them too.
 */
import {
  agedMemories,
  auditLog,
  forgetOlder,
  prune,
  PRUNED,
  retentions,
  type Pruned,
  type TeamStore,
} from '../store/index.ts';
import { asOwner } from './_find.ts';

/** Longer than any client repeats a request. */
export const KEPT_DAYS = 30;
/** Rows per transaction: milliseconds, so that no request waits for it. */
const BATCH = 1000;
/** Memories per transaction: as many as one push may have. */
const MEMORIES_BATCH = 500;
/** Batches of one kind in one round. The rest follows an hour later. */
const MOST_BATCHES = 200;
const DAY_MS = 24 * 60 * 60_000;

export type PruneReport = Partial<Readonly<Record<Pruned | 'revision' | 'audit' | 'memory', number>>>;

interface PruneOptions {
  readonly keptDays: number;
  readonly now: Date;
  readonly signal?: AbortSignal;
  /** Smaller in tests. */
  readonly batch?: number;
}

/**
 * One round over everything. Two servers may run it at the same time: one of them finds nothing to do. A team whose rows
 * cannot be deleted does not keep the others from it; its error is thrown at the end.
 */
export async function pruneAll(store: TeamStore, options: PruneOptions): Promise<PruneReport> {
  const { keptDays, now, signal, batch = BATCH } = options;
  const before = daysBefore(now, keptDays);
  const report: Partial<Record<keyof PruneReport, number>> = {};
  const add = (kind: keyof PruneReport, rows: number): void => {
    if (rows > 0) report[kind] = (report[kind] ?? 0) + rows;
  };
  for (const kind of PRUNED)
    add(kind, await repeated((most) => prune(store, kind, { before, most }), batch, signal));
  const errors: unknown[] = [];
  for (const { team, key, days } of await retentions(store)) {
    const older = daysBefore(now, days);
    const kind = KINDS[key];
    try {
      if (key === 'retention.memories')
        add('memory', await forgetAged(store, team, { days, older, batch, signal }));
      if (kind)
        add(kind, await repeated((most) => prune(store, kind, { before: older, most, team }), batch, signal));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return report;
}

const KINDS: Readonly<Record<string, 'revision' | 'audit' | undefined>> = {
  'retention.revisions': 'revision',
  'retention.audit': 'audit',
};

/** Forgets memories that are older than a team's period, project by project. */
async function forgetAged(
  store: TeamStore,
  team: string,
  options: {
    readonly days: number;
    readonly older: Date;
    readonly batch: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<number> {
  const { days, older, signal } = options;
  const batch = Math.min(options.batch, MEMORIES_BATCH);
  const aged = await asOwner(store, { id: team, name: team }, (work) => agedMemories(work, older, 1));
  let forgotten = 0;
  for (const { project: id } of aged)
    forgotten += await repeated(
      (most) =>
        asOwner(store, { id: team, name: team }, async (work) => {
          const count = await forgetOlder(work, id, older, most);
          if (count > 0) await auditLog(work)('memory.expire', id, { count, days });
          return count;
        }),
      batch,
      signal,
    );
  return forgotten;
}

/** Repeats until a batch is not full. */
async function repeated(
  once: (most: number) => Promise<number>,
  batch: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let sum = 0;
  for (let round = 0; round < MOST_BATCHES && !signal?.aborted; round++) {
    const rows = await once(batch);
    sum += rows;
    if (rows < batch) break;
  }
  return sum;
}

export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
