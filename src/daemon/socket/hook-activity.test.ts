import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HookActivity } from './hook-activity.ts';

test('an older event from the inbox does not replace the last time', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'activity-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const activity = new HookActivity({
    heard: join(folder, 'heard.json'),
    heardAgents: join(folder, 'agents.json'),
  });
  const stop = (at: string): void =>
    activity.record({
      id: at,
      at,
      agent: 'claude-code',
      input: { session_id: 's', hook_event_name: 'Stop' },
    });
  stop('2026-03-02T10:00:00.000Z');
  stop('2026-03-02T09:00:00.000Z');
  assert.equal(activity.times.Stop, '2026-03-02T10:00:00.000Z');
  assert.deepEqual(activity.agents, { 'claude-code': { event: 'Stop', at: '2026-03-02T10:00:00.000Z' } });
});
