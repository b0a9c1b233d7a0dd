/** Notices at the start of a session: once per cause, and only where a user can see them. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';

let sessions = 0;

async function told(machine: Machine, envelope: Readonly<Record<string, string>> = {}): Promise<string> {
  const session_id = `00000000-0000-4000-8000-${String(sessions++).padStart(12, '0')}`;
  const { body } = await machine.deliver('SessionStart', { session_id, source: 'startup' }, envelope);
  return body === '' ? '' : ((JSON.parse(body) as { systemMessage?: string }).systemMessage ?? '');
}

test('a missing model of the chosen driver gives one notice, and another when it goes missing again', async (t) => {
  const machine = Machine.open(t, { TIDEMARK_EMBED_DRIVER: 'openai' });
  await machine.up();
  assert.equal(await told(machine, { unattended: '1' }), '', 'nobody would see it');
  const first = await waitFor('the message', () => told(machine), { explain: () => machine.logs() });
  assert.match(first, /^Tidemark: search works by words alone/);
  assert.equal(await told(machine), '');
  await machine.stopDaemon();
  await machine.up();
  await waitFor('the daemon to have looked', () => existsSync(machine.places.notices));
  assert.equal(await told(machine), '', 'a new daemon knows which notices were shown');
});

test('a newer version is found by asking npm for one number, shown in status, and gives one notice', async (t) => {
  const machine = Machine.open(t);
  const bin = join(machine.root, 'bin');
  mkdirSync(bin);
  const asked = join(machine.root, 'asked');
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$*" >>'${asked}'\necho 99.1.0\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  machine.setEnv({ PATH: [bin, machine.env['PATH']].join(delimiter) });
  await machine.up();
  assert.equal(existsSync(asked), false, 'a clone asks nobody by itself');
  await machine.call('updates.check', {});
  assert.equal(readFileSync(asked, 'utf8'), 'view tidemark version\n');
  assert.match((await machine.cli(['status'])).stdout, /Update: 99\.1\.0 is available/);
  assert.match(await told(machine), /Tidemark 99\.1\.0 is available.*npx tidemark@latest install/);
  assert.equal(await told(machine), '');
});
