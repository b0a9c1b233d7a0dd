import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { placesIn } from '../../core/index.ts';
import type { DaemonStatus } from '../../daemon/index.ts';
import { socket } from './daemon.ts';
import { permissions } from './permissions.ts';

test('Windows has no file modes: what is open to others elsewhere is no finding there', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'modes-'));
  t.after(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, 'config.json'), '{}', { mode: 0o666 });
  assert.equal(permissions(placesIn(home), 'linux').verdict, 'wrong');
  assert.equal(permissions(placesIn(home), 'darwin').verdict, 'wrong');
  const there = permissions(placesIn(home), 'win32');
  assert.equal(there.verdict, 'well');
  assert.equal(there.fix, undefined);
});

test('a named pipe is no file to look at', () => {
  const status = { socket: '\\\\.\\pipe\\tidemark-0a1b2c' } as DaemonStatus;
  assert.equal(socket(status, 'win32').verdict, 'well');
  assert.equal(socket(status, 'linux').verdict, 'wrong');
});
