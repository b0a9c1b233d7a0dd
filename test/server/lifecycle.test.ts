/** The server as a process: listening, TLS, operator commands, database outages, shutdown. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { part } from '../support/parts.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { startTeamServer } from '../support/team-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { operator } from './_operator.ts';

const { skip } = postgresql;
const openssl = part('openssl');
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});

after(async () => {
  await postgres?.remove();
});

async function initialised(machine: Machine, database: string): Promise<string> {
  const { code, stdout, stderr } = await operator(machine, database)('init', '--owner', 'Ada', '--json');
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { made: { key: { secret: string } } }).made.key.secret;
}

function ask(url: string, key: string, path = '/v1/me'): Promise<Response> {
  return fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
}

test('it listens beyond loopback only with TLS, a proxy or an explicit flag', { skip }, async (t) => {
  const machine = Machine.open(t);
  const refused = await operator(machine, 'postgres://nobody@127.0.0.1:1/none')('--listen', '0.0.0.0:0');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /other machines/);
  assert.match(refused.stderr, /hint: .*--tls-cert.*--behind-proxy.*--insecure/);
});

test('without a database it fails with the address and a hint', { skip }, async (t) => {
  const machine = Machine.open(t);
  const none = await machine.cli(['server', 'init']);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /DATABASE_URL/);
  const away = await operator(machine, 'postgres://nobody:secret-word@127.0.0.1:1/none')('init');
  assert.equal(away.code, 4);
  assert.match(away.stderr, /does not answer/);
  assert.ok(!away.stderr.includes('secret-word'));
});

test('a service that cannot start logs the reason and the next step as JSON only', { skip }, async (t) => {
  const machine = Machine.open(t);
  const wrong = new URL(await postgres.newOwnedDatabase());
  wrong.password = 'wrong-word';
  const { code, stdout, stderr } = await operator(machine, wrong.href)('start', '--listen', '127.0.0.1:0');
  assert.equal(code, 4);
  assert.equal(stdout, '');
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['starting', 'failed'],
  );
  assert.equal(lines[1]?.['error'], 'the database refused the password');
  assert.match(String(lines[1]?.['next']), /DATABASE_URL/);
  assert.ok(!stderr.includes('wrong-word'));
});

test('the first init creates team, owner and key, a second one nothing', { skip }, async (t) => {
  const machine = Machine.open(t);
  const run = operator(machine, await postgres.newOwnedDatabase());
  const first = await run('init', '--team', 'Harbour', '--owner', 'Ada');
  assert.match(first.stdout, /^Schema created\. Searches by words/m);
  assert.match(first.stdout, /^Key: {3}tmk_/m);
  assert.match(first.stdout, /shown only once/);
  const second = await run('init');
  assert.equal(second.code, 0);
  assert.match(second.stdout, /^The schema is up to date\. .*\nTeams exist already: Harbour/);
  assert.doesNotMatch(second.stdout, /tmk_/);
  const doctor = await run('doctor');
  assert.match(doctor.stdout, /row security +forced on all \d+ tables/);
  assert.match(doctor.stdout, /role +.*tidemark_app_\d+/);
  assert.match(doctor.stdout, /vector search +no pgvector/);
  assert.match(doctor.stdout, /model +embed\.driver is none: search uses words only/);
});

test('members and keys are managed from the command line', { skip }, async (t) => {
  const machine = Machine.open(t);
  const database = await postgres.newOwnedDatabase();
  const run = operator(machine, database);
  await initialised(machine, database);
  assert.match((await run('member', 'add', 'Ben', '--role', 'reader')).stdout, /Ben .*reader/);
  const tooMuch = await run('key', 'create', '--member', 'Ben', '--scopes', 'read,write');
  assert.match(tooMuch.stderr, /a reader cannot have a key to write/);
  assert.match((await run('key', 'create', '--member', 'Ben')).stdout, /^tmk_/);
  assert.match((await run('key', 'list')).stdout, /valid +Ben: read,/);
  const twice = await run('member', 'add', 'ben');
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /has a member "Ben" already\nhint: Choose another name/);
  await run('member', 'role', 'Ben', 'member');
  const key = (
    await run('key', 'create', '--member', 'Ben', '--expires', '90d', '--name', 'laptop')
  ).stdout.trim();
  const server = await startTeamServer(database);
  t.after(() => server.stop());
  const me = (await (await ask(server.url, key)).json()) as { member: object; key: { expiresAt: string } };
  assert.deepEqual(Object.values(me.member).slice(1), ['Ben', 'member']);
  assert.ok(Date.parse(me.key.expiresAt) > Date.now());
  assert.match((await run('key', 'list')).stdout, /valid +Ben: read,write until .*“laptop”/);
  assert.equal((await run('key', 'revoke', key)).code, 0);
  assert.equal((await ask(server.url, key)).status, 401);
  assert.equal((await run('member', 'remove', 'Nobody')).code, 3);
  assert.match((await run('member', 'remove', 'Ada', '--yes')).stderr, /at least one owner/);
});

test('with several teams --team is required', { skip }, async (t) => {
  const machine = Machine.open(t);
  const database = await postgres.newOwnedDatabase();
  const run = operator(machine, database);
  await initialised(machine, database);
  await run('team', 'create', 'Quay', '--owner', 'Quinn');
  const unclear = await run('member', 'list');
  assert.equal(unclear.code, 2);
  assert.match(unclear.stderr, /Quay/);
  assert.match((await run('member', 'list', '--team', 'Quay')).stdout, /owner +Quinn/);
});

test('it serves TLS with the given certificate and reloads it', { skip: skip ?? openssl.skip }, async (t) => {
  const machine = Machine.open(t);
  const database = await postgres.newOwnedDatabase();
  const key = await initialised(machine, database);
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const [cert, secret] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync(openssl.path, [...made, ...subject, '-keyout', secret, '-out', cert], { stdio: 'pipe' });
  const server = await startTeamServer(database, { args: ['--tls-cert', cert, '--tls-key', secret] });
  t.after(() => server.stop());
  assert.match(server.url, /^https:/);
  const ca = execFileSync('cat', [cert]);
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request(`${server.url}/v1/me`, { ca, headers }, (response) => {
      response
        .resume()
        .on('end', () =>
          resolve([response.statusCode, response.headers['strict-transport-security'] !== undefined]),
        );
    })
      .on('error', reject)
      .end();
  });
  assert.deepEqual(status, [200, true]);
  server.signal('SIGHUP');
  await waitFor('the certificate to be reloaded', () =>
    server.log.some(({ message }) => message === 'certificate reloaded'),
  );
});

test('shutdown finishes requests under way and accepts no new ones', { skip }, async (t) => {
  const machine = Machine.open(t);
  const database = await postgres.newOwnedDatabase();
  const key = await initialised(machine, database);
  const server = await startTeamServer(database);
  const body = JSON.stringify({ name: 'begun before', keys: ['git:begun'] });
  const socket = connect(server.port, '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(
    `POST /v1/projects HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // The key's last use is recorded after the headers are read, so the signal meets a request under way.
  await waitFor('the request to begin', async () =>
    /used /.test((await operator(machine, database)('key', 'list')).stdout),
  );
  server.signal('SIGTERM');
  await waitFor('the server to begin to shut down', () =>
    server.log.some(({ message }) => message === 'stopping'),
  );
  await assert.rejects(ask(server.url, key));
  socket.write(body.slice(5));
  await closed;
  assert.match(said, /^HTTP\/1\.1 200 /);
  assert.match(said, /connection: close/i);
  assert.match(said, /"name":"begun before"/);
  assert.equal(await server.ended, 0);
  assert.equal(server.log.at(-1)?.['message'], 'stopped');
});

test('the server survives a database outage and works again afterwards', { skip }, async (t) => {
  const machine = Machine.open(t);
  const database = await postgres.newOwnedDatabase();
  const key = await initialised(machine, database);
  const server = await startTeamServer(database);
  t.after(() => server.stop());
  assert.equal((await ask(server.url, key)).status, 200);
  await postgres.stop();
  t.after(() => postgres.start().catch(() => {}));
  const away = await ask(server.url, key);
  assert.equal(away.status, 503);
  assert.ok(Number(away.headers.get('retry-after')) > 0);
  const { error } = (await away.json()) as { error: { code: string; hint: string } };
  assert.equal(error.code, 'unavailable');
  assert.equal((await fetch(`${server.url}/readyz`)).status, 503);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  await postgres.start();
  await waitFor(
    'the server to be ready again',
    async () => (await fetch(`${server.url}/readyz`)).status === 200,
  );
  assert.equal((await ask(server.url, key)).status, 200);
});
