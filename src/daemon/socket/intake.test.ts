import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIntake } from './hook-handler.ts';

const NOW = new Date('2026-11-15T10:00:00Z');
const ATTEMPT = 'attempt: 0c9b8a7d-1111-2222-3333-444455556666';

function intake(envelope: readonly string[], stdin: string) {
  return readIntake(Buffer.from(`${envelope.join('\n')}\n\n${stdin}`), 'Stop', NOW);
}

test('an envelope and a hook input make an event', () => {
  const { parse, clientVersion } = intake(
    [ATTEMPT, 'client: 1.2.3', 'project-dir: /home/dev/a: b'],
    JSON.stringify({ session_id: 's', hook_event_name: 'Stop', last_assistant_message: 'done\n\nreally' }),
  );
  assert.equal(clientVersion, '1.2.3');
  assert.ok(parse.ok);
  assert.equal(parse.event.projectDir, '/home/dev/a: b');
  assert.equal(parse.event.input.last_assistant_message, 'done\n\nreally');
  assert.equal(parse.event.at, NOW.toISOString());
});

test('unknown fields of the hook input are dropped', () => {
  const { parse } = intake([ATTEMPT], JSON.stringify({ session_id: 's', tool_input: { secret: 1 } }));
  assert.ok(parse.ok);
  assert.deepEqual(Object.keys(parse.event.input).toSorted(), ['hook_event_name', 'session_id']);
});

for (const [name, envelope, stdin] of [
  ['no envelope', [], '{"session_id":"s"}'],
  ['an invalid attempt id', ['attempt: ../../x'], '{"session_id":"s"}'],
  ['an empty input', [ATTEMPT], ''],
  ['broken JSON', [ATTEMPT], '{"session_id":'],
  ['no session', [ATTEMPT], '{}'],
  ['another event', [ATTEMPT], '{"session_id":"s","hook_event_name":"SessionEnd"}'],
] as const) {
  test(`${name} is refused with a reason`, () => {
    const { parse } = intake(envelope, stdin);
    assert.equal(parse.ok, false);
  });
}
