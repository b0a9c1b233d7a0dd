/** A database of an earlier release: schema 10 with the roles that all databases of a PostgreSQL server shared, and data. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { columnsOf, MIGRATIONS } from '../../src/server/store/index.ts';
import { entryOf } from '../support/team.ts';

const LAST = 10;

export interface OlderDatabase {
  readonly team: string;
  readonly owner: string;
  readonly key: string;
  /** By name: `open` and `closed`, each with one memory. The last change of `open` has the number 7, of `closed` 9. */
  readonly projects: Readonly<Record<'open' | 'closed', string>>;
  /** A member who reads only `open`. */
  readonly member: string;
}

/** `database`: an empty one, as its owner; `superuser`: the same one, as a superuser. */
export async function fillOlderDatabase(database: string, superuser: string): Promise<OlderDatabase> {
  const owner = new Client({ connectionString: database });
  await owner.connect();
  await owner.query(`DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tidemark_app') THEN
      CREATE ROLE tidemark_app NOLOGIN NOBYPASSRLS; CREATE ROLE tidemark_lookup NOLOGIN NOBYPASSRLS;
    END IF; END $$; GRANT tidemark_app, tidemark_lookup TO CURRENT_USER`);
  for (const { number, name, sql } of MIGRATIONS.filter((one) => one.number <= LAST)) {
    await owner.query(sql);
    await owner.query('INSERT INTO tidemark.migration (number, name) VALUES ($1, $2)', [number, name]);
  }
  await owner.query('REVOKE tidemark_lookup FROM CURRENT_USER');
  await owner.end();
  const client = new Client({ connectionString: superuser });
  await client.connect();
  try {
    return await fill(client);
  } finally {
    await client.end();
  }
}

async function fill(client: Client): Promise<OlderDatabase> {
  const [team, owner, member] = [randomUUID(), randomUUID(), randomUUID()];
  const insert = async (table: string, row: Readonly<Record<string, unknown>>): Promise<void> => {
    const names = Object.keys(row).join(', ');
    await client.query(
      `INSERT INTO tidemark.${table} (${names}) SELECT ${names} FROM json_populate_record(NULL::tidemark.${table}, $1)`,
      [JSON.stringify(row)],
    );
  };
  const secret = randomBytes(32);
  await insert('team', { id: team, name: 'Acme', created_at: 'now' });
  await insert('team_counter', { team_id: team, seq: 9, memories: 2 });
  for (const [id, name, role] of [
    [owner, 'Ada', 'owner'],
    [member, 'Ben', 'member'],
  ])
    await insert('member', { team_id: team, id, name, role, created_at: 'now' });
  await insert('api_key', {
    team_id: team,
    id: 'abcdefghijkl',
    member_id: owner,
    name: 'first key',
    prefix: 'tmk_abcdefghijkl',
    hash: `\\x${createHash('sha256').update(secret).digest('hex')}`,
    scopes: ['read', 'write', 'admin'],
    created_at: 'now',
  });
  const projects = { open: randomUUID(), closed: randomUUID() };
  for (const [name, seq] of [
    ['open', 7],
    ['closed', 9],
  ] as const) {
    const project = projects[name];
    await insert('project', { team_id: team, id: project, name, created_by: owner, created_at: 'now' });
    await insert('project_key', { team_id: team, key: `git:${name}`, project_id: project });
    for (const who of name === 'open' ? [owner, member] : [owner])
      await insert('share', {
        team_id: team,
        project_id: project,
        member_id: who,
        access: who === owner ? 'write' : 'read',
        created_at: 'now',
      });
    const entry = entryOf(`The ${name} project has a ${name}word and a lighthouse`);
    const { columns, terms } = columnsOf({ team, project, author: owner }, entry);
    await insert('memory', { ...columns, changed_at: 'now' });
    await insert('change', {
      team_id: team,
      project_id: project,
      memory_id: entry.id,
      seq,
      op: 'put',
      author_id: owner,
      at: 'now',
    });
    for (const term of terms)
      await client.query(
        `INSERT INTO tidemark.term (team_id, term, rows) VALUES ($1, $2, 1)
         ON CONFLICT (team_id, term) DO UPDATE SET rows = tidemark.term.rows + 1`,
        [team, term],
      );
  }
  await client.query(
    `INSERT INTO tidemark.audit (team_id, member_id, action) VALUES ($1, $2, 'project.create'), ($1, $2, 'share.set')`,
    [team, owner],
  );
  return { team, owner, member, projects, key: `tmk_abcdefghijkl_${secret.toString('base64url')}` };
}
