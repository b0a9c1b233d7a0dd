import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn, type Places } from '../../core/index.ts';
import { Notices, withNotices } from './notices.ts';

function open(t: TestContext): Places {
  const home = mkdtempSync(join(tmpdir(), 'notices-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  mkdirSync(places.run);
  return places;
}

test('an update is shown once, also across daemons, and the first version is not shown', (t) => {
  const places = open(t);
  const first = new Notices(places);
  first.seen('0.1.0');
  assert.deepEqual(first.take(), []);
  first.seen('0.2.0');
  assert.deepEqual(first.take(), ['Tidemark updated 0.1.0 → 0.2.0.']);
  assert.deepEqual(first.take(), []);
  const second = new Notices(places);
  second.seen('0.2.0');
  assert.deepEqual(second.take(), []);
  second.seen('0.3.0');
  assert.deepEqual(second.take(), ['Tidemark updated 0.2.0 → 0.3.0.']);
});

test('a cause is shown once, and again when it changed or returned', (t) => {
  const places = open(t);
  const notices = new Notices(places);
  notices.set('distill', 'No key.');
  assert.deepEqual(notices.take(), ['No key.']);
  notices.set('distill', 'No key.');
  assert.deepEqual(notices.take(), []);
  const next = new Notices(places);
  next.set('distill', 'No key.');
  assert.deepEqual(next.take(), [], 'a new daemon knows what was shown');
  next.set('distill', 'No model.');
  assert.deepEqual(next.take(), ['No model.']);
  next.set('distill', undefined);
  next.set('distill', 'No model.');
  assert.deepEqual(next.take(), ['No model.']);
});

test('an invalid version is ignored', (t) => {
  const places = open(t);
  writeFileSync(places.knownVersion, '0.1.0\n');
  const notices = new Notices(places);
  for (const odd of ['', 'banana', '1.0', `9.9.9${'x'.repeat(100)}`]) notices.seen(odd);
  assert.deepEqual(notices.take(), []);
});

test('notices are added to the message of a hook', () => {
  assert.equal(withNotices('', []), '');
  assert.equal(withNotices('', ['a', 'b']), '{"systemMessage":"Tidemark: a\\nTidemark: b"}');
  const context = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'x' } };
  assert.deepEqual(JSON.parse(withNotices(JSON.stringify({ systemMessage: '1', ...context }), ['2'])), {
    ...context,
    systemMessage: '1\nTidemark: 2',
  });
});
