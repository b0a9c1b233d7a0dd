/** Looks at what the server stands on, and says what to do where something is not well. Changes nothing. */
import type { EmbedderChoice } from '../../embed/index.ts';
import { schemaState } from '../schema.ts';
import type { TeamStore } from '../store/index.ts';
import { teamsOf } from './_meant.ts';

export interface Finding {
  readonly name: string;
  readonly verdict: 'well' | 'note' | 'wrong';
  readonly evidence: string;
  readonly next?: string;
}

type Row = Readonly<Record<string, unknown>>;
type Ask = (text: string) => Promise<Row>;

const MB = 1024 * 1024;

export async function examine(
  store: TeamStore,
  embedder: EmbedderChoice | undefined,
): Promise<readonly Finding[]> {
  const ask: Ask = async (text) => (await store.outside((work) => work.row(text))) ?? {};
  return [
    await version(ask),
    await migrations(store),
    await policies(ask),
    await role(ask),
    await vectors(store, ask),
    ...(embedder ? [model(embedder)] : []),
    await connections(ask),
    await durability(ask),
    await size(ask),
    await teams(store),
  ];
}

async function version(ask: Ask): Promise<Finding> {
  const row = await ask("SELECT current_setting('server_version') AS version");
  return { name: 'database', verdict: 'well', evidence: `PostgreSQL ${String(row['version'])}` };
}

async function migrations(store: TeamStore): Promise<Finding> {
  const { done, wanted } = await schemaState(store);
  const name = 'migrations';
  if (done === wanted) return { name, verdict: 'well', evidence: `schema ${done}, current` };
  return {
    name,
    verdict: 'wrong',
    evidence: `the database has schema ${done}, this program wants ${wanted}`,
    next: done < wanted ? 'tidemark server init' : 'Upgrade this program.',
  };
}

async function policies(ask: Ask): Promise<Finding> {
  const row = await ask(
    `SELECT count(*)::int AS tables, coalesce(string_agg(relname, ', ' ORDER BY relname)
       FILTER (WHERE NOT (relrowsecurity AND relforcerowsecurity)), '') AS open
     FROM pg_class WHERE relnamespace = 'tidemark'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migration'`,
  );
  const open = String(row['open'] ?? '');
  const name = 'row security';
  if (open === '')
    return { name, verdict: 'well', evidence: `forced on all ${String(row['tables'])} tables` };
  return {
    name,
    verdict: 'wrong',
    evidence: `off for ${open}: teams could see each other there`,
    next: 'ALTER TABLE tidemark.<table> ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY, and find out who turned it off.',
  };
}

async function role(ask: Ask): Promise<Finding> {
  const row = await ask(
    "SELECT rolbypassrls OR rolsuper AS free, rolcanlogin AS login FROM pg_roles WHERE rolname = 'tidemark_app'",
  );
  const name = 'role';
  if (row['free'] !== true)
    return { name, verdict: 'well', evidence: 'tidemark_app is bound by row security' };
  return {
    name,
    verdict: 'wrong',
    evidence: 'tidemark_app may go round row security',
    next: 'ALTER ROLE tidemark_app NOSUPERUSER NOBYPASSRLS',
  };
}

async function vectors({ vectors: mode }: TeamStore, ask: Ask): Promise<Finding> {
  const row = await ask("SELECT extversion AS version FROM pg_extension WHERE extname = 'vector'");
  const name = 'by meaning';
  if (mode === 'pgvector') {
    return {
      name,
      verdict: 'well',
      evidence: `pgvector ${String(row['version'])}: the database's own index`,
    };
  }
  return {
    name,
    verdict: 'note',
    evidence:
      mode === 'rescoring'
        ? 'no pgvector 0.8 or newer: words find, vectors only put what was found in order'
        : 'off: words alone find',
    next: 'Install pgvector for this PostgreSQL, then restart the server; see docs/server.md.',
  };
}

/** The server's own, on the machine where it runs. */
function model(embedder: EmbedderChoice): Finding {
  const name = 'model';
  if (embedder.kind === 'embedder') {
    return { name, verdict: 'well', evidence: `${embedder.embedder.name} makes the vectors` };
  }
  return {
    name,
    verdict: 'note',
    evidence: `${embedder.why}: words alone find, whatever the database can do`,
    next: `${embedder.next}, as the user and with the TIDEMARK_HOME of the server; then restart it`,
  };
}

/** As many as a server takes unless told. */
const WANTED_CONNECTIONS = 20;

async function connections(ask: Ask): Promise<Finding> {
  const row = await ask(
    `SELECT current_setting('max_connections')::int AS most,
       (SELECT sum(numbackends)::int FROM pg_stat_database) AS used`,
  );
  const [most, used] = [Number(row['most']), Number(row['used'])];
  const evidence = `${used} of ${most} in use; a server takes up to ${WANTED_CONNECTIONS}`;
  const name = 'connections';
  if (most - used >= WANTED_CONNECTIONS) return { name, verdict: 'well', evidence };
  return {
    name,
    verdict: 'note',
    evidence,
    next: 'Raise max_connections, or give the server fewer: --connections 10',
  };
}

async function durability(ask: Ask): Promise<Finding> {
  const row = await ask(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits, current_setting('full_page_writes') AS pages",
  );
  const off = [
    row['fsync'] === 'on' ? [] : ['fsync'],
    row['commits'] === 'off' ? ['synchronous_commit'] : [],
    row['pages'] === 'on' ? [] : ['full_page_writes'],
  ].flat();
  const name = 'durability';
  if (off.length === 0) return { name, verdict: 'well', evidence: 'what is acknowledged is on the disk' };
  return {
    name,
    verdict: 'wrong',
    evidence: `${off.join(', ')} off: what was acknowledged can be lost in a crash`,
    next: 'Turn it on in postgresql.conf.',
  };
}

async function size(ask: Ask): Promise<Finding> {
  const row = await ask('SELECT pg_database_size(current_database())::text AS bytes');
  return {
    name: 'disk',
    verdict: 'well',
    evidence: `the database takes ${(Number(row['bytes']) / MB).toFixed(0)} MB`,
  };
}

async function teams(store: TeamStore): Promise<Finding> {
  const found = await teamsOf(store);
  const name = 'teams';
  if (found.length > 0) return { name, verdict: 'well', evidence: found.map((team) => team.name).join(', ') };
  return { name, verdict: 'wrong', evidence: 'there is none yet', next: 'tidemark server init' };
}
