/** Looks at what the server stands on, and says what to do where something is not well. Changes nothing. */
import type { EmbedderChoice } from '../../models/index.ts';
import { newestMigration, type Look } from '../store/index.ts';
import { queue } from './_queue.ts';

export interface Finding {
  readonly name: string;
  readonly verdict: 'well' | 'note' | 'wrong';
  readonly evidence: string;
  readonly next?: string;
}

type Row = Readonly<Record<string, unknown>>;
type Ask = (text: string, values?: readonly unknown[]) => Promise<Row>;

const MB = 1024 * 1024;

export async function examine(at: Look, embedder: EmbedderChoice): Promise<readonly Finding[]> {
  const ask: Ask = async (text, values) => (await at.rows(text, values))[0] ?? {};
  const ours = at.done > 0 ? [await policies(ask), await role(ask), await vectors(ask)] : [];
  const machine = [model(embedder), await connections(ask), await durability(ask), await size(ask)];
  if (at.done === 0) return [await version(ask), migrations(at), ...machine];
  await at.asServer();
  return [
    await version(ask),
    migrations(at),
    ...ours,
    ...machine,
    await queue(at, new Date()),
    await teams(at),
  ];
}

async function version(ask: Ask): Promise<Finding> {
  const row = await ask("SELECT current_setting('server_version') AS version");
  return { name: 'database', verdict: 'well', evidence: `PostgreSQL ${String(row['version'])}` };
}

/** A server that starts brings it up to date, and so does `server init`; this only says so. */
function migrations({ done, pending }: Look): Finding {
  const name = 'schema';
  const wanted = newestMigration();
  if (done === wanted) return { name, verdict: 'well', evidence: `${done}, current` };
  if (done > wanted)
    return {
      name,
      verdict: 'note',
      evidence: `${done}, of a newer Tidemark; this one knows ${wanted}`,
      next: 'Upgrade this program. A server that runs goes on meanwhile, but would not start again.',
    };
  if (done === 0)
    return { name, verdict: 'wrong', evidence: 'there is none yet', next: 'tidemark server init' };
  const steps = pending.map(({ number, name: what }) => `${number} (${what})`).join(', ');
  return {
    name,
    verdict: 'note',
    evidence: `${done}; still to come: ${steps}`,
    next: 'Starting the server does it, or: tidemark server init. Back up first.',
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

async function vectors(ask: Ask): Promise<Finding> {
  const row = await ask(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS version,
       EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('tidemark.memory_vector')
         AND attname = 'embedding' AND NOT attisdropped) AS indexed,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available`,
  );
  const name = 'by meaning';
  if (row['indexed'] === true) {
    return {
      name,
      verdict: 'well',
      evidence: `pgvector ${String(row['version'])}: the database's own index`,
    };
  }
  const { available } = row;
  return {
    name,
    verdict: 'note',
    evidence: `no pgvector 0.8 or newer in use: words find, vectors only put what was found in order`,
    next:
      typeof available === 'string'
        ? `This PostgreSQL has pgvector ${available}: run CREATE EXTENSION vector as a superuser, then restart the server (0.8 or newer is used).`
        : 'Install pgvector for this PostgreSQL, then restart the server; see docs/server.md.',
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

async function teams({ rows }: Look): Promise<Finding> {
  const name = 'teams';
  const ids = await rows('SELECT team_ids AS id FROM tidemark.team_ids()');
  const names: string[] = [];
  for (const { id } of ids) {
    await rows("SELECT set_config('tidemark.team', $1, true)", [id]);
    const [team] = await rows('SELECT name FROM tidemark.team WHERE id = $1', [id]);
    names.push(String(team?.['name']));
  }
  if (names.length > 0) return { name, verdict: 'well', evidence: listed(names) };
  return { name, verdict: 'wrong', evidence: 'there is none yet', next: 'tidemark server init' };
}

/** More names than this say nothing to a person. */
const MOST_NAMES = 10;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
