/** Inputs of the real client pass through the fallback with unchanged ids and paths. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOOK_NAMES, isHookName } from '../../src/core/index.ts';
import { toSpooledEvent } from '../../src/privacy/index.ts';
import { root } from './_world.ts';

const PLACES = [
  'session_id',
  'transcript_path',
  'cwd',
  'prompt_id',
  'source',
  'reason',
  'trigger',
  'agent_id',
  'agent_type',
  'agent_transcript_path',
] as const;

test('ids and paths of real hook inputs are not redacted', () => {
  const file = join(root, 'test', 'fixtures', 'hooks', 'hook-inputs.samples.jsonl');
  const seen = new Set<string>();
  for (const text of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const sample = JSON.parse(text) as { input?: Record<string, unknown> } & Record<string, unknown>;
    const input = sample.input ?? sample;
    const event = String(input['hook_event_name']);
    if (!isHookName(event)) continue;
    seen.add(event);
    const parsed = toSpooledEvent(JSON.stringify(input), event, { attempt: 'attempt-1' }, new Date(0));
    assert.ok(parsed.ok);
    for (const field of PLACES) {
      const given = input[field];
      if (typeof given === 'string') assert.equal(parsed.event.input[field], given);
    }
  }
  assert.deepEqual([...seen].sort(), [...HOOK_NAMES].sort());
});
