import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasBrowser } from './browser.ts';

test('a browser is opened only where the user would see it', () => {
  const cases: readonly (readonly [NodeJS.Platform, Record<string, string>, boolean])[] = [
    ['linux', {}, false],
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', { DISPLAY: ':10', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, false],
    ['darwin', {}, true],
    ['darwin', { CI: 'true' }, false],
    ['win32', {}, true],
  ];
  for (const [platform, env, expected] of cases)
    assert.equal(hasBrowser(env, platform), expected, `${platform} ${JSON.stringify(env)}`);
});
