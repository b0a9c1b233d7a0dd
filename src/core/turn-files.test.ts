import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import { projectFiles } from './turn-files.ts';

for (const [root, path, expected] of [
  ['C:\\work\\shop', 'C:\\work\\shop\\src\\Cart.ts', ['src/Cart.ts']],
  ['c:\\work\\shop', 'C:\\Work\\shop\\src\\Cart.ts', ['src/Cart.ts']],
  ['C:\\work\\shop', 'C:\\work\\shopping\\a.ts', []],
  ['C:\\work\\shop', 'src\\Cart.ts', ['src/Cart.ts']],
  ['/code/shop', '/Code/shop/src/cart.ts', []],
  ['/code/shop', '/code/shop/src/cart.ts', ['src/cart.ts']],
] as const) {
  test(`${path} in ${root}`, () => assert.deepEqual(projectFiles([path], sampleTurn({}), root), expected));
}
