import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, sampleTurn } from '../../test/support/sample-turn.ts';
import { namedFiles, projectFiles } from './turn-files.ts';

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

test('a name of a function leads to the file of the turn that defines it', () => {
  const defines = [
    { file: '/home/ada/engine/src/auth.ts', names: ['rotateToken', 'rotate'] },
    { file: '/home/ada/engine/src/mail.ts', names: ['sendMail'] },
    { file: '/etc/init.d/rotate', names: ['rotateToken'] },
  ];
  const turn = sampleTurn({ tools: [call({ defines })] });
  assert.deepEqual(namedFiles('rotateToken must not retry', turn), ['src/auth.ts']);
  assert.deepEqual(namedFiles('`rotate` before sendMail()', turn, '/home/ada/engine'), [
    'src/auth.ts',
    'src/mail.ts',
  ]);
  assert.deepEqual(namedFiles('Tokens rotate on every use', turn), []);
  assert.deepEqual(namedFiles('rotateToken', sampleTurn({})), []);
});
