import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../config/index.ts';
import { placesIn } from '../../core/index.ts';
import { isDue, knownUpdate } from './update-check.ts';

test('a check is due once a day, only after an install by npm, never when disabled', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'update-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  const dist = join(places.app, 'plugin', 'dist');
  mkdirSync(places.run);
  const now = Date.parse('2026-11-15T12:00:00Z');
  assert.equal(isDue(places, true, now, dist), true);
  assert.equal(isDue(places, false, now, dist), false);
  assert.equal(isDue(places, true, now, '/clone/plugin/dist'), false);
  writeFileSync(places.update, JSON.stringify({ checkedAt: '2026-11-15T01:00:00Z', latest: '99.0.0' }));
  assert.equal(isDue(places, true, now, dist), false);
  assert.equal(isDue(places, true, now + 14 * 60 * 60 * 1000, dist), true);
  assert.equal(isDue(places, true, now - 24 * 60 * 60 * 1000, dist), true, 'a clock that went back');
});

test('an installation by npm that never chose does not look for updates', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'update-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  const dist = join(places.app, 'plugin', 'dist');
  const isOn = (): boolean => loadConfig({ places, env: {} }).values['updates.check'];
  assert.equal(isDue(places, isOn(), Date.now(), dist), false);
  writeFileSync(places.config, '{"recall.enabled": true}');
  assert.equal(isDue(places, isOn(), Date.now(), dist), false);
  writeFileSync(places.config, '{"updates.check": true}');
  assert.equal(isDue(places, isOn(), Date.now(), dist), true);
});

test('only a newer version is an update', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'update-'));
  t.after(() => rmSync(home, { recursive: true }));
  const places = placesIn(home);
  mkdirSync(places.run);
  for (const [latest, isOne] of [
    ['99.0.0', true],
    ['0.0.0', false],
    ['nonsense', false],
  ] as const) {
    writeFileSync(places.update, JSON.stringify({ checkedAt: '2026-11-15T01:00:00Z', latest }));
    assert.equal(knownUpdate(places) !== undefined, isOne, latest);
  }
});
