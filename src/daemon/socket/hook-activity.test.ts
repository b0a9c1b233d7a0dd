import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HookActivity } from './hook-activity.ts';

test('an event that waited in the inbox does not turn the time back', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heard-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const heard = new HookActivity(join(folder, 'heard.json'));
  const stop = (at: string): void =>
    heard.take({
      id: at,
      at,
      agent: 'claude-code',
      input: { session_id: 's', hook_event_name: 'Stop' },
    });
  stop('2026-03-02T10:00:00.000Z');
  stop('2026-03-02T09:00:00.000Z');
  assert.equal(heard.times.Stop, '2026-03-02T10:00:00.000Z');
});
