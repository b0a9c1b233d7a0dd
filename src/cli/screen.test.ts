import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, openScreen, shown, tilde, wantsColour } from './screen.ts';
import { widthOf } from './text-width.ts';

for (const [env, terminal, colour] of [
  [{}, true, true],
  [{}, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
] as const) {
  test(`${JSON.stringify(env)} ${terminal ? 'at a terminal' : 'in a pipe'}: ${colour ? 'colour' : 'none'}`, () =>
    assert.equal(wantsColour(env, terminal), colour));
}

test('the home folder is written as people write it, and nothing else is', () => {
  assert.equal(
    tilde('/home/a/.tidemark and /home/a, not /home/ab', '/home/a'),
    '~/.tidemark and ~, not /home/ab',
  );
  assert.equal(tilde('C:\\Users\\a.b\\x', 'C:\\Users\\a.b'), '~\\x');
  assert.equal(tilde('/etc', '/'), '/etc');
});

test('counted makes the plural of regular words and of words that end in y', () => {
  assert.deepEqual(
    [counted(1, 'day'), counted(3, 'day'), counted(2, 'memory'), counted(2000, 'entry'), counted(0, 'file')],
    ['1 day', '3 days', '2 memories', '2,000 entries', '0 files'],
  );
});

test('text cannot colour, and our own colours stay', () => {
  const { paint } = openScreen({ FORCE_COLOR: '1' });
  assert.equal(shown(`${paint.red('a\u001b[0mb')} \u001b[32mc`), '\u001b[31mab\u001b[0m c');
  assert.equal(shown(paint.bold('\u009d52;c;x\u0007\u202ed')), '\u001b[1md\u001b[0m');
});

test('a coloured text takes no more room than a plain one', () => {
  const { paint } = openScreen({ FORCE_COLOR: '1' });
  assert.equal(widthOf(paint.cyan('abc')), 3);
});
