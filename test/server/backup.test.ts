/** Backup and restore with the commands of the guide, from one PostgreSQL into another empty one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PullAnswer, SharedProject } from '../../src/exchange/sync/index.ts';
import { Machine } from '../support/machine.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { startTeamServer, type TeamServer } from '../support/team-server.ts';
import { entryOf, put } from '../support/team.ts';
import { operator } from './_operator.ts';

const { skip } = postgresql;
let here: Postgres;
let elsewhere: Postgres;

before(async () => {
  if (skip) return;
  [here, elsewhere] = await Promise.all([startPostgres(), startPostgres()]);
});

after(async () => {
  await Promise.all([here?.remove(), elsewhere?.remove()]);
});

test('the printed restore creates pgvector where the dump uses it, and only there', async (t) => {
  const machine = Machine.open(t);
  const folder = mkdtempSync(join(tmpdir(), 'dump-'));
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('psql', 'shift; printf "%s\\n" "$@" >> asked');
  const { stdout } = await operator(machine, 'postgres://ada:word@127.0.0.1:1/tidemark')('backup', '--json');
  const command =
    (JSON.parse(stdout) as Commands).restore.find((one) => one.includes('CREATE EXTENSION')) ?? '';
  for (const [dump, asked] of [
    ['CREATE TABLE tidemark.memory_vector (codes bytea);', ''],
    [
      'embedding extensions.halfvec(384)\nUSING hnsw (embedding extensions.halfvec_cosine_ops)',
      '-c\nCREATE SCHEMA IF NOT EXISTS extensions\n-c\nCREATE EXTENSION IF NOT EXISTS vector SCHEMA extensions\n',
    ],
  ]) {
    program('pg_restore', `cat <<'END'\n${dump}\nEND`);
    writeFileSync(join(folder, 'asked'), '');
    execFileSync('sh', ['-c', command], { cwd: folder, env: { PATH: `${folder}:${process.env['PATH']}` } });
    assert.equal(readFileSync(join(folder, 'asked'), 'utf8'), asked);
  }
});

interface Commands {
  readonly backup: string;
  readonly verify: string;
  readonly restore: readonly string[];
}

test('a restored backup serves the same data with the same keys', { skip }, async (t) => {
  const machine = Machine.open(t);
  const folder = mkdtempSync(join(tmpdir(), 'dump-'));
  // Owned by a role that is not a superuser, as in the guide.
  const [database, target] = [await here.newOwnedDatabase(), await elsewhere.newOwnedDatabase()];
  assert.equal(new URL(target).username, new URL(database).username);
  const made = await operator(machine, database)('init', '--owner', 'Ada', '--json');
  const key = (JSON.parse(made.stdout) as { made: { key: { secret: string } } }).made.key.secret;
  const first = await startTeamServer(database);
  t.after(() => first.stop());
  const { id } = await ask<SharedProject>(first, key, 'POST', '/v1/projects', {
    name: 'kept',
    keys: ['git:kept'],
  });
  await ask(first, key, 'POST', `/v1/projects/${id}/changes`, {
    changes: [put(entryOf('Ships are numbered'))],
    idempotencyKey: 'before-the-backup',
  });

  const run = async (url: string, wanted: (commands: Commands) => readonly string[]) => {
    const { stdout } = await operator(machine, url)('backup', '--superuser', 'tidemark_test', '--json');
    assert.ok(!stdout.includes(new URL(url).password), 'printed commands end up in scripts');
    for (const command of wanted(JSON.parse(stdout) as Commands))
      execFileSync('sh', ['-c', command], {
        cwd: folder,
        env: { PATH: `${postgresql.path}:${process.env['PATH']}`, PGPASSWORD: new URL(url).password },
        stdio: 'pipe',
      });
  };
  await run(database, ({ backup, verify }) => [backup, verify]);
  await run(target, ({ restore }) => restore.slice(0, -1));

  const doctor = await operator(machine, target)('doctor');
  assert.match(doctor.stdout, /schema +\d+, current/);
  assert.match(doctor.stdout, /row security +forced on all/);
  const second = await startTeamServer(target);
  t.after(() => second.stop());
  const { changes } = await ask<PullAnswer>(second, key, 'GET', `/v1/projects/${id}/changes`);
  assert.match(JSON.stringify(changes), /Ships are numbered/);
  const { hits } = await ask<{ hits: readonly unknown[] }>(second, key, 'POST', '/v1/search', {
    query: 'ships',
  });
  assert.equal(hits.length, 1);
});

async function ask<T>(
  { url }: TeamServer,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${method} ${path} ${answer.status}`);
  return (await answer.json()) as T;
}
