import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isIgnored } from './ignore.ts';

const HOME = '/home/ada';

for (const [folder, pattern, expected] of [
  ['/home/ada/secret', '~/secret', true],
  ['/home/ada/secret/deep/er', '~/secret/', true],
  ['/home/ada/secrets', '~/secret', false],
  ['/srv/clients/acme/app', '/srv/clients/*', true],
  ['/srv/clients', '/srv/clients/*', false],
  ['/srv/a/b/private/x', '/srv/**/private', true],
  ['/srv/private', '/srv/**/private', true],
  ['/home/ada/work/scratch/x', 'scratch', true],
  ['/home/ada/work/scratchpad', 'scratch', false],
  ['/tmp/a1', '/tmp/a?', true],
  ['/tmp/a+b', '/tmp/a+b', true],
  ['/srv/a', '/srv/**', true],
  ['/srv/a/b', '/srv/*b', false],
  ['/srv/a1/b2/c', '/srv/*1/*2', true],
  ['/srv/privately', '/srv/**/private', false],
  ['/srv/aprivate', '/srv/**/private', false],
  ['/srv/aab', '/srv/*ab', true],
  ['/anything', '/', false],
  ['/home/ada/x', '~', true],
] as const) {
  it(`${folder} ${expected ? 'is' : 'is not'} covered by ${pattern}`, () => {
    assert.equal(isIgnored(folder, [pattern], HOME), expected);
  });
}

it('a glob with many stars takes no longer than another', () => {
  const folder = `/home/ada/${'a'.repeat(60)}`;
  assert.equal(isIgnored(folder, [`/home/ada/${'*a'.repeat(90)}!`], HOME), false);
  assert.equal(isIgnored(folder, [`/home/ada/${'*a'.repeat(30)}`], HOME), true);
  assert.equal(isIgnored('/a'.repeat(60), [`${'**/a/'.repeat(40)}b`], HOME), false);
});

for (const [folder, pattern, platform, expected] of [
  ['C:\\Users\\Ada\\Secret\\x', '~\\secret', 'win32', true],
  ['C:\\Users\\Ada\\Secret\\x', '~/secret', 'win32', true],
  ['D:\\clients\\acme\\app', 'D:\\clients\\*', 'win32', true],
  ['d:/clients/acme', 'D:\\clients', 'win32', true],
  ['C:\\Users\\Ada\\secrets', '~\\secret', 'win32', false],
  ['C:\\work\\Scratch\\x', 'scratch', 'win32', true],
  ['/Users/ada/Secret', '/users/ada/secret', 'darwin', true],
  ['/home/ada/Secret', '/home/ada/secret', 'linux', false],
] as const) {
  it(`on ${platform} ${folder} ${expected ? 'is' : 'is not'} covered by ${pattern}`, () => {
    assert.equal(isIgnored(folder, [pattern], 'C:\\Users\\ada', platform), expected);
  });
}
