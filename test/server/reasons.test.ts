/** Each reason why a database cannot be used has its own message and says what to do next. Never with the password. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { TidemarkError } from '../../src/core/index.ts';
import { inspect, TeamStore } from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
let postgres: Postgres;
let database: string;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newOwnedDatabase();
});
after(async () => {
  await postgres?.remove();
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
