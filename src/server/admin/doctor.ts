/** Examines the database and the model that the server depends on, and says what to do about each problem. Read-only. */
import { given } from '../../core/index.ts';
import type { EmbedderChoice } from '../../models/index.ts';
import { newestMigration, ROLES_ARE_OWNED, type Inspection } from '../store/index.ts';

export interface Finding {
  readonly name: string;
  readonly verdict: 'well' | 'note' | 'wrong';
  readonly evidence: string;
  readonly next?: string;
}

type Ask = (text: string, values?: readonly unknown[]) => Promise<Readonly<Record<string, unknown>>>;

const MB = 1024 * 1024;
/** The default pool size of a server (store.ts). */
const POOL_CONNECTIONS = 20;
/** A running server processes messages within seconds. */
const MAX_QUEUE_MS = 10 * 60_000;
const MAX_NAMES = 10;

export async function examine(
  at: Inspection,
  embedder: EmbedderChoice,
  { isTrial = false }: { readonly isTrial?: boolean } = {},
): Promise<readonly Finding[]> {
  const ask: Ask = async (text, values) => (await at.rows(text, values))[0] ?? {};
  const basics = [await version(ask), migrations(at)];
  const schema = at.done > 0 ? [await policies(ask), await role(ask, at), await vectors(ask)] : [];
  const safety = isTrial ? [TRIAL] : [await connections(ask), await durability(ask)];
  const machine = [model(embedder), ...safety, await size(ask)];
  if (at.done === 0) return [...basics, ...machine];
  await at.asServer();
  return [...basics, ...schema, ...machine, await queue(at, new Date()), await teams(at)];
}

async function version(ask: Ask): Promise<Finding> {
  const row = await ask("SELECT current_setting('server_version') AS version");
  return finding('database', 'well', `PostgreSQL ${String(row['version'])}`);
}

function migrations({ done, pending }: Inspection): Finding {
  const newest = newestMigration();
  if (done === newest) return finding('schema', 'well', `${done}, current`);
  if (done > newest)
    return finding(
      'schema',
      'note',
      `${done}, of a newer Tidemark; this one knows ${newest}`,
      'Upgrade this program. A running server continues to work, but cannot start again.',
    );
  if (done === 0) return finding('schema', 'wrong', 'not created yet', 'tidemark server init');
  const steps = pending.map(({ number, name }) => `${number} (${name})`).join(', ');
  return finding(
    'schema',
    'note',
    `${done}; pending: ${steps}`,
    'Back up the database, then start the server or run: tidemark server init',
  );
}

async function policies(ask: Ask): Promise<Finding> {
  const row = await ask(
    `SELECT count(*)::int AS tables, coalesce(string_agg(relname, ', ' ORDER BY relname)
       FILTER (WHERE NOT (relrowsecurity AND relforcerowsecurity)), '') AS open
     FROM pg_class WHERE relnamespace = 'tidemark'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migration'`,
  );
  const open = String(row['open'] ?? '');
  if (open === '') return finding('row security', 'well', `forced on all ${String(row['tables'])} tables`);
  return finding(
    'row security',
    'wrong',
    `off for ${open}: teams could see each other's rows`,
    'ALTER TABLE tidemark.<table> ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY, and find out who turned it off.',
  );
}

/** Examines the role that requests run as, and who else could take it. */
async function role(ask: Ask, { app }: Inspection): Promise<Finding> {
  const row = await ask(
    `SELECT r.rolbypassrls OR r.rolsuper AS free, right(r.rolname, length(d.oid::text) + 1) = '_' || d.oid AS own,
       d.datacl IS NULL OR EXISTS (SELECT FROM aclexplode(d.datacl) WHERE grantee = 0 AND privilege_type = 'CONNECT') AS open,
       ARRAY(SELECT o.rolname::text FROM pg_roles o WHERE NOT o.rolsuper AND o.rolname <> current_user
         AND (pg_has_role(o.oid, r.oid, 'MEMBER')
           OR o.rolcreaterole AND current_setting('server_version_num')::int < ${ROLES_ARE_OWNED}) ORDER BY 1) AS others
     FROM pg_roles r, pg_database d WHERE r.rolname = $1 AND d.datname = current_database()`,
    [app],
  );
  if (row['free'] === true)
    return finding(
      'role',
      'wrong',
      `${app} can bypass row security`,
      `ALTER ROLE ${app} NOSUPERUSER NOBYPASSRLS`,
    );
  if (row['own'] !== true)
    return finding(
      'role',
      'wrong',
      `${app} is not the role of this database: the owner of another database could read this one`,
      'Start the server or run: tidemark server init',
    );
  const others = (row['others'] as readonly string[]).filter((name) => name !== app);
  if (others.length > 0)
    return finding(
      'role',
      'note',
      `${others.join(', ')} can take the role ${app}`,
      'Remove CREATEROLE or the membership, if another database belongs to them: ALTER ROLE … NOCREATEROLE',
    );
  return row['open'] === true
    ? finding(
        'role',
        'note',
        'every role of this PostgreSQL may connect to this database',
        'REVOKE CONNECT ON DATABASE … FROM PUBLIC, as its owner',
      )
    : finding('role', 'well', `${app} belongs to this database and is bound by row security`);
}

