/** Figures of the whole database for its operator, and pruning. Works outside of any team: figures and names, never a text. */
import type { TeamStore } from '../store.ts';
import { number, text } from '../values.ts';

/** Counted up to a limit, so that a count never reads a whole table. */
export interface Upkeep {
  /** Rows that pruning would delete now, by table. */
  readonly prunable: Readonly<Record<(typeof PRUNED)[number], number>>;
  /** Texts without a vector. */
  readonly unembedded: number;
  /** Messages of EverMem's plugin that are not memories yet. */
  readonly queued: number;
}

export interface Overview {
  readonly teams: number;
  readonly members: { readonly current: number; readonly removed: number };
  readonly keys: Readonly<Record<'active' | 'expiring' | 'unused' | 'revoked' | 'expired', number>>;
  readonly projects: number;
  readonly memories: number;
  /** The teams with the most memories. */
  readonly largest: readonly {
    readonly id: string;
    readonly name: string;
    readonly memories: number;
    readonly projects: number;
    readonly members: number;
  }[];
  /** Messages that could not be processed. */
  readonly failed: number;
  /** When the oldest queued message arrived. */
  readonly oldest: string | null;
  readonly pushes: readonly {
    readonly at: string;
    readonly team: string;
    readonly member: string | null;
    readonly project: string | null;
  }[];
}

/** A period of a team, in days. */
export interface Retention {
  readonly team: string;
  readonly key: string;
  readonly days: number;
}

/** The tables that are pruned for all teams: answered requests, processed messages, ended log-ins. */
export const PRUNED = ['push', 'message', 'session_event', 'hub_link', 'hub_visit'] as const;
export type Pruned = (typeof PRUNED)[number];

export async function upkeepOf(store: TeamStore, keptSince: Date): Promise<Upkeep> {
  const row = await store.outside((work) =>
    work.row('SELECT tidemark.upkeep($1) AS found', [keptSince.toISOString()]),
  );
  const found = row?.['found'] as Readonly<Record<string, number>>; // built by the function
  const prunable = Object.fromEntries(PRUNED.map((table) => [table, found[table] ?? 0]));
  return {
    prunable: prunable as Upkeep['prunable'],
    unembedded: found['unembedded'] ?? 0,
    queued: found['queued'] ?? 0,
  };
}

export async function overviewOf(
  store: TeamStore,
  wanted: { readonly mostTeams: number; readonly expiringDays: number; readonly unusedDays: number },
): Promise<Overview> {
  const row = await store.outside((work) =>
    work.row('SELECT tidemark.overview($1, make_interval(days => $2), make_interval(days => $3)) AS found', [
      wanted.mostTeams,
      wanted.expiringDays,
      wanted.unusedDays,
    ]),
  );
  return row?.['found'] as Overview; // built by the function
}

/** Deletes at most `most` of the oldest rows. @returns how many; none while another server prunes */
export async function prune(
  store: TeamStore,
  kind: Pruned | 'revision' | 'audit',
  { before, most, team }: { readonly before: Date; readonly most: number; readonly team?: string },
): Promise<number> {
  const row = await store.outside((work) =>
    work.row('SELECT tidemark.prune($1, $2, $3, $4) AS gone', [
      kind,
      team ?? null,
      before.toISOString(),
      most,
    ]),
  );
  return row ? number(row, 'gone') : 0;
}

/** Returns the periods that teams have set. */
export async function retentions(store: TeamStore): Promise<readonly Retention[]> {
  const rows = await store.outside((work) => work.rows('SELECT * FROM tidemark.retentions()'));
  return rows.flatMap((row) => {
    const days = row['value'];
    return typeof days === 'number' ? [{ team: text(row, 'team_id'), key: text(row, 'key'), days }] : [];
  });
}
