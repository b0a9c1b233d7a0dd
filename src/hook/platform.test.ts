import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findSocket } from '../files/index.ts';
import { minimalEnv } from './start.ts';

test('on Windows the pointer names a pipe, elsewhere a socket that must be there and ours', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pipe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const socketPointer = join(folder, 'socket');
  writeFileSync(socketPointer, '\\\\.\\pipe\\tidemark-0a1b2c\n');
  assert.equal(findSocket({ socketPointer }, 'win32'), '\\\\.\\pipe\\tidemark-0a1b2c');
  assert.equal(findSocket({ socketPointer }, 'linux'), undefined);
});

test('a daemon gets what it needs to start on Windows, however it is spelled, and no key', () => {
  const env = {
    Path: 'C:\\Windows',
    SystemRoot: 'C:\\Windows',
    UserProfile: 'C:\\Users\\Ada',
    ANTHROPIC_API_KEY: 'secret',
    TIDEMARK_HOME: 'D:\\memory',
  };
  assert.deepEqual(Object.keys(minimalEnv(env, 'win32')).toSorted(), [
    'Path',
    'SystemRoot',
    'TIDEMARK_HOME',
    'UserProfile',
  ]);
  assert.deepEqual(Object.keys(minimalEnv(env, 'linux')), ['TIDEMARK_HOME']);
});
