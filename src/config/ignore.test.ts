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
  ['/anything', '/', false],
  ['/home/ada/x', '~', true],
] as const) {
  it(`${folder} ${expected ? 'is' : 'is not'} covered by ${pattern}`, () => {
    assert.equal(isIgnored(folder, [pattern], HOME), expected);
  });
}
