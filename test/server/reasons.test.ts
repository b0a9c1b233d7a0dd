/** Each reason why a database cannot be used has its own message and says what to do next. Never with the password. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TidemarkError } from '../../src/core/index.ts';
import { createTeam, inspect, TeamStore } from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
let postgres: Postgres;
let database: string;
let folder: string;

before(async () => {
  if (skip) return;
  folder = mkdtempSync('/tmp/tm-pg-');
  postgres = await startPostgres({ folder });
  database = await postgres.newOwnedDatabase();
});
after(async () => {
  await postgres?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const changed = (change: (url: URL) => void): string => {
  const url = new URL(database);
  change(url);
  return url.href;
};

async function errorOf(address: string): Promise<TidemarkError> {
  const settled = await Promise.allSettled([
    inspect(address, async () => {}),
    TeamStore.open({ database: address }),
  ]);
  const [first, second] = settled.map((one) =>
    one.status === 'rejected' ? (one.reason as TidemarkError) : assert.fail(`${address} works`),
  );
  assert.ok(first && second && first.code === 'database-unavailable');
  assert.equal(first.message, second.message);
  const { password } = new URL(address);
  assert.ok(password === '' || !`${first.message} ${first.hint}`.includes(password));
  return first;
}

test('a wrong password', { skip }, async () => {
  const { message, hint = '' } = await errorOf(changed((url) => (url.password = 'wrong-word')));
  assert.equal(message, 'the database refused the password');
  assert.match(hint, /DATABASE_URL/);
});

test('a user that may not log in', { skip }, async () => {
  await asSuperuser(postgres.urlOf('postgres'), (ask) =>
    ask(`CREATE ROLE stays_out NOLOGIN PASSWORD '${new URL(database).password}'`),
  );
  const { message, hint = '' } = await errorOf(changed((url) => (url.username = 'stays_out')));
  assert.equal(message, 'the database refused the login');
  assert.match(hint, /may log in.*pg_hba\.conf/);
});

test('a database that does not exist', { skip }, async () => {
  const { message, hint = '' } = await errorOf(changed((url) => (url.pathname = '/nowhere')));
  assert.equal(message, 'there is no database of this name');
  assert.match(hint, /createdb/);
});

test('a database that the user may not connect to', { skip }, async () => {
  await asSuperuser(postgres.urlOf('postgres'), async (ask) => {
    await ask('CREATE DATABASE shut');
    await ask('REVOKE CONNECT ON DATABASE shut FROM PUBLIC');
  });
  const { message, hint = '' } = await errorOf(changed((url) => (url.pathname = '/shut')));
  assert.equal(message, 'the user may not connect to this database');
  assert.match(hint, /GRANT CONNECT/);
});

test('a database without TLS where TLS is required', { skip }, async () => {
  const { message, hint = '' } = await errorOf(`${database}?sslmode=verify-full`);
  assert.equal(message, 'no encrypted connection to the database is possible');
  assert.match(hint, /sslmode/);
});

test('an unknown host, a closed port and a host that never answers', { skip }, async () => {
  const unknown = await errorOf(changed((url) => (url.hostname = 'database.invalid')));
  assert.equal(unknown.message, 'the host name of the database is unknown');
  const closed = await errorOf(changed((url) => (url.port = '1')));
  assert.match(closed.message, /^the database does not answer: nothing listens/);
  assert.match(closed.hint ?? '', /Start PostgreSQL/);
  const sockets: { destroy(): void }[] = [];
  const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => mute.once('listening', resolve));
  const { port } = mute.address() as AddressInfo;
  const silent = await errorOf(changed((url) => (url.port = String(port))));
  assert.equal(silent.message, 'the database does not answer in time');
  for (const socket of sockets) socket.destroy();
  mute.close();
});

test('a user that may not create roles gets the statements for an administrator', { skip }, async () => {
  const own = await postgres.newOwnedDatabase();
  const name = new URL(own).username;
  await asSuperuser(postgres.urlOf('postgres'), (ask) => ask(`ALTER ROLE ${name} NOCREATEROLE`));
  const statements = await TeamStore.open({ database: own }).then(
    () => assert.fail('it may not'),
    (error: TidemarkError) => {
      assert.equal(error.code, 'database-privilege');
      return error.hint ?? '';
    },
  );
  const sql = statements.slice(statements.indexOf('CREATE ROLE')).replace('…', name);
  await asSuperuser(postgres.urlOf('postgres'), (ask) => ask(sql));
  await (await TeamStore.open({ database: own })).close();
});

test('a user that may log in but not create the schema', { skip }, async () => {
  const own = await postgres.newOwnedDatabase();
  await asSuperuser(postgres.urlOf('postgres'), (ask) =>
    ask(`ALTER DATABASE ${new URL(own).pathname.slice(1)} OWNER TO CURRENT_USER`),
  );
  await assert.rejects(TeamStore.open({ database: own }), (error: TidemarkError) => {
    assert.equal(error.message, 'the user may not create a schema in this database');
    assert.match(error.hint ?? '', /ALTER DATABASE <name> OWNER TO <user>/);
    return true;
  });
});

test('a user that is not the one of the schema', { skip }, async () => {
  const own = await postgres.newOwnedDatabase();
  await (await TeamStore.open({ database: own })).close();
  const other = new URL(await postgres.newOwnedDatabase());
  await asSuperuser(postgres.urlOf('postgres'), (ask) =>
    ask(`GRANT CONNECT ON DATABASE ${new URL(own).pathname.slice(1)} TO ${other.username}`),
  );
  const address = new URL(own);
  address.username = other.username;
  await assert.rejects(
    inspect(address.href, async () => {}),
    (error: TidemarkError) => {
      assert.equal(error.code, 'database-privilege');
      assert.equal(error.message, 'the database user lacks a privilege (schema tidemark)');
      assert.match(error.hint ?? '', /user that ran `tidemark server init`/);
      return true;
    },
  );
});

test('no connection left', { skip }, async () => {
  const { username } = new URL(database);
  const limit = (n: number) =>
    asSuperuser(postgres.urlOf('postgres'), (ask) => ask(`ALTER ROLE ${username} CONNECTION LIMIT ${n}`));
  await limit(0);
  const { message, hint = '' } = await errorOf(database);
  await limit(-1);
  assert.equal(message, 'the database has no connection left');
  assert.match(hint, /--connections.*max_connections/);
});

test('TLS that the database requires', { skip }, async () => {
  const file = join(folder, 'data', 'pg_hba.conf');
  const before = readFileSync(file, 'utf8');
  const reload = () => asSuperuser(postgres.urlOf('postgres'), (ask) => ask('SELECT pg_reload_conf()'));
  const rules = before.replaceAll(/^host .*$/gm, '');
  writeFileSync(
    file,
    `host all tidemark_test 127.0.0.1/32 scram-sha-256\nhostssl all all 127.0.0.1/32 scram-sha-256\n${rules}`,
  );
  await reload();
  // The reload is asynchronous: the first login may still follow the old rules.
  const settled = await waitFor('the new rules', async () => {
    const failed = await inspect(database, async () => {}).then(
      () => undefined,
      (error: TidemarkError) => error,
    );
    return failed;
  });
  writeFileSync(file, before);
  await reload();
  assert.equal(settled.message, 'the database accepts only encrypted connections');
  assert.match(settled.hint ?? '', /sslmode=require/);
});

test('a full disk', { skip }, async () => {
  const own = await postgres.newOwnedDatabase();
  const store = await TeamStore.open({ database: own });
  const at = postgres.urlOf(new URL(own).pathname.slice(1));
  // PostgreSQL reports it with this code, whichever file could not grow.
  await asSuperuser(at, (ask) =>
    ask(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON tidemark.team EXECUTE FUNCTION full_disk()`),
  );
  await assert.rejects(createTeam(store, { name: 'A', owner: 'B' }), (error: TidemarkError) => {
    assert.equal(error.code, 'database-unavailable');
    assert.equal(error.message, 'the disk of the database is full');
    assert.match(error.hint ?? '', /Free space/);
    return true;
  });
  await store.close();
});

test('a replica and a database that becomes one', { skip }, async () => {
  const own = await postgres.newOwnedDatabase();
  const store = await TeamStore.open({ database: own });
  await postgres.stop();
  appendFileSync(join(folder, 'data', 'standby.signal'), '');
  await postgres.start();
  const readOnly = (error: TidemarkError): boolean => {
    assert.equal(error.code, 'database-unavailable');
    assert.equal(error.message, 'the database is read-only: a replica, or not recovered yet');
    assert.match(error.hint ?? '', /primary/);
    return true;
  };
  await assert.rejects(createTeam(store, { name: 'A', owner: 'B' }), readOnly);
  await assert.rejects(TeamStore.open({ database: own }), readOnly);
  assert.ok((await inspect(own, async ({ done }) => done)) > 0, 'doctor can still look');
  await store.close();
});
