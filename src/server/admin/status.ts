/** One screen for an operator: contents of the database, its queues, and the servers that use it. Reads only. */
import { VERSION } from '../../core/index.ts';
import {
  newestMigration,
  PRUNED,
  type Overview,
  type TeamStore,
  type Upkeep,
  type VectorMode,
} from '../store/index.ts';

export type Rows = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface Status {
  readonly version: string;
  /** `newest`: what this program needs. */
  readonly schema: { readonly done: number; readonly newest: number };
  readonly database: { readonly version: string; readonly bytes: number; readonly inRecovery: boolean };
  readonly vectors: VectorMode;
  readonly teams: number;
  readonly members: Overview['members'];
  readonly keys: Overview['keys'] & { readonly expiringDays: number; readonly unusedDays: number };
  readonly projects: number;
  readonly memories: number;
  /** The largest teams. */
  readonly largest: Overview['largest'];
  /** Counts up to 10,000 and one. */
  readonly queues: {
    readonly withoutVectors: number;
    readonly messages: number;
    readonly oldestMessage: string | null;
    readonly failedMessages: number;
  };
  readonly pushes: Overview['pushes'];
  readonly prunable: Upkeep['prunable'] & { readonly keptDays: number };
  readonly connections: readonly {
    readonly application: string;
    readonly address: string | null;
    readonly connections: number;
    readonly since: string | null;
  }[];
  /** Lag in seconds; null if the user may not see it. */
  readonly replicas: readonly { readonly name: string; readonly lagSeconds: number | null }[];
  /** Of a replica itself. */
  readonly lagSeconds: number | null;
}

/** Warns early enough to replace a key. */
const EXPIRING_DAYS = 14;
/** A quarter without use is a machine that is gone. */
const UNUSED_DAYS = 90;
const MOST_TEAMS = 10;
const DAY_MS = 24 * 60 * 60_000;

export async function statusOf(
  rows: Rows,
  { vectors }: Pick<TeamStore, 'vectors'>,
  { keptDays, now }: { readonly keptDays: number; readonly now: Date },
): Promise<Status> {
  const [facts] = await rows(FACTS);
  const [found] = await rows(
    'SELECT tidemark.overview($1, make_interval(days => $2), make_interval(days => $3)) AS overview, tidemark.upkeep($4) AS upkeep',
    [MOST_TEAMS, EXPIRING_DAYS, UNUSED_DAYS, new Date(now.getTime() - keptDays * DAY_MS).toISOString()],
  );
  const overview = found?.['overview'] as Overview; // built by the functions
  const upkeep = found?.['upkeep'] as Readonly<Record<string, number>>;
  const prunable = Object.fromEntries(PRUNED.map((table) => [table, upkeep[table] ?? 0]));
  const { teams, members, projects, memories, largest, pushes } = overview;
  return {
    version: VERSION,
    schema: { done: Number(facts?.['done']), newest: newestMigration() },
    database: {
      version: String(facts?.['version']),
      bytes: Number(facts?.['bytes']),
      inRecovery: facts?.['recovery'] === true,
    },
    vectors,
    teams,
    members,
    keys: { ...overview.keys, expiringDays: EXPIRING_DAYS, unusedDays: UNUSED_DAYS },
    projects,
    memories: Number(memories),
    largest,
    queues: {
      withoutVectors: upkeep['unembedded'] ?? 0,
      messages: upkeep['queued'] ?? 0,
      oldestMessage: overview.oldest,
      failedMessages: overview.failed,
    },
    pushes,
    prunable: { ...(prunable as Upkeep['prunable']), keptDays },
    connections: (await rows(CONNECTIONS)).map((row) => ({
      application: String(row['application']),
      address: textOrNull(row['address']),
      connections: Number(row['connections']),
      since: timeOrNull(row['since']),
    })),
    replicas: (await rows(REPLICAS)).map((row) => ({
      name: textOrNull(row['name']) ?? 'not visible',
      lagSeconds: numberOrNull(row['lag']),
    })),
    lagSeconds: numberOrNull(facts?.['lag']),
  };
}

/** Sizes of our tables with their indexes: the size of the database needs a privilege that the server's role lacks. */
const FACTS = `
  SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS recovery,
    (SELECT coalesce(max(number), 0) FROM tidemark.migration) AS done,
    (SELECT sum(pg_total_relation_size(oid))::text FROM pg_class
      WHERE relnamespace = 'tidemark'::regnamespace AND relkind = 'r') AS bytes,
    CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float END AS lag`;

const CONNECTIONS = `
  SELECT application_name AS application, host(client_addr) AS address, count(*)::int AS connections,
    min(backend_start) AS since
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'tidemark%' AND pid <> pg_backend_pid()
  GROUP BY 1, 2 ORDER BY 4 NULLS LAST, 1, 2 LIMIT 50`;

const REPLICAS = `
  SELECT application_name AS name, extract(epoch FROM replay_lag)::float AS lag
  FROM pg_stat_replication ORDER BY 1 LIMIT 50`;

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function timeOrNull(value: unknown): string | null {
  return value instanceof Date ? value.toISOString() : null;
}
