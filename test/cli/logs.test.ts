/** `tidemark logs`: for people and as it is, and with what comes next. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIST, Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { put } from './_doctor.ts';

const row = (what: string, level = 'info'): string =>
  `${JSON.stringify({ at: '2026-03-02T10:00:00.000Z', level, pid: 1, what, turns: 2 })}\n`;

test('the last lines, readable, as JSON, and by level', async (t) => {
  const machine = Machine.open(t);
  put(machine.places.log, `${row('first')}${row('second', 'warn')}${row('third')}`);
  assert.equal(
    (await machine.cli(['logs', '--lines', '1'])).stdout,
    '03-02 10:00:00  info  third  turns 2\n',
  );
  assert.equal((await machine.cli(['logs', '--json', '--lines', '1'])).stdout, row('third'));
  assert.match(
    (await machine.cli(['logs', '--level', 'warn'])).stdout,
    /^03-02 10:00:00 {2}warn {2}second {2}turns 2\n$/,
  );
  const wrong = await machine.cli(['logs', '--level', 'loud']);
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
});

test('follows the log, also into the next file, until Ctrl-C', async (t) => {
  const machine = Machine.open(t);
  put(machine.places.log, row('before'));
  const child = spawn(process.execPath, [join(DIST, 'cli.cjs'), 'logs', '-f'], { env: machine.env });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await waitFor('what was there', () => said.includes('before'));
  appendFileSync(machine.places.log, row('after'));
  await waitFor('what came next', () => said.includes('after'));
  renameSync(machine.places.log, `${machine.places.log}.1`);
  put(machine.places.log, row('rotated'));
  await waitFor('the new file', () => said.includes('rotated'));
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'close'), [0, null]);
});
