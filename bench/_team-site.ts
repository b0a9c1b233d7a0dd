/**
 * One arrangement of the server benchmark: one or several built servers on one database, directly or through PgBouncer,
 * with the CPU time and the memory of each part.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProject, removeProject, setShare, TeamStore, type Caller } from '../src/server/store/index.ts';
import { startTeamServer, type TeamServer } from '../test/support/team-server.ts';
import { walOf, type Member, type Running } from './_team-database.ts';
import { TeamLoad, type Load, type Outcome } from './_team-load.ts';
import { cpuOf, endWithThis, memoryOf } from './_team-processes.ts';

export interface Arrangement {
  readonly instances: number;
  readonly pgbouncer: boolean;
  readonly pgvector: boolean;
}

export interface Phase extends Outcome {
  readonly name: string;
  /** Per request, in ms. Clients include the making of queries and entries. */
  readonly cpu: {
    readonly servers: number;
    readonly postgres: number;
    readonly pgbouncer: number;
    readonly clients: number;
  };
  /** The share of the searches whose query had its vector in time; undefined without searches or a model. */
  readonly vectorsInTime?: number;
  /** Bytes of the log of changes per pushed entry; undefined without pushes. */
  readonly walPerEntry?: number;
}

export interface Memory {
  readonly servers: number;
  readonly postgres: number;
  readonly pgbouncer: number;
}

/** `servers` are those running: a crash replaces one. */
export interface Site {
  readonly servers: TeamServer[];
  readonly load: TeamLoad;
  measure(name: string, load: Load): Promise<Phase>;
  memory(): Memory;
  /** Starts a server again that was stopped, at the same port. */
  restart(server: TeamServer): Promise<void>;
}

/** The rate limit of a key is not measured: a client of the benchmark never pauses. */
const ARGS = ['--rate', '100000'];
/** As many connections as one server has of its own: more only wait inside the database. */
const BOUNCER = { default_pool_size: 20, max_client_conn: 500 };

/** Starts the servers, runs `work`, and removes what the clients pushed. */
export async function withSite<T>(
  { postgres, database, filled }: Running,
  { instances, pgbouncer: isPooled }: Arrangement,
  withModel: boolean,
  work: (site: Site) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'tm-bench-home-'));
  const env = {
    TIDEMARK_HOME: home,
    ...(withModel ? { TIDEMARK_EMBED_DRIVER: 'local' } : {}),
    // For migrations and notices, which do not work through a pooler.
    ...(isPooled ? { DIRECT_DATABASE_URL: database } : {}),
  };
  const store = await TeamStore.open({ database });
  const owners = new Map(filled.clients.map(({ team }: Member) => [team.caller.team, team.caller]));
  const projects = new Map<string, string>();
  // Loaded after the parts are prepared, whose paths it reads.
  const bouncer = isPooled
    ? await (await import('../test/support/pgbouncer.ts')).startPgBouncer([database], BOUNCER)
    : undefined;
  const forget = bouncer && endWithThis(bouncer.pid, 'SIGTERM');
  const start = async (port?: number): Promise<TeamServer> => {
    const server = await startTeamServer(bouncer?.urlOf(database) ?? database, {
      args: ARGS,
      env,
      ...(port === undefined ? {} : { port }),
    });
    void server.ended.then(endWithThis(server.pid, 'SIGTERM'));
    return server;
  };
  const servers: TeamServer[] = [];
  try {
    for (const owner of owners.values()) projects.set(owner.team, await newProject(store, owner));
    for (let i = 0; i < instances; i++) servers.push(await start());
    const load = new TeamLoad(
      servers.map(({ url }) => url),
      projects,
    );
    const cpu = () => {
      const { user, system } = process.cpuUsage();
      return {
        servers: servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
        postgres: cpuOf(postgres.pid),
        pgbouncer: bouncer ? cpuOf(bouncer.pid) : 0,
        clients: (user + system) / 1000,
      };
    };
    const measure = async (name: string, wanted: Load): Promise<Phase> => {
      const vectorsBefore = await queryVectors(servers);
      const [before, walBefore] = [cpu(), await walOf(database)];
      const outcome = await load.run(wanted);
      const [after, wal] = [cpu(), (await walOf(database)) - walBefore];
      const vectors = await queryVectors(servers);
      const [inTime, late] = [vectors.inTime - vectorsBefore.inTime, vectors.late - vectorsBefore.late];
      // The unmeasured first part of the load is in the CPU time and in the log too.
      const requests = Math.max(1, outcome.requests + outcome.warmed);
      const entries = outcome.pushedEntries + outcome.warmedEntries;
      return {
        name,
        ...outcome,
        cpu: {
          servers: (after.servers - before.servers) / requests,
          postgres: (after.postgres - before.postgres) / requests,
          pgbouncer: (after.pgbouncer - before.pgbouncer) / requests,
          clients: (after.clients - before.clients) / requests,
        },
        ...(entries > 0 ? { walPerEntry: wal / entries } : {}),
        ...(inTime + late > 0 ? { vectorsInTime: inTime / (inTime + late) } : {}),
      };
    };
    const restart = async (server: TeamServer): Promise<void> => {
      await server.ended;
      servers[servers.indexOf(server)] = await start(server.port);
    };
    const memory = (): Memory => ({
      servers: servers.reduce((sum, { pid }) => sum + memoryOf(pid), 0),
      postgres: memoryOf(postgres.pid),
      pgbouncer: bouncer ? memoryOf(bouncer.pid) : 0,
    });
    try {
      return await work({ servers, load, measure, memory, restart });
    } finally {
      load.close();
    }
  } finally {
    for (const server of servers) await server.stop();
    for (const [team, project] of projects) {
      const owner = owners.get(team);
      if (owner) await store.transaction(owner, (work) => removeProject(work, project));
    }
    await bouncer?.stop();
    forget?.();
    await store.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A project that all members of a team push to. */
function newProject(store: TeamStore, owner: Caller): Promise<string> {
  return store.transaction(owner, async (work) => {
    const { id } = await ensureProject(work, { name: 'load', keys: [`bench:load:${Date.now()}`] });
    await setShare(work, id, { member: null, access: 'write' });
    return id;
  });
}

async function queryVectors(servers: readonly TeamServer[]): Promise<{ inTime: number; late: number }> {
  const texts = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  const sum = (name: string): number =>
    texts.reduce((all, text) => all + Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0), 0);
  return { inTime: sum('tidemark_query_vectors'), late: sum('tidemark_query_vectors_late') };
}