async function vectors(ask: Ask): Promise<Finding> {
  const row = await ask(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS version,
       EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('tidemark.memory_vector')
         AND attname = 'embedding' AND NOT attisdropped) AS indexed,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available`,
  );
  if (row['indexed'] === true)
    return finding('vector search', 'well', `pgvector ${String(row['version'])}: indexed in the database`);
  const { available } = row;
  return finding(
    'vector search',
    'note',
    'no pgvector 0.8 or newer in use: vectors only reorder what a word search finds',
    typeof available === 'string'
      ? `This PostgreSQL has pgvector ${available}: run CREATE EXTENSION vector as a superuser, then restart the server (0.8 or newer is used).`
      : 'Install pgvector for this PostgreSQL, then restart the server; see docs/server.md.',
  );
}

/** Examines the embedding model of this machine. */
function model(embedder: EmbedderChoice): Finding {
  if (embedder.kind === 'embedder')
    return finding('model', 'well', `${embedder.embedder.name} computes the vectors`);
  return finding(
    'model',
    'note',
    `${embedder.why}: search uses words only`,
    `${embedder.next}, as the user and with the TIDEMARK_HOME of the server; then restart it`,
  );
}

async function connections(ask: Ask): Promise<Finding> {
  const row = await ask(
    `SELECT current_setting('max_connections')::int AS most,
       (SELECT sum(numbackends)::int FROM pg_stat_database) AS used`,
  );
  const [most, used] = [Number(row['most']), Number(row['used'])];
  const evidence = `${used} of ${most} in use; a server takes up to ${POOL_CONNECTIONS}`;
  return most - used >= POOL_CONNECTIONS
    ? finding('connections', 'well', evidence)
    : finding(
        'connections',
        'note',
        evidence,
        'Raise max_connections, or give the server fewer: --connections 10',
      );
}

const TRIAL: Finding = {
  name: 'trial',
  verdict: 'note',
  evidence: 'embedded database, one connection; a power cut can lose the last changes',
  next: 'For a team’s real work use PostgreSQL: docs/server.md',
};

async function durability(ask: Ask): Promise<Finding> {
  const row = await ask(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits, current_setting('full_page_writes') AS pages",
  );
  const off = [
    row['fsync'] === 'on' ? [] : ['fsync'],
    row['commits'] === 'off' ? ['synchronous_commit'] : [],
    row['pages'] === 'on' ? [] : ['full_page_writes'],
  ].flat();
  return off.length === 0
    ? finding('durability', 'well', 'acknowledged changes are on disk')
    : finding(
        'durability',
        'wrong',
        `${off.join(', ')} off: acknowledged changes can be lost in a crash`,
        'Turn it on in postgresql.conf.',
      );
}

async function size(ask: Ask): Promise<Finding> {
  const row = await ask('SELECT pg_database_size(current_database())::text AS bytes');
  return finding('disk', 'well', `the database takes ${(Number(row['bytes']) / MB).toFixed(0)} MB`);
}

/** Counts the EverMem messages that are not yet memories, as each member who sent some. */
async function queue({ rows }: Inspection, now: Date): Promise<Finding> {
  let waiting = 0;
  let oldest = now.getTime();
  for (const { team_id: team, member_id: member } of await rows('SELECT * FROM tidemark.waiting()')) {
    await rows("SELECT set_config('tidemark.team', $1, true), set_config('tidemark.member', $2, true)", [
      team,
      member,
    ]);
    const [row] = await rows(
      `SELECT count(*)::int AS waiting, min(received_at) AS oldest FROM tidemark.message
       WHERE team_id = $1 AND member_id = $2 AND state = 'queued'`,
      [team, member],
    );
    waiting += Number(row?.['waiting'] ?? 0);
    if (row?.['oldest'] instanceof Date) oldest = Math.min(oldest, row['oldest'].getTime());
  }
  if (waiting === 0) return finding('messages', 'well', 'none queued');
  const since = Math.round((now.getTime() - oldest) / 1000);
  const evidence = `${waiting} queued, the oldest for ${since} s`;
  return since * 1000 < MAX_QUEUE_MS
    ? finding('messages', 'well', evidence)
    : finding(
        'messages',
        'note',
        evidence,
        'Check that a server runs. Its log has "messages not processed" for messages it cannot process.',
      );
}

async function teams({ rows }: Inspection): Promise<Finding> {
  const names: string[] = [];
  for (const { id } of await rows('SELECT team_ids AS id FROM tidemark.team_ids()')) {
    await rows("SELECT set_config('tidemark.team', $1, true)", [id]);
    const [team] = await rows('SELECT name FROM tidemark.team WHERE id = $1', [id]);
    names.push(String(team?.['name']));
  }
  if (names.length === 0) return finding('teams', 'wrong', 'none yet', 'tidemark server init');
  const more = names.length - MAX_NAMES;
  const listed = names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return finding('teams', 'well', listed);
}

function finding(name: string, verdict: Finding['verdict'], evidence: string, next?: string): Finding {
  return { name, verdict, evidence, ...given({ next }) };
}
